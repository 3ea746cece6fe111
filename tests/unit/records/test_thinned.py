import json
from dataclasses import replace

from factories import capture, read
from made_up import example
from x10_jupyter.records import wire
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.thinned import Instrument, Sum, Thinned


def test_it_is_saved_with_its_capture() -> None:
    made = capture(end_ns=100, thinned=replace(example(Thinned), until_ns=60, time={"read": 20, "python": 40}))
    assert wire.capture(json.loads(json.dumps(wire.document(made))), Capture) == made


def test_a_counter_has_no_samples() -> None:
    made = Instrument(name="MarkStep", kind="counter", total=3)
    assert (made.sum, made.samples) == (0, ())


def test_a_sum_stands_for_all_that_did_the_same() -> None:
    stand_in = Sum(event=read(0, 1), times=7, time={})
    assert [times for _, times in capture(read(5, 6), thinned=replace(example(Thinned), sums=(stand_in,))).counted(type(stand_in.event))] == [7, 1]
