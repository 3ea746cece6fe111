"""What fails loses nothing that had been computed, says the same each time, and leaves the next cell working."""

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.dispatch import runtime_tokens

import x10_jupyter as x10
from runtime import compiles, forget, interrupted, listening, rejoined
from x10_jupyter.base.errors import LostValueError, OperandError
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.records.runtime_events import Compiled, Cut, Executed, Failed

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
    assert repr(y).startswith("Tensor(f32[2], pending")
    z = x * 3
    assert [np.asarray(y).tolist(), np.asarray(z).tolist()] == [[2, 2], [3, 3]]


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
    assert failed.phase == "execute"
    assert not [e for e in events if isinstance(e, Executed) and e.program == failed.program]
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


class Trouble:
    """A callback that fails when it is told to."""

    def __init__(self) -> None:
        self.is_on = False

    def __call__(self, v: np.ndarray) -> np.ndarray:
        return refuse(v) if self.is_on else v


def training(side: int, trouble: Trouble) -> Callable[[x10.Tensor], x10.Tensor]:
    checked = x10.lazy(lambda v: jax.pure_callback(trouble, jax.ShapeDtypeStruct(v.shape, v.dtype), v))
    return lambda w: w - 0.5 * checked(w)


def of(side: int) -> x10.Tensor:
    return x10.tensor(np.full((side, side), 4, np.float32))


@pytest.mark.parametrize("donate", [True, False])
@pytest.mark.parametrize("side", [2, 128])
def test_a_run_that_fails_says_what_it_had_taken_over_and_the_next_step_is_known(side: int, donate: bool) -> None:
    trouble = Trouble()
    step, weight, held = training(side, trouble), of(side), of(side)
    with x10.config(donate=donate):
        for _ in range(3):
            weight, held = step(weight), step(held)
            x10.barrier(wait=True)
        last = held
        trouble.is_on = True
        weight, held = step(weight), step(held)
        with pytest.raises(LostValueError, match="no such luck"):
            x10.barrier(wait=True)
        trouble.is_on = False
        (message,) = messages(weight, READS)
        is_gone = donate and side == 128
        assert ("had taken over the memory of `w` f32[128,128] at test_execute_failures.py:" in message) == is_gone
        assert ("x10.config.update(donate=False)" in message) == is_gone
        assert float(last[0, 0]) == 0.5  # somebody held it, so that it was copied

        def again() -> None:
            restored, other = of(side), last
            restored, other = step(restored), step(other)
            x10.barrier()
            assert (float(restored[0, 0]), float(other[0, 0])) == (2, 0.25)

        assert [c.function for c in compiles(again) if c.ops > 1 and c.function == "again" and c.outputs > 1] == []


def test_a_run_that_fails_when_it_is_long_launched_says_it_too() -> None:
    def moved(w: Any) -> Any:
        w = w * 1  # the runtime's own
        return w - failing(w)

    lost = moved(ones(1500, 1500))
    with pytest.raises(LostValueError, match="no such luck"):
        x10.barrier()  # so that it is compiled, and launched at once below
    w = moved(under_way())
    with suppress(LostValueError):  # on a busy machine the input may be there by now
        x10.barrier()
    for each in (lost, w):
        with pytest.raises(LostValueError, match="no such luck"):
            np.asarray(each * 2)


def test_not_a_number_is_found_where_jax_is_told_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    w = of(128)
    before = w * 1
    x10.barrier()
    with jax.debug_nans(True):
        w = x10.numpy.log(w - 5)
        with pytest.raises(LostValueError, match=r"FloatingPointError.*to be computed by `log` at"):
            x10.barrier(wait=True)
    assert float(before[0, 0]) == 4


def test_too_large_for_memory() -> None:
    x = ones(2)
    before = x * 2
    x10.barrier()
    y = x10.numpy.broadcast_to(x[0], (1 << 25, 1 << 25)) + 1
    with pytest.raises(LostValueError, match=r"RESOURCE_EXHAUSTED: Out of memory.*to be computed by `add` at test_execute_failures.py"):
        x10.barrier(wait=True)
    assert "lost" in repr(y)
    assert [np.asarray(t).tolist() for t in (before, x + 1)] == [[2, 2], [2, 2]]


