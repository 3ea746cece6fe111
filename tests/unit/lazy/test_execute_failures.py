"""What fails loses nothing that had been computed, says the same each time, and leaves the next cell working."""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import pytest
from jax._src.dispatch import runtime_tokens

import x10_jupyter as x10
from runtime import compiles, listening, rejoined
from x10_jupyter.base.errors import LostValueError, OperandError
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.records.events import Executed, Failed

READS: list[Callable[[Any], Any]] = [np.asarray, str, lambda t: t.tolist(), lambda t: t.block_until_ready(), lambda t: t + 1, lambda t: t.data.sum()]


def ones(*shape: int) -> x10.Tensor:
    """Ones that are there: a program whose inputs are on their way is launched before it can fail."""
    return x10.tensor(np.ones(shape, np.float32)).block_until_ready()


def refuse(_: Any) -> Any:
    raise RuntimeError("no such luck")


@x10.lazy
def failing(x: Any) -> Any:
    return jax.pure_callback(refuse, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def messages(t: Any, reads: list[Callable[[Any], Any]]) -> set[str]:
    """What each way of reading a tensor raises, twice."""
    found = set()
    for read in [*reads, *reads]:
        with pytest.raises(LostValueError) as caught:
            read(t)
        found.add(str(caught.value))
    return found


@pytest.fixture(autouse=True)
def no_token_left() -> Iterator[None]:
    """JAX keeps the token of a failed callback, and complains of it when Python ends."""
    yield
    runtime_tokens.clear()


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Makes every compile raise, until the test ends or `None` is given."""

    def set_up(error: BaseException) -> None:
        def compile_(self: Any, *args: Any, **kwargs: Any) -> Any:
            raise error

        monkeypatch.setattr(jax.stages.Lowered, "compile", compile_)

    return set_up


def test_a_compile_that_fails_loses_what_is_pending_and_nothing_else(no_compiler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones(2)
    before = x * 2
    x10.barrier()
    y = x + 1
    z = y * 3
    no_compiler(RuntimeError("out of paper\nand of ink"))
    with pytest.raises(LostValueError, match=r"could not be compiled .RuntimeError: out of paper.; it was to be computed by `mul` at"):
        x10.barrier()
    monkeypatch.undo()
    for t, op in ((y, "add"), (z, "mul")):
        (message,) = messages(t, READS)
        assert f"computed by `{op}` at test_execute_failures.py:" in message
        assert "and of ink" not in message
        assert repr(t) == "Tensor(f32[2], lost)"
    assert np.asarray(before).tolist() == [2, 2]
    assert np.asarray((x + 1) * 3).tolist() == [6, 6]


def test_a_read_that_cannot_be_compiled_says_so_for_the_tensor_read(no_compiler: Any) -> None:
    x = ones(2)
    y, z = x + 1, x * 2
    no_compiler(RuntimeError("out of paper"))
    with pytest.raises(LostValueError, match="computed by `add`"):
        np.asarray(y)
    with pytest.raises(LostValueError, match="computed by `mul`"):
        np.asarray(z)


def test_ctrl_c_while_compiling_comes_through(no_compiler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones(2)
    y = x + 1
    no_compiler(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        x10.barrier()
    monkeypatch.undo()
    (message,) = messages(y, READS)
    assert "could not be compiled (KeyboardInterrupt);" in message
    assert np.asarray(x + 1).tolist() == [2, 2]


def test_a_program_that_fails_when_launched() -> None:
    x = ones(2)
    before = x * 2
    x10.barrier()
    y = failing(x)
    with listening() as events, pytest.raises(LostValueError, match="could not be run"):
        x10.barrier()
    (message,) = messages(y, READS)
    assert "RuntimeError: no such luck); it was to be computed by `failing` at test_execute_failures.py:" in message
    (failed,) = [e for e in events if isinstance(e, Failed)]
    assert (failed.phase, failed.program != "") == ("execute", True)
    assert "no such luck" in failed.message
    assert np.asarray(before).tolist() == [2, 2]
    assert np.asarray(x + 1).tolist() == [2, 2]


@x10.lazy
def heavy(x: Any) -> Any:
    """Takes so long that what needs it is launched before it has finished."""
    for _ in range(8):
        x = x @ x / 1500
    return x


def under_way() -> x10.Tensor:
    """A value that is not ready yet. What fails on it is compiled before, so that its launch comes at once."""
    x = ones(1500, 1500)
    with pytest.raises(LostValueError, match="could not be run"):
        np.asarray(failing(x))
    heavy(x).block_until_ready()
    start = heavy(x)
    x10.barrier()
    return start


def test_a_program_that_fails_while_it_runs() -> None:
    x = ones(1500, 1500)
    before = x * 2
    x10.barrier(wait=True)
    start = under_way()
    with listening() as events:
        y = failing(start)
        x10.barrier()  # returns: the program waits for its input
        (message,) = messages(y, [np.asarray, str, lambda t: t.tolist(), lambda t: t.block_until_ready()])
    assert "failed while it ran" in message
    assert "no such luck); it was to be computed by `failing` at test_execute_failures.py:" in message
    (failed,) = [e for e in events if isinstance(e, Failed)]
    assert (failed.phase, [e for e in events if isinstance(e, Executed)]) == ("execute", [])
    with pytest.raises(LostValueError, match="no such luck"):
        np.asarray(y + 1)
    assert float(before[0, 0]) == 2


def test_a_barrier_that_waits_says_which_program_failed() -> None:
    y = failing(under_way())
    with pytest.raises(LostValueError, match=r"failed while it ran .*`failing` at test_execute_failures.py"):
        x10.barrier(wait=True)
    assert y.shape == (1500, 1500)


def test_an_operation_that_failed_leaves_no_trace() -> None:
    # Its operands used to stay behind as inputs, so that the same program was another one after a caught error.
    x, odd = ones(2), ones(3)

    def run(*, fail: bool) -> None:
        if fail:
            with pytest.raises(OperandError, match=r"add.*f32.3., f32.2."):
                odd + x
        y = x * 2
        x10.barrier()
        assert np.asarray(y).tolist() == [2, 2]

    assert len(compiles(lambda: run(fail=False))) == 1
    assert compiles(lambda: run(fail=True)) == []
    assert rejoined(lambda: run(fail=True)) == []


def test_a_lost_operand_leaves_no_trace(no_compiler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones(2)
    lost = x + 1
    no_compiler(RuntimeError("out of paper"))
    with pytest.raises(LostValueError, match="out of paper"):
        x10.barrier()
    monkeypatch.undo()

    def run(*, fail: bool) -> None:
        for other in (lost, 2.0):
            if fail:
                with pytest.raises(LostValueError, match="out of paper"):
                    other * lost
        if fail:
            with pytest.raises(LostValueError, match="out of paper"):
                x * lost
        y = x - 2
        x10.barrier()
        assert np.asarray(y).tolist() == [-1, -1]

    run(fail=False)
    assert rejoined(lambda: run(fail=True)) == []
    assert compiles(lambda: run(fail=True)) == []


def test_a_failed_program_is_no_known_program(no_compiler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones(2)

    def run() -> np.ndarray:
        return np.asarray(x * 5 - 1)

    no_compiler(RuntimeError("out of paper"))
    with pytest.raises(LostValueError, match="out of paper"):
        run()
    assert len(STORE) == 0
    monkeypatch.undo()
    assert len(compiles(run)) == 1
    assert run().tolist() == [4, 4]


def test_a_failed_change_of_configuration_does_not_let_the_old_one_go_on(no_compiler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # The change used to count as noticed before the cut that it asks for had succeeded.
    x = ones(2)
    y = x + 1
    no_compiler(RuntimeError("out of paper"))
    with jax.enable_x64(True):
        assert (x * 2).shape == (2,)
        monkeypatch.undo()
        assert x10.numpy.arange(2).dtype == np.int64
    with pytest.raises(LostValueError, match="out of paper"):
        y + 1
