from factories import MS, OTHER, capture, compiled, executed, read, site, staged, throttled, waited
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.diagnosis.verdict import verdict


def test_nothing_is_to_fix_when_the_model_ran() -> None:
    (one,) = findings(capture(executed(0, 1 * MS, 97 * MS)))
    assert (one.kind, one.share, one.advice) == ("healthy", 0.97, "")
    assert one.evidence_for == ("Programs were executing for 97.0 ms of 100 ms.",)
    (one,) = findings(capture(executed(0, 92 * MS, 92 * MS)))
    assert (one.kind, one.share) == ("healthy", 0.92)


def test_a_launch_that_waits_is_no_fault_and_its_line_is_told() -> None:
    events = [throttled(0, 50 * MS), throttled(50 * MS, 60 * MS, function="report", site=site(9)), throttled(60 * MS, 96 * MS)]
    (one,) = findings(capture(*events, cpu_ns=4 * MS))
    assert (one.kind, one.share, one.title, one.advice) == ("healthy", 0.96, "the model running", "")
    told = "For 96.0 ms a launch was seen to wait, most of it `step` at cell [4] line 8: JAX lets only so many programs be in flight."
    assert one.evidence_for == ("Programs were executing for 96.0 ms of 100 ms.", told)


def test_it_is_not_content_with_less_than_nine_tenths() -> None:
    assert findings(capture(executed(0, 89 * MS, 89 * MS))) == ()


def test_a_small_fault_beside_it_is_told_after_it() -> None:
    made = findings(capture(compiled(0, 60 * MS), executed(60 * MS, 70 * MS, 1000 * MS), end_ns=1000 * MS))
    assert [(one.kind, one.share) for one in made] == [("healthy", 0.94), ("warm_up", 0.06)]


def test_a_fault_is_reason_enough_not_to_be_content() -> None:
    assert [one.kind for one in findings(capture(compiled(0, 100 * MS), executed(0, 1 * MS, 1000 * MS), end_ns=1000 * MS))] == ["warm_up"]


def test_a_read_that_only_waits_for_a_device_that_works_all_the_time_costs_nothing() -> None:
    assert [one.kind for one in findings(capture(executed(0, 1, 100 * MS), read(0, 50 * MS)))] == ["healthy"]


def test_what_nobody_can_explain_is_told_if_it_is_most() -> None:
    (one,) = findings(capture(cpu_ns=40 * MS))
    assert (one.kind, one.share, one.seconds) == ("unexplained", 0.6, 0.06)
    assert findings(capture(cpu_ns=60 * MS)) == ()
    assert verdict(capture(cpu_ns=60 * MS), []) == []


def test_where_it_waited_for_other_threads_is_told_as_far_as_nothing_else_explains_it() -> None:
    waits = [waited(0, 30 * MS, how=".join()"), waited(50 * MS, 70 * MS), waited(80 * MS, 90 * MS)]
    (one,) = findings(capture(*waits, staged(60 * MS, 95 * MS, thread=OTHER), cpu_ns=2 * MS))
    told = "For 40.0 ms it was seen to wait for other threads, most of it by .join() at cell [4] line 9; what they did meanwhile nobody tells."
    assert (one.kind, one.evidence_for[1:]) == ("unexplained", (told,))
