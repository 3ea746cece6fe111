from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles, interrupted, listening, raise_interrupt, rejoined, run_cell
from x10_jupyter.lazy.finding import MOST_LIVE_SETS, STORE
from x10_jupyter.records.runtime_events import Compiled, Cut, Executed, Traced

xnp = x10.numpy


def ones(*shape: int) -> x10.Tensor:
    return x10.tensor(np.ones(shape, np.float32))


def live_at_the_cut(run: Callable[[], object]) -> int:
    """How many values the only cut of `run` computed."""
    with listening() as events:
        run()
    (cut,) = [e for e in events if isinstance(e, Cut)]
    return cut.live


def held(make: Callable[[x10.Tensor], object]) -> int:
    """How many values are computed while what `make` returns is held."""
    x = ones(2)

    def run() -> None:
        kept = make(x)
        x10.barrier()
        del kept

    return live_at_the_cut(run)


def test_values_that_nothing_refers_to_are_not_computed() -> None:
    assert held(lambda x: (x + 1) * 2 - 3) == 1


def test_values_in_containers_are_live() -> None:
    assert held(lambda x: [x + 1, {"a": x + 2}, (x + 3,)]) == 3


def test_values_in_closures_are_live() -> None:
    def make(x: Any) -> Callable[[], Any]:
        y = x + 1
        return lambda: y

    assert held(make) == 1


def test_values_in_generators_are_live() -> None:
    def produce(x: Any) -> Iterator[Any]:
        y = x + 1
        while True:
            yield None
            y = y + 1

    def make(x: Any) -> Iterator[Any]:
        made = produce(x)
        next(made)
        return made

    assert held(make) == 1


def test_values_in_the_frames_of_a_traceback_are_live() -> None:
    def failing(x: Any) -> None:
        y = x + 1
        raise RuntimeError(y.shape)

    def make(x: Any) -> BaseException:
        with pytest.raises(RuntimeError) as caught:
            failing(x)
        return caught.value

    assert held(make) == 1


def test_values_on_the_stack_of_an_expression_are_live() -> None:
    x = ones(2)

    def cut_inside() -> float:
        x10.barrier()
        return 1.0

    found: list[Any] = []
    assert live_at_the_cut(lambda: found.append((x + 1) * cut_inside())) == 1
    assert np.asarray(found[0]).tolist() == [2, 2]


def test_a_value_that_only_a_read_refers_to_is_computed() -> None:
    assert float((ones(2) + 1).sum()) == 4


def test_a_trace_of_which_nothing_is_live_runs_nothing() -> None:
    x = ones(2)
    with listening() as events:
        x + 1
        x10.barrier()
    assert not [e for e in events if isinstance(e, (Compiled, Executed))]
    (cut,) = [e for e in events if isinstance(e, Cut)]
    assert (cut.live, cut.program, cut.ops) == (0, None, 1)


def test_a_known_program_with_more_values_serves_fewer() -> None:
    x = ones(2)

    def step(*, keep: bool) -> None:
        first = x * 3
        second = first + 1
        if not keep:
            del first
        x10.barrier()
        assert np.asarray(second).tolist() == [4, 4]

    step(keep=True)
    assert compiles(lambda: step(keep=False)) == []
    assert compiles(lambda: step(keep=True)) == []


def test_from_the_third_live_set_on_one_program_computes_all_of_them() -> None:
    x = ones(2)

    def step(*which: int) -> None:
        values: list[Any] = [x + x, x * x, x - 3, x / 4, -x, xnp.exp(x)]
        kept = [values[i] for i in which]
        del values
        x10.barrier()
        assert [round(float(np.asarray(v)[0]), 3) for v in kept] == [[2, 1, -2, 0.25, -1, 2.718][i] for i in which]

    made = [len(compiles(lambda s=s: step(*s))) for s in [(0, 1), (2, 3), (4, 5), (0, 5), (1, 2, 3, 4), (2,)]]
    assert made == [1, 1, 1, 0, 0, 0]


def test_ever_new_live_sets_are_not_remembered_without_end() -> None:
    x = ones(2)

    def step(which: int) -> None:
        values: list[Any] = [x + i for i in range(10)]
        kept = values if which < 0 else [values[i] for i in range(10) if which >> i & 1]
        del values
        x10.barrier()
        del kept

    step(-1)
    state = next(iter(STORE.all()[0].bindings()))[0]
    assert compiles(lambda: [step(which) for which in range(1, 300)]) == []
    assert state.programs is not None
    assert len(state.programs) <= MOST_LIVE_SETS


def test_the_same_program_reached_by_another_path_is_found_again_and_reported() -> None:
    x, y = ones(2), ones(3)

    def plain() -> list[Any]:
        return [x + 1, y * 2]

    def other() -> list[Any]:
        b = y * 2
        x * 7  # nothing depends on it
        a = x + 1
        return [a, b]

    def run(make: Callable[[], list[Any]]) -> None:
        kept = make()
        x10.barrier()
        assert [np.asarray(k).tolist() for k in kept] == [[2, 2], [2, 2, 2]]

    (program,) = compiles(lambda: run(plain))
    (event,) = rejoined(lambda: run(other))
    assert event.program == program.program
    assert compiles(lambda: run(other)) == []
    assert rejoined(lambda: run(other)) == []


