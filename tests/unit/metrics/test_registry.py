import threading

from factories import compiled, counted, cut, executed, fell_back, read, stepped, traced, transferred
from x10_jupyter.metrics import registry as module
from x10_jupyter.metrics.instruments import CounterSnapshot, MetricSnapshot
from x10_jupyter.metrics.registry import MOST_NAMES, OTHERS, Registry, folded
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Content


def test_events_become_counters_and_metrics() -> None:
    found = folded([stepped(0, 5), stepped(5, 9), executed(10, 12, 30), compiled(0, 50, phases={"compile": 20}, cause=Cause(kind="shape"))])
    assert found["MarkStep"] == CounterSnapshot("MarkStep", 2)
    assert found["ExecuteTime"] == MetricSnapshot("ExecuteTime", "time", 1, 20, ((30, 20),))
    assert found["CompileTime"] == MetricSnapshot("CompileTime", "time", 1, 20, ((50, 20),))
    assert found["cause::shape"] == CounterSnapshot("cause::shape", 1)
    assert list(found) == sorted(found)


def test_a_launch_waits_for_a_device_that_is_busy_and_for_nothing_else() -> None:
    inline, free = executed(100, 130, 130, began_ns=100), executed(200, 205, 290, began_ns=200)
    while_others_end, before_others_end = executed(300, 350, 400, began_ns=340), executed(360, 370, 480, began_ns=400)
    found = folded([inline, free, while_others_end, before_others_end])["DeviceLockWait"]
    assert found == MetricSnapshot("DeviceLockWait", "time", 4, 50, ((130, 0), (290, 0), (400, 40), (480, 10)))


def test_one_instrument_under_each_of_its_names() -> None:
    found = folded([cut(0, 1), cut(1, 2)])
    assert (found["CachedCompile"], found["CachedSyncTensors"]) == (CounterSnapshot("CachedCompile", 2), CounterSnapshot("CachedSyncTensors", 2))


def test_a_sample_of_nothing_is_one_and_a_count_of_nothing_is_none() -> None:
    found = folded([compiled(0, 5, aliases=0), cut(0, 1, program=None)])
    assert found["InputOutputAliasCount"] == MetricSnapshot("InputOutputAliasCount", "value", 1, 0, ((5, 0),))
    assert "CachedCompile" not in found


def test_what_a_producer_counts_itself() -> None:
    found = folded([counted(7, {"CreateXlaTensor": 3, "Unheard": 1})])
    assert found["CreateXlaTensor"] == CounterSnapshot("CreateXlaTensor", 3)
    assert "Unheard" not in found


def test_a_window() -> None:
    registry = Registry()
    for event in (stepped(0, 5), executed(0, 1, 4), fell_back(0, 1)):
        registry.emit(event)
    mark = registry.mark()
    for event in (stepped(5, 9), executed(5, 6, 8), transferred(0, 3)):
        registry.emit(event)
    found = registry.since(mark)
    assert found["MarkStep"] == CounterSnapshot("MarkStep", 1)
    assert found["ExecuteTime"] == MetricSnapshot("ExecuteTime", "time", 1, 3, ((8, 3),))
    assert found["fallback::nonzero"] == CounterSnapshot("fallback::nonzero", 0)
    assert found["TransferToDeviceTime"] == MetricSnapshot("TransferToDeviceTime", "time", 1, 3, ((3, 3),))
    assert found["TransferToDeviceTime"].sum == found["TransferToServerTime"].sum  # pyright: ignore[reportAttributeAccessIssue] # metrics, both


def test_clearing_begins_anew_also_for_an_open_window() -> None:
    registry = Registry()
    for event in (stepped(0, 5), executed(0, 1, 4)) * 3:
        registry.emit(event)
    mark = registry.mark()
    registry.clear()
    assert registry.snapshot() == {}
    for now in range(1, 9):  # also beyond what it had been
        registry.emit(stepped(0, 5))
        registry.emit(executed(0, 1, 4))
        found = registry.since(mark)
        assert found["MarkStep"] == CounterSnapshot("MarkStep", now)
        assert found["ExecuteTime"] == MetricSnapshot("ExecuteTime", "time", now, 4 * now, ((4, 4),) * now)
        assert found == registry.snapshot()


def test_names_of_one_family_are_bounded() -> None:
    registry = Registry()
    registry.emit(cut(0, 1, content=Content(recorded={f"f{i}": 1 for i in range(MOST_NAMES + 5)}, nodes=1, numbers=0)))
    found = [one for name, one in registry.snapshot().items() if name.startswith("x10::")]
    assert len(found) == MOST_NAMES + 1
    assert registry.snapshot()[f"x10::{OTHERS}"] == CounterSnapshot(f"x10::{OTHERS}", 5)


def test_threads_lose_no_count() -> None:
    registry, event = Registry(), traced(0, 3)

    def hammer() -> None:
        for _ in range(5000):
            registry.emit(event)

    threads = [threading.Thread(target=hammer) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    found = registry.snapshot()["LazyTracing"]
    assert isinstance(found, MetricSnapshot)
    assert (found.total, found.sum) == (20_000, 60_000)


def test_events_that_move_nothing_are_no_trouble() -> None:
    other: list[Event] = [read(0, 1)]
    assert set(folded(other)) == set()
    assert module.MOVED
