"""What a session asks of whoever makes events."""

from factories import traced
from x10_jupyter.records.sink import FanOut, ListSink
from x10_jupyter.session.producer import Producer


def test_a_producer_is_where_its_events_go_and_how_to_wait_for_them() -> None:
    waited: list[bool] = []
    sink, producer = ListSink(), Producer(events=FanOut(), drain=lambda: waited.append(True))
    producer.events.add(sink)
    producer.events.emit(traced(0, 1))
    producer.drain()
    assert (sink.events, waited) == ([traced(0, 1)], [True])
