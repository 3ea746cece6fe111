from factories import MS, OTHER, capture, cut, executed, retraced, site, traced
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.diagnosis.rules.tracing_bound import LOOP, claims
from x10_jupyter.records.events import Event


def loop(device: int = 1, times: int = LOOP) -> list[Event]:
    """Steps of 10 ms, of which 6 are recorded."""
    return [
        each for at in range(0, times * 10, 10) for each in (traced(at * MS, (at + 6) * MS), executed((at + 6) * MS, (at + 6) * MS, (at + 6 + device) * MS))
    ]


def test_recording_longer_than_the_device_works_is_told() -> None:
    (one,) = findings(capture(*loop(), retraced(3), retraced(4)))
    assert (one.kind, one.share, one.site) == ("tracing_bound", 0.6, site(7))
    assert one.title == "Python recording 100 operations, most of them cut at cell [4] line 7"
    assert one.evidence_for == ("Recording took 60.0 ms, and the device worked for 10.0 ms.", "`scores` was traced again 2 times, since it reads Tokenizer.")
    assert one.advice.startswith("In `train`, at cell [4] line 7: record fewer operations")


def test_what_is_none() -> None:
    assert claims(capture(*loop(device=7))) == [], "the device takes as long"
    assert claims(capture(*loop(times=LOOP - 1))) == [], "no loop"
    assert claims(capture(*[traced(at * MS, (at + 6) * MS, thread=OTHER) for at in range(0, 100, 10)])) == []
    assert claims(capture()) == []


def test_a_path_that_is_recorded_for_the_first_time_says_nothing_of_the_others() -> None:
    new = [cut((at + 6) * MS, (at + 6) * MS, is_known=False) for at in range(0, 100, 10)]
    assert claims(capture(*loop(), *new[:1])) == claims(capture(*loop(), *new)) == [], "nine are too few"
    known = [traced(at * MS, (at + 2) * MS) for at in range(0, 100, 10)]
    assert claims(capture(*known, *loop(), *new))[0].evidence_for[0] == "Recording took 20.0 ms, and the device worked for 10.0 ms."
