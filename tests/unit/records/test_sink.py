import sys
from threading import Thread

import pytest

from factories import compiling, dumped, graphed, read
from x10_jupyter.records.events import Event
from x10_jupyter.records.sink import LOG, FanOut, ListSink


class Broken:
    def emit(self, event: Event) -> None:
        raise RuntimeError("full")


def test_everyone_who_listens_gets_every_event() -> None:
    fan, one, other = FanOut(), ListSink(), ListSink()
    assert not fan
    fan.add(one)
    fan.emit(read(0, 1))
    fan.add(other)
    fan.emit(read(2, 3))
    fan.remove(one)
    fan.emit(read(4, 5))
    assert [event.start_ns for event in one.events] == [0, 2]
    assert [event.start_ns for event in other.events] == [2, 4]
    assert fan


def test_one_that_never_listened_may_be_removed() -> None:
    FanOut().remove(ListSink())


def test_a_sink_that_fails_is_dropped_and_the_others_go_on_and_the_log_tells_it_once(caplog: pytest.LogCaptureFixture) -> None:
    fan, other, good, broken = FanOut(), FanOut(), ListSink(), Broken()
    for one in (fan, other):
        one.add(broken)
        one.add(good)
    for one in (fan, fan, other):
        one.emit(read(0, 1))
    assert len(good.events) == 3
    assert (fan.sinks, other.sinks) == ((good,), (good,))
    assert [fan.failure(broken), other.failure(broken), fan.failure(good)] == ["RuntimeError: full", "RuntimeError: full", ""]
    assert caplog.messages == ["Broken failed, so it hears no more of what happens, and what it holds is not complete: RuntimeError: full"]
    fan.remove(broken)
    assert fan.failure(broken) == ""
    fan.add(broken)
    fan.emit(read(0, 1))
    assert len(caplog.messages) == 2, "it listened anew"


def test_a_log_that_fails_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no disk")

    monkeypatch.setattr(LOG, "warning", refuse)
    fan = FanOut()
    fan.add(Broken())
    fan.emit(read(0, 1))
    assert not fan


def test_costly_events_go_to_those_who_ask_for_them_and_what_is_asked_for_is_known() -> None:
    fan, plain, graphs, both = FanOut(), ListSink(), ListSink(), ListSink()
    fan.add(plain)
    assert not fan.wanted
    fan.add(graphs, ["graphs", "hlo"])
    fan.add(both, ["graphs", "dumps"])
    assert fan.wanted == {"graphs", "hlo", "dumps"}
    for event in (read(0, 1), graphed(2, 3), dumped(4, 5)):
        fan.emit(event)
    assert [[event.start_ns for event in sink.events] for sink in (plain, graphs, both)] == [[0], [0, 2], [0, 2, 4]]
    fan.remove(graphs)
    assert fan.wanted == {"graphs", "dumps"}
    fan.emit(graphed(6, 7))
    assert (len(graphs.events), len(both.events)) == (2, 4)
    fan.remove(both)
    assert not fan.wanted


def test_one_that_asks_and_fails_is_dropped_with_what_it_asked_for() -> None:
    fan = FanOut()
    fan.add(Broken(), ["graphs"])
    fan.emit(graphed())
    assert (fan.wanted, fan.sinks) == (frozenset(), ())


def test_what_has_only_begun_is_told_to_those_who_ask() -> None:
    events, plain, asking = FanOut(), ListSink(), ListSink()
    events.add(plain)
    events.add(asking, ["begun"])
    assert events.wanted == {"begun"}
    events.emit(compiling(0))
    assert (plain.events, asking.events) == ([], [compiling(0)])


def test_sinks_that_come_and_go_on_several_threads_do_not_lose_each_other() -> None:
    events = FanOut()

    def come_and_go() -> None:
        for _ in range(2000):
            sink = ListSink()
            events.add(sink)
            events.remove(sink)

    staying = [ListSink() for _ in range(200)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread = Thread(target=come_and_go)
        thread.start()
        for sink in staying:
            events.add(sink)
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert events.sinks == tuple(staying)


def test_a_producer_hears_when_somebody_begins_or_ceases_to_listen() -> None:
    seen: list[int] = []
    events = FanOut(lambda: seen.append(len(events.sinks)))
    one, other = ListSink(), ListSink()
    for change, sink in ((events.add, one), (events.add, other), (events.remove, one), (events.remove, other)):
        change(sink)
    assert seen == [1, 2, 1, 0]
