from factories import read
from x10_jupyter.records.events import Event
from x10_jupyter.records.sink import FanOut, ListSink


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


def test_a_sink_that_fails_is_dropped_and_the_others_go_on() -> None:
    fan, good = FanOut(), ListSink()
    fan.add(Broken())
    fan.add(good)
    fan.emit(read(0, 1))
    fan.emit(read(2, 3))
    assert len(good.events) == 2
    assert [str(error) for error in fan.errors] == ["full"]
    assert fan.sinks == (good,)
