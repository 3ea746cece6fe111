import threading
from dataclasses import replace

from factories import MS, capture, read, stepped, traced
from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Stepped
from x10_jupyter.session.bounded import BoundedSink
from x10_jupyter.session.result import Capture


def bounded(events: list[Event], *, most: int = 200, at_once: int = 50) -> BoundedSink:
    sink = BoundedSink(most=most, at_once=at_once)
    sink.begin(thread=1, start_ns=0)
    for event in events:
        sink.emit(event)
        assert len(sink.events) <= most + 1
    return sink


def loop(steps: int) -> list[Event]:
    events: list[Event] = []
    for index in range(steps):
        start = index * MS
        events += [traced(start, start + MS // 4), read(start + MS // 2, start + MS), stepped(start, start + MS, index)]
    return events


def captured(sink: BoundedSink, end_ns: int) -> Capture:
    plain = capture(*sorted(sink.events, key=lambda event: event.start_ns), end_ns=end_ns, thinned=sink.thinned())
    return Capture(**{name: getattr(plain, name) for name in plain.__dataclass_fields__})


def test_a_long_loop_has_the_totals_and_metrics_of_all_of_it() -> None:
    events = loop(1_000)
    made, whole = captured(bounded(events), 1_000 * MS), captured(bounded(events, most=10_000), 1_000 * MS)
    assert (whole.thinned, made.thinned is not None) == (None, True)
    assert (made.time, made.step_count, made.step_time, made.metrics) == (whole.time, 1_000, whole.step_time, whole.metrics)
    assert len(made.events) <= 201


def test_few_events_are_all_there() -> None:
    sink = bounded(loop(20))
    assert (len(sink.events), sink.thinned()) == (60, None)


def test_when_it_is_closed_all_that_comes_is_held() -> None:
    sink = bounded(loop(60))
    sink.close()
    held = len(sink.events)
    for event in loop(100):
        sink.emit(event)
    assert len(sink.events) == held + 300


def test_what_other_threads_tell_meanwhile_is_not_lost() -> None:
    sink = BoundedSink(most=400, at_once=100)
    sink.begin(thread=1, start_ns=0)

    def tell(thread: int) -> None:
        for index in range(2_000):
            sink.emit(replace(read(index, index + 1), thread=thread))

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(2, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = sink.thinned()
    gone = found.counts.get("Read", 0) if found else 0
    assert gone + len(sink.events) == 8_000


def test_what_belongs_to_another_capture_is_not_summed_up() -> None:
    sink = BoundedSink(most=200, at_once=50)
    sink.begin(thread=1, start_ns=0, own=lambda events: [event for event in events if event.thread == 1])
    for event in loop(1_000):
        sink.emit(event)
        sink.emit(replace(event, thread=2))
    made, whole = captured(sink, 1_000 * MS), captured(bounded(loop(1_000)), 1_000 * MS)
    assert made.thinned is not None and whole.thinned is not None
    assert (made.step_count - sum(event.thread == 2 for event in made.kinds.of(Stepped)), made.time) == (1_000, whole.time)