def test_a_trace_longer_than_the_limit_is_cut_and_reported(trace: Any) -> None:
    trace.limit = 50
    x, b = ones(2), ones(2)

    def run() -> np.ndarray:
        y = x
        for _ in range(110):
            y = y + b
        return np.asarray(y)

    for _ in range(2):  # the general way first, then the short way
        with listening() as events:
            assert run().tolist() == [111, 111]
        cuts = [e for e in events if isinstance(e, Cut)]
        assert [c.why for c in cuts] == ["limit", "limit", "read"]
        assert max(c.ops for c in cuts) <= 50


def test_the_limit_holds_under_a_gradient(trace: Any) -> None:
    def loss(x: Any) -> Any:
        for _ in range(20):
            x = x * 1.5
        return x.sum()

    want = np.asarray(x10.grad(loss)(ones(2)))
    trace.limit = 15
    for _ in range(2):
        with listening() as events:
            got = np.asarray(x10.grad(loss)(ones(2)))
        assert got.tolist() == want.tolist()
        assert "limit" in {e.why for e in events if isinstance(e, Cut)}


def test_a_steady_loop_compiles_one_program() -> None:
    def loss(params: dict[str, Any], x: Any, y: Any) -> Any:
        hidden = xnp.tanh(x @ params["w"] + params["b"])
        return ((hidden.sum(-1) - y) ** 2).mean()

    rng = np.random.default_rng(0)
    params = {"w": x10.tensor(rng.normal(size=(8, 4)).astype(np.float32)), "b": ones(4)}
    rate = 0.1

    def train() -> None:
        nonlocal params, rate
        for _ in range(1000):
            x, y = x10.tensor(rng.normal(size=(16, 8)).astype(np.float32)), x10.tensor(rng.normal(size=16).astype(np.float32))
            _, grads = x10.value_and_grad(loss)(params, x, y)
            params = {name: p - rate * grads[name] for name, p in params.items()}
            rate *= 0.999
            x10.barrier()

    with listening() as events:
        train()
    assert len([e for e in events if isinstance(e, Compiled)]) == 1
    assert len([e for e in events if isinstance(e, Executed)]) == 1000
    assert np.isfinite(np.asarray(params["w"])).all()


def test_the_events_of_a_cut_carry_its_times_and_lines(clock: Any) -> None:
    x = ones(2)
    with listening() as events:
        clock.advance(5)
        y = x + 1
        clock.advance(7)
        x10.barrier()
    (traced,), (cut,) = [[e for e in events if isinstance(e, kind)] for kind in (Traced, Cut)]
    assert isinstance(traced, Traced)
    assert isinstance(cut, Cut)
    assert (traced.start_ns, traced.end_ns, traced.ops) == (5, 12, 1)
    assert (cut.start_ns, cut.end_ns, cut.why, cut.how, cut.live) == (12, 12, "barrier", "barrier()", 1)
    assert cut.site is not None
    assert (cut.site.file, cut.site.function) == (__file__, "test_the_events_of_a_cut_carry_its_times_and_lines")
    assert cut.site.line > traced.end_ns
    assert y.shape == (2,)


def test_an_interrupt_while_recording_leaves_the_trace_in_order() -> None:
    # A state and its tensors used to be stored with a call in between, where an interrupt shifted every later value by one.
    x, b = ones(2), x10.tensor(np.array([2, 3], np.float32))

    def record() -> list[Any]:
        return [x + b, x * 3.0, (x - b) * 0.5, xnp.stack([x, b]), x10.lazy(lambda v: (v + 1, v - 1))(b)[1]]

    want = [np.asarray(t).tolist() for t in record()]
    after = 1
    while interrupted(record, after, raise_interrupt):
        assert [np.asarray(t).tolist() for t in record()] == want, after
        after += 1
    assert after > 50


def test_code_that_takes_turns_on_one_path_notes_its_lines_once(trace: Any) -> None:
    # Two places that ask for one program used to make each other's next trace note all its lines anew, at ten times the cost.
    x = ones(2)

    def here() -> None:
        y = x * 2
        x10.barrier()
        del y

    def there() -> None:
        y = x * 2
        x10.barrier()
        del y

    here()
    there()
    assert trace.relearn  # the code may have been edited
    for step in (here, there, here, there):
        step()
        assert not trace.relearn


def test_values_remember_the_lines_of_the_code_that_ran_last() -> None:
    names: dict[str, Any] = {"x": ones(2), "x10": x10}
    for _ in range(3):
        run_cell("y = x * 2\nx10.barrier()", names)
    for _ in range(2):
        run_cell("# a comment\n\ny = x * 2\nx10.barrier()", names)
    origin = names["y"].origin
    assert (origin.op, origin.line.number, origin.cut_line.number) == ("mul", 3, 4)
    assert origin.line.file == origin.cut_line.file


def test_what_is_recorded_with_jit_switched_off_runs() -> None:
    with jax.disable_jit():
        inside = x10.numpy.sin(x10.tensor(np.ones(2, np.float32)))
        read = float(x10.numpy.cos(x10.tensor(np.float32(0))) + 1)
    x10.barrier()
    assert read == 2
    np.testing.assert_allclose(np.asarray(inside), np.sin([1, 1]), rtol=1e-6)
