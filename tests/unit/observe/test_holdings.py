import gc
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from live import live_bytes
from x10_jupyter.base import frames
from x10_jupyter.observe import holdings as made_by
from x10_jupyter.observe.heap_profile import Frame, HeapProfile
from x10_jupyter.observe.holdings import holdings, of_lines, site_of
from x10_jupyter.records.holding import Holding
from x10_jupyter.records.site import Site

NAMES = {"cpu:0": "CPU:0"}


def by_line() -> dict[tuple[int, str], Holding]:
    """What the lines of this file hold."""
    found = holdings(HeapProfile(jax.profiler.device_memory_profile()), NAMES)
    return {(one.site.line, one.kind): one for one in found if one.site is not None and one.site.file == __file__}


def line_of(function: Callable[..., object], offset: int) -> int:
    return function.__code__.co_firstlineno + offset


def test_what_lines_hold_sums_to_what_jax_holds() -> None:
    gc.collect()
    before, live_before = in_all(), live_bytes()
    kept = [[jnp.ones(n) * n for n in range(1, 30)], jax.jit(lambda x: (x + 1, x * 2))(jnp.ones(77))]
    jax.block_until_ready(kept)
    assert in_all() - before == live_bytes() - live_before == 4 * (sum(range(1, 30)) + 2 * 77)


def in_all() -> int:
    """What lines hold of arrays."""
    found = holdings(HeapProfile(jax.profiler.device_memory_profile()), NAMES)
    assert [one.size_bytes for one in found] == sorted((one.size_bytes for one in found), reverse=True)
    return sum(one.size_bytes for one in found if one.kind == "array")


def test_lines_are_told_apart_and_those_of_one_line_counted_together() -> None:
    def make(n: int) -> Any:
        return jax.device_put(np.full(n, 1, np.float32))

    kept = [make(10), make(20), make(30)]
    one = by_line()[(line_of(make, 1), "array")]
    assert (one.count, one.size_bytes, one.device) == (len(kept), 4 * (10 + 20 + 30), "CPU:0")
    assert one.site == Site(file=__file__, line=line_of(make, 1), function="make")


def test_what_nobody_refers_to_is_not_there() -> None:
    def make() -> Any:
        return jax.device_put(np.ones(5, np.float32))

    kept: list[Any] = [make() for _ in range(4)]
    del kept[1:]
    assert by_line()[(line_of(make, 1), "array")].count == 1
    kept.clear()
    assert (line_of(make, 1), "array") not in by_line()


def test_what_was_donated_belongs_to_the_line_that_took_it_over() -> None:
    step: Any = jax.jit(lambda x: x + 1, donate_argnums=0)

    def make() -> Any:
        return jax.device_put(np.ones(1000, np.float32))

    def run(x: Any) -> Any:
        return step(x)

    kept = run(make())
    found = by_line()
    assert kept.nbytes == 4000
    assert (line_of(make, 1), "array") not in found
    assert found[(line_of(run, 1), "array")].size_bytes == 4000


def test_programs_stand_apart() -> None:
    def run() -> Any:
        return jax.jit(lambda x: x * 3 - 1)(1.0)

    jitted = run()
    assert jitted == 2.0
    assert by_line().get((line_of(run, 1), "program"), Holding(device="", kind="program", count=0, size_bytes=0)).size_bytes == 0


def test_what_the_runtime_makes_belongs_to_the_users_line() -> None:
    def cut() -> Any:
        tensor = x10.tensor(np.arange(321, dtype=np.float32)) * 2
        x10.barrier(wait=True)
        return tensor

    kept = cut()
    assert kept.shape == (321,)
    assert sum(one.size_bytes for (line, kind), one in by_line().items() if kind == "array" and line in (line_of(cut, 1), line_of(cut, 2))) >= 321 * 4


LIBRARY = f"{frames.PACKAGE}lazy/core.py"


@pytest.mark.parametrize(
    ("stack", "line", "function"),
    [
        ([(LIBRARY, 1, "f"), ("a.py", 5, "step"), ("b.py", 6, "main")], 5, "step"),
        ([("a.py", 5, "<listcomp>"), ("a.py", 5, "step"), ("a.py", 9, "<module>")], 5, "step"),
        ([("a.py", 5, "<lambda>"), ("a.py", 9, "<module>")], 5, "<module>"),
        ([("a.py", 5, "<lambda>"), ("b.py", 9, "main")], 5, "<lambda>"),
        ([("a.py", 5, "<lambda>")], 5, "<lambda>"),
    ],
)
def test_the_users_innermost_line_and_the_function_around_it(stack: list[tuple[str, int, str]], line: int, function: str) -> None:
    assert site_of([Frame(*each) for each in stack]) == Site(file="a.py", line=line, function=function)


def test_where_no_line_is_the_users_none_is_told() -> None:
    assert site_of([Frame(LIBRARY, 1, "f")]) is None
    assert site_of([]) is None


def made(line: int, size_bytes: int, device: str = "CPU:0") -> Holding:
    return Holding(device=device, kind="array", count=1, size_bytes=size_bytes, site=Site(file="a.py", line=line, function="f"))


def test_lines_without_room_are_held_together_and_the_same_at_all_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_by, "MOST_LINES", 2)
    first, second = of_lines([[made(1, 10), made(2, 7), made(3, 1)], [made(1, 10), made(2, 2), made(3, 9), made(4, 5, "CPU:1"), made(5, 1)]])
    assert first == (made(1, 10), made(3, 1), Holding(device="CPU:0", kind="array", count=1, size_bytes=7, is_rest=True))
    rest = [(one.device, one.count, one.size_bytes) for one in second if one.is_rest]
    assert [one.site.line for one in second if one.site] == [1, 3]
    assert rest == [("CPU:0", 2, 3), ("CPU:1", 1, 5)]
