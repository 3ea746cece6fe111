from factories import MS, OTHER, capture, collected, compiled
from x10_jupyter.diagnosis.engine import findings


def test_all_passes_are_one_finding() -> None:
    (one,) = findings(capture(collected(0, 6 * MS), collected(10 * MS, 12 * MS, generation=0, collected=0)))
    assert (one.kind, one.share) == ("gc", 0.08)
    assert one.title == "Python's garbage collector, 1 full pass of 2"
    assert one.evidence_for == ("2 passes looked at objects, 1 of them at all there are.",)
    assert one.evidence_against == ("They freed 40 objects, which would stay longer.",)


def test_while_something_is_compiled_it_counts_for_itself() -> None:
    made = findings(capture(compiled(0, 50 * MS), collected(10 * MS, 20 * MS)))
    assert [(one.kind, one.share) for one in made] == [("warm_up", 0.4), ("gc", 0.1)]


def test_what_is_none() -> None:
    assert findings(capture(collected(0, 4 * MS))) == ()
    assert findings(capture(collected(0, 60 * MS, thread=OTHER))) == ()
