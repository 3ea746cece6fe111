"""What operations take, from the profiler to lines of the user's code."""

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import x10_jupyter as x10
from x10_jupyter.records.process_events import Profiled
from x10_jupyter.records.profile import by_line, by_scope

START = inspect.currentframe().f_lineno  # pyright: ignore[reportOptionalMemberAccess]


def plain(x: Any, w: Any) -> Any:
    y = jnp.tanh(x @ w)
    with jax.named_scope("heavy"):
        y = jnp.sort(y, axis=0)
    return y.sum()


def lazy(x: Any, w: Any) -> Any:
    y = x10.numpy.sin(x + w)
    z = x10.numpy.sin(y)
    return x10.numpy.sort(z, axis=0)


HEAVY, LIGHT, LAZY = START + 6, START + 4, START + 13


def captured(make: Callable[[], Any]) -> Any:
    with x10.capture(ops=True) as capturing:
        made = make()
    del made
    return capturing.capture


def test_the_heavy_line_is_the_heavy_line_and_all_adds_up() -> None:
    step, x = jax.jit(plain), jnp.asarray(np.random.default_rng(1).normal(size=(600, 300)), jnp.float32)
    w = jnp.ones((300, 300))
    step(x, w).block_until_ready()
    found = captured(lambda: [step(x, w) for _ in range(5)])
    window: Profiled
    (window,) = found.kinds.of(Profiled)
    assert (window.ended, window.reason) == ("with_the_code", "")
    assert abs(sum(one.own_ns for one in found.operations) - window.busy_ns) < len(found.operations)
    lines = by_line(found.operations)
    site = next(iter(lines))
    assert site is not None
    assert (site.file, site.line, site.function) == (__file__, HEAVY, "plain")
    assert lines[site].own_ns > 0.5 * window.busy_ns
    assert next(iter(by_scope(found.operations))) == ("heavy", False)
    assert LIGHT in {line.line for line in lines if line is not None}
    sorts = [one for one in found.operations if one.op == "sort"]
    assert sum(one.times for one in sorts) % 5 == 0


def test_a_lazy_operation_belongs_to_the_line_that_recorded_it_though_another_was_the_first() -> None:
    x, w = x10.tensor(np.random.default_rng(1).normal(size=(400, 300)).astype(np.float32)), x10.numpy.ones((400, 300))
    kept = x10.numpy.sort(x10.numpy.sin(x), axis=0)  # the same operations at another line
    x10.barrier()

    def step() -> None:
        made = lazy(x, w)
        x10.barrier(wait=True)
        del made

    step()
    found = captured(step)
    lines = {site.line: part for site, part in by_line(found.operations).items() if site is not None and site.file == __file__}
    assert next(iter(lines)) == LAZY
    assert {LAZY - 1, LAZY - 2} & lines.keys()
    assert all(line <= LAZY for line in lines)
    del kept
