"""A loop that never repeats a trace must not grow without end: what may be kept is small here, and counted."""

import gc
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, compiles, listening, rejoined
from x10_jupyter.lazy.core import TRACES
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.op import Op
from x10_jupyter.lazy.program import Executable, Program
from x10_jupyter.lazy.prune import prune
from x10_jupyter.lazy.trie import COUNT, State
from x10_jupyter.records.runtime_events import Cut

FEW_STATES, FEW_PROGRAMS, PASSES = 60, 3, 40


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(COUNT, "most", FEW_STATES)
    monkeypatch.setattr(COUNT, "states", 0)
    monkeypatch.setattr(STORE, "size", FEW_PROGRAMS)
    yield
    STORE.clear()


def ones(count: int = 2) -> x10.Tensor:
    return x10.tensor(np.ones(count, np.float32))


def alive() -> Counter[type]:
    """How many objects of the runtime's own kinds there are."""
    gc.collect()
    return Counter(o.__class__ for o in gc.get_objects() if o.__class__ in {State, Op, Program, Executable})


def states_in_tries() -> int:
    """States that the traces of all threads know."""
    waiting = [root for trace in list(TRACES) for root in trace.roots.values()]
    count = 0
    while waiting:
        state = waiting.pop()
        count += 1
        waiting.extend(state.next.values())
    return count


def growing_chain(i: int) -> Any:
    y = ones()
    for _ in range(i):
        y = y + y
    return y


def growing_shape(i: int) -> Any:
    return ones(i + 1) * 2


def growing_dead_code(i: int) -> Any:
    x = ones()
    y = x
    for _ in range(i):
        y = y - x
    return x * 3


def new_functions(i: int) -> Any:
    tag = f"number {i}"
    return x10.lazy(lambda v: v + len(tag))(ones())


def new_classes(i: int) -> Any:
    class Model:
        def __call__(self, v: Any) -> Any:
            return v + i

    return x10.lazy(Model())(ones())


def new_live_sets(i: int) -> Any:
    values = [ones() + 1, ones() * 2, ones() - 3]
    return values[i % 3], ones().reshape(1, 2, *[1] * (i % 20))


LOOPS: list[Callable[[int], Any]] = [growing_chain, growing_shape, growing_dead_code, new_functions, new_classes, new_live_sets]


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_never_repeats_a_trace_is_bounded(loop: Callable[[int], Any]) -> None:
    before = alive()
    for i in range(PASSES):
        kept = loop(i)
        x10.barrier()
        del kept
    grown = alive() - before
    assert len(STORE) <= FEW_PROGRAMS
    assert grown[Executable] <= FEW_PROGRAMS
    assert states_in_tries() <= FEW_STATES + 2 * PASSES  # the longest trace comes on top
    assert grown[State] <= FEW_STATES + 2 * PASSES
    assert grown[Program] <= FEW_STATES


def test_values_that_are_kept_keep_no_program_alive() -> None:
    before = alive()
    kept = []
    for i in range(PASSES):
        kept.append(growing_chain(i))
        x10.barrier()
    grown = alive() - before
    assert grown[Executable] <= FEW_PROGRAMS
    assert grown[State] <= FEW_STATES + 2 * PASSES
    assert [float(t[0]) for t in kept[:8]] == [2.0**i for i in range(8)]


def test_what_threads_recorded_goes_with_them() -> None:
    def work() -> None:
        y = ones() * 5
        x10.barrier()
        assert np.asarray(y).tolist() == [5, 5]

    def in_a_thread() -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    in_a_thread()
    before = alive()
    assert compiles(lambda: [in_a_thread() for _ in range(20)]) == []
    grown = alive() - before
    assert (grown[State], grown[Program]) == (0, 0)


def test_the_programs_used_last_stay_known() -> None:
    x = ones()

    def steady() -> None:
        y = x * 2 + 1
        x10.barrier()
        assert np.asarray(y).tolist() == [3, 3]

    def other(i: int) -> None:
        kept = growing_dead_code(i)
        x10.barrier()
        del kept

    steady()
    for i in range(PASSES):  # makes far more states than may be kept
        other(i)
        steady()
    assert compiles(steady) == []
    assert rejoined(steady) == []


def test_what_was_pruned_is_found_again_by_its_graph() -> None:
    x = ones()

    def steady() -> None:
        y = x * 2 + 1
        x10.barrier()
        assert np.asarray(y).tolist() == [3, 3]

    steady()
    COUNT.most = 2
    prune(STORE)
    assert compiles(steady) == []
    COUNT.most = 2
    prune(STORE)
    assert len(rejoined(steady)) == 1