class TestCtrlC:
    """It comes at each call of a function of a step that is known, and all goes on as if it had not come, or had come before the step."""

    @pytest.fixture(autouse=True)
    def handler(self) -> Iterator[None]:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)

    @pytest.mark.parametrize("side", [2, 128])
    def test_no_parameter_is_lost(self, side: int) -> None:
        state = {"w": of(side), "m": of(side)}

        def step() -> None:
            slope = state["w"] * 0.25 + state["m"] * 0.5
            state.update(m=slope, w=state["w"] - slope)
            x10.barrier()

        def valued() -> tuple[float, float]:
            return float(np.asarray(state["w"])[0, 0]), float(np.asarray(state["m"])[0, 0])

        def next_of(w: float, m: float) -> tuple[float, float]:
            slope = w * 0.25 + m * 0.5
            return w - slope, slope

        for _ in range(4):
            step()
        valued()
        after, made, found = 1, 0, list[Any]()
        while True:
            state.update(w=of(side), m=of(side))
            step()
            step()
            with listening() as events:
                known = next_of(*next_of(4, 4))
                came = interrupted(step, after, lambda: signal.raise_signal(signal.SIGINT))
                step()
            found += [e for e in events if isinstance(e, Compiled)]
            assert valued() in {next_of(*known), next_of(*next_of(*known))}, after
            if not came:
                break
            made += 1
            after += 1
        assert made > 30
        assert [e.cause.kind for e in found] in ([], ["structure"])  # between the last operation and the barrier, two steps become one


def test_a_cut_that_was_interrupted_is_made_before_the_next_operation(no_compiler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones(2)

    def step() -> Any:
        y = x * 3 - 1
        x10.barrier()
        return y

    no_compiler(KeyboardInterrupt())
    kept: list[Any] = []
    with pytest.raises(KeyboardInterrupt):
        kept.append(step())
    monkeypatch.undo()
    y = x * 7
    no_compiler(KeyboardInterrupt())
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            x10.barrier()
    monkeypatch.undo()
    with listening() as events:
        z = x + 1  # first what is owed
        x10.barrier()
    assert [(e.why, e.live) for e in events if isinstance(e, Cut)] == [("barrier", 1), ("barrier", 1)]
    assert [np.asarray(t).tolist() for t in (y, z)] == [[7, 7], [2, 2]]


def test_what_fails_after_an_interrupt_is_told_where_it_is_read(no_compiler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones(2)
    y = x * 3
    no_compiler(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        x10.barrier()
    monkeypatch.undo()
    no_compiler(RuntimeError("out of paper"))
    z = x + 1
    monkeypatch.undo()
    assert np.asarray(z).tolist() == [2, 2]
    with pytest.raises(LostValueError, match=r"out of paper.*`mul` at test_execute_failures.py:\d+, asked for at test_execute_failures.py:\d+"):
        np.asarray(y)


@pytest.mark.parametrize("is_known", [False, True], ids=["new", "known"])
def test_data_that_is_deleted_after_it_was_recorded_takes_nothing_else_along(is_known: bool) -> None:
    forget()

    def work(*, delete: bool) -> tuple[x10.Tensor, x10.Tensor, x10.Tensor]:
        array = jnp.arange(4.0) + 1
        gone, kept = x10.tensor(array), x10.tensor(np.ones(2, np.float32))
        found = gone * 2.0, kept * 3.0, (kept + 1.0) * 2.0
        if delete:
            array.delete()
            with pytest.raises(LostValueError, match="Array has been deleted"):
                x10.barrier()
        else:
            x10.barrier()
        return found

    if is_known:
        work(delete=False)
    lost, *others = work(delete=True)
    assert [np.asarray(t).tolist() for t in others] == [[3, 3], [4, 4]]
    with pytest.raises(LostValueError, match=r"Array has been deleted.*computed by `mul` at test_execute_failures\.py:\d+"):
        np.asarray(lost)
    assert [np.asarray(t).tolist() for t in work(delete=False)] == [[2, 4, 6, 8], [3, 3], [4, 4]]
