"""Op by op: each operation compiled and run on its own; the one that fails is named with its line."""

import threading
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles, listening
from x10_jupyter.base.errors import BrokenChainError, LostValueError
from x10_jupyter.lazy.chain import RUNNERS, is_chained
from x10_jupyter.records.runtime_events import Chained, Failed

xnp = x10.numpy


@pytest.fixture(autouse=True)
def op_by_op() -> Iterator[None]:
    RUNNERS.clear()
    with x10.config(XLA_SYNC_TENSORS_OPBYOP=True, XLA_GET_TENSORS_OPBYOP=True):
        yield


def tensor(*values: float) -> x10.Tensor:
    return x10.tensor(np.array(values, np.float32))


def chains(events: list[Any]) -> list[tuple[int, int]]:
    return [(e.ops, e.compiled) for e in events if isinstance(e, Chained)]


def step(w: Any, x: Any) -> tuple[Any, Any]:
    value, slope = x10.value_and_grad(lambda w: ((x @ w) ** 2).mean())(w)
    w = w - 0.5 * slope
    x10.barrier()
    return w, value


def test_values_are_those_of_the_whole_program() -> None:
    rng = np.random.default_rng(0)
    w, x = [rng.normal(size=size).astype(np.float32) for size in ((4, 3), (8, 4))]
    ours = [np.asarray(t) for t in step(x10.tensor(w), x10.tensor(x))]
    with x10.config(sync_tensors_opbyop=False, get_tensors_opbyop=False):
        whole = [np.asarray(t) for t in step(x10.tensor(w), x10.tensor(x))]
    for a, b in zip(ours, whole, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_no_program_is_compiled_and_each_operation_once() -> None:
    x = tensor(1, 2)

    def run() -> None:
        y = ((x + x) * 2 + x) * 3  # two multiplications and two additions, of the same types
        x10.barrier()
        assert np.asarray(y).tolist() == [15, 30]

    assert compiles(run) == []
    with listening() as events:
        run()
    assert chains(events) == [(4, 0)]
    RUNNERS.clear()
    with listening() as events:
        run()
    assert chains(events) == [(4, 2)]
    [chained] = [e for e in events if isinstance(e, Chained)]
    assert chained.site is not None
    assert chained.site.file == __file__
    assert all(chained.start_ns <= start <= end <= chained.end_ns for start, end in chained.compiling)
    assert chained.compiling


def test_what_nothing_needs_does_not_run() -> None:
    with listening() as events:
        x = tensor(1, 2)
        unused = x * 5
        del unused
        y = x + 1
        assert np.asarray(y).tolist() == [2, 3]
    assert chains(events) == [(1, 1)]


@pytest.mark.parametrize(("why", "by"), [("barrier", "sync"), ("limit", "sync"), ("config", "sync"), ("read", "get"), ("fallback", "get"), ("device", "get")])
def test_each_switch_is_for_its_cuts(why: str, by: str) -> None:
    with x10.config(sync_tensors_opbyop=by == "sync", get_tensors_opbyop=by == "get"):
        assert is_chained(why)
    with x10.config(sync_tensors_opbyop=by != "sync", get_tensors_opbyop=by != "get"):
        assert not is_chained(why)


def test_an_operation_that_makes_a_nan_is_named_with_its_line() -> None:
    with jax.debug_nans(True), listening() as events:
        kept = tensor(1, 2) * 3
        bad = xnp.log(tensor(-1, 2))
        after = (bad + 1).sum()
        with pytest.raises(LostValueError, match=r"It made a nan of operands that have none\); it was to be computed by `log` at test_chain\.py") as caught:
            float(after)
        with pytest.raises(LostValueError, match="`log` at test_chain"):
            np.asarray(bad)
    first = test_an_operation_that_makes_a_nan_is_named_with_its_line.__code__.co_firstlineno
    assert f"test_chain.py:{first + 3}, asked for at test_chain.py:{first + 6}" in str(caught.value)
    assert np.asarray(kept).tolist() == [3, 6]
    [failed] = [e for e in events if isinstance(e, Failed)]
    assert (failed.phase, failed.message) == ("execute", "It made a nan of operands that have none")


def test_an_operation_that_is_given_a_nan_is_not_said_to_have_made_it() -> None:
    with jax.debug_nans(True), pytest.raises(LostValueError, match="It was given a nan, and returned one"):
        float((tensor(np.nan, 1) + 1).sum())


def test_an_infinity_too() -> None:
    with jax.debug_infs(True), pytest.raises(LostValueError, match=r"It made an infinity of operands that have none.*`truediv`"):
        float((tensor(1, 0) / tensor(0, 1)).sum())


def test_without_a_check_a_nan_is_a_value() -> None:
    assert np.isnan(float(xnp.log(tensor(-1))[0]))


def test_an_operation_that_raises_is_named_and_others_are_computed() -> None:
    def refuse(x: np.ndarray) -> np.ndarray:
        raise OverflowError("no more room")

    call = x10.lazy(lambda x: jax.pure_callback(refuse, jax.ShapeDtypeStruct(x.shape, x.dtype), x))
    bad = call(tensor(1, 2))
    good = tensor(1, 2) + 1
    with pytest.raises(BrokenChainError, match=r"no more room.*`<lambda>` at test_chain\.py"):
        x10.barrier()
    assert np.asarray(good).tolist() == [2, 3]
    with pytest.raises(LostValueError, match="no more room"):
        np.asarray(bad)


def test_the_next_trace_is_as_if_nothing_had_happened() -> None:
    x = tensor(1, 2)
    y = x + 1
    x10.barrier()
    with x10.config(sync_tensors_opbyop=False, get_tensors_opbyop=False):
        z = x * y
        x10.barrier()
        assert [np.asarray(t).tolist() for t in (x, y, z)] == [[1, 2], [2, 3], [2, 6]]


def test_a_result_that_is_an_input_is_not_overwritten() -> None:
    w = x10.tensor(np.ones((256, 256), np.float32))
    same = xnp.reshape(w, (256, 256))
    x10.barrier()
    with x10.config(sync_tensors_opbyop=False, get_tensors_opbyop=False):
        for _ in range(3):
            same = same + 1
            x10.barrier()
        assert (float(w[0, 0]), float(same[0, 0])) == (1, 4)


def test_an_effect_happens_once(capfd: pytest.CaptureFixture[str]) -> None:
    def tell(x: Any) -> Any:
        jax.debug.print("seen {}", x.sum())
        return x + 1

    y = x10.lazy(tell)(tensor(1, 2))
    x10.barrier()
    jax.effects_barrier()
    assert np.asarray(y).tolist() == [2, 3]
    assert capfd.readouterr().out.count("seen 3.0") == 1


def test_only_so_many_are_kept() -> None:
    with x10.config(compilation_cache_size=2), listening() as events:
        for _ in range(2):
            for width in (1, 2, 3):
                np.asarray(tensor(*range(width)) + 1)
    assert chains(events) == [(1, 1)] * 6


def test_threads_share_what_was_compiled() -> None:
    found: list[float] = []

    def run() -> None:
        found.append(float((tensor(1, 2) * 7).sum()))

    threads = [threading.Thread(target=run) for _ in range(4)]
    before = RUNNERS.misses
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [21.0] * 4
    assert RUNNERS.misses - before == 2


def test_an_interrupt_leaves_the_cut_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    y = tensor(1, 2) + 1
    with monkeypatch.context() as patched:

        def interrupt(op: Any) -> Any:
            raise KeyboardInterrupt

        patched.setattr(RUNNERS, "of", interrupt)
        with pytest.raises(KeyboardInterrupt):
            x10.barrier()
    with listening() as events:
        assert np.asarray(y).tolist() == [2, 3]
    assert chains(events) == [(1, 1)]