def test_pruning_while_another_thread_records_loses_nothing() -> None:
    recorded, pruned = threading.Event(), threading.Event()
    found: list[Any] = []

    def work() -> None:
        y = ones() * 7
        recorded.set()
        pruned.wait()
        y = y + 1
        x10.barrier()
        found.append(np.asarray(y).tolist())

    thread = threading.Thread(target=work)
    thread.start()
    recorded.wait()
    COUNT.most = 0
    prune(STORE)
    pruned.set()
    thread.join()
    assert found == [[8, 8]]


def test_a_program_that_had_to_go_is_compiled_again_and_says_why() -> None:
    def make(i: int) -> None:
        kept = x10.numpy.full((i + 1,), 1.0)
        x10.barrier()
        del kept

    for i in range(FEW_PROGRAMS + 1):
        make(i)
    (cause,) = causes(lambda: make(0))
    assert (cause.kind, cause.old) == ("evicted", f"room for {FEW_PROGRAMS} programs")
    assert "XLA_COMPILATION_CACHE_SIZE" in cause.fix


def test_a_narrower_live_set_of_a_program_that_had_to_go_is_compiled_again() -> None:
    # It used to be served by the program that was gone, which the store then did not find.
    x = ones()

    def step(*, keep: bool) -> None:
        first = x * 3
        second = first + 1
        if not keep:
            del first
        x10.barrier()
        assert np.asarray(second).tolist() == [4, 4]

    step(keep=True)
    step(keep=False)
    for i in range(FEW_PROGRAMS):
        kept = x10.numpy.full((i + 1,), 1.0)
        x10.barrier()
        del kept
    assert len(compiles(lambda: step(keep=False))) == 1


def test_a_lower_limit_holds_at_once_on_a_known_path_too() -> None:
    x = ones()

    def chain(to: int = 24) -> Any:
        y = x
        for _ in range(to):
            y = y + y
        return y

    def cuts(run: Callable[[], Any]) -> list[str]:
        with listening() as events:
            run()
        return [e.why for e in events if isinstance(e, Cut)]

    def read() -> None:
        assert np.asarray(chain()).tolist() == [2.0**24] * 2

    for _ in range(2):
        assert cuts(read) == ["read"]
    with x10.config(XLA_TRIM_GRAPH_SIZE=11):
        for _ in range(2):
            assert cuts(read) == ["limit", "limit", "read"]
        assert COUNT.states == states_in_tries()
    assert cuts(read) == ["read"]
    half = chain(20)

    def go_on() -> None:
        with x10.config(trim_graph_size=11):
            assert np.asarray(half + half).tolist() == [2.0**21] * 2

    assert cuts(go_on) == ["limit", "read"]


def test_a_lower_limit_holds_at_once_under_a_known_gradient() -> None:
    x = ones()

    def loss(v: Any) -> Any:
        for _ in range(8):
            v = v * v
        return v.sum()

    def slope() -> list[float]:
        return np.asarray(x10.grad(loss)(x)).tolist()

    want = [slope() for _ in range(3)]
    with x10.config(trim_graph_size=9), listening() as events:
        assert [slope(), slope()] == want[:2]
    assert [e.ops for e in events if isinstance(e, Cut) and e.ops > 9] == []
    assert "limit" in {e.why for e in events if isinstance(e, Cut)}


def test_the_size_is_looked_at_only_so_often() -> None:
    x = x10.tensor(np.ones(2, np.float32))

    def lengths() -> list[int]:
        with listening() as events:
            y = x
            for _ in range(40):
                y = y + y
            assert np.asarray(y).tolist() == [2.0**40] * 2
        return [e.ops for e in events if isinstance(e, Cut)]

    size = sum(lengths())
    with x10.config(trim_graph_size=11):
        assert set(lengths()[:-1]) == {10}  # each begins with a leaf
        with x10.config(XLA_TRIM_GRAPH_CHECK_FREQUENCY=10):
            assert set(lengths()[:-1]) == {19}
        with x10.config(XLA_TRIM_GRAPH_CHECK_FREQUENCY=5, XLA_TRIM_GRAPH_SIZE=5):
            assert max(lengths()) == 4
        with x10.config(XLA_TRIM_GRAPH_CHECK_FREQUENCY=5000):
            assert lengths() == [size]
    assert lengths() == [size]


def test_a_thread_that_begins_later_has_the_same_limit() -> None:
    limits: list[int] = []
    with x10.config(trim_graph_size=11, trim_graph_check_frequency=4):
        thread = threading.Thread(target=lambda: limits.append(LOCAL.trace.limit))
        thread.start()
        thread.join()
    assert limits == [12]
