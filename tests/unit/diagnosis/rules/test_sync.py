from factories import MS, OTHER, capture, cut, executed, read, site, traced
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.records.events import Event
from x10_jupyter.records.findings import Finding


def syncs(*events: Event) -> list[Finding]:
    return [one for one in findings(capture(*events)) if one.kind == "sync"]


def loop(steps: int = 10, python: int = 5, device: int = 4) -> list[Event]:
    """Each step records, launches, waits for the device and reads."""
    events: list[Event] = []
    for start in range(0, 10 * steps, 10):
        launch = (start + python) * MS
        events += [traced(start * MS, launch), executed(launch, launch, launch + device * MS), read(launch, launch + (device + 1) * MS)]
    return events


def test_a_loop_that_reads_each_step_waits_for_what_could_have_run_beside_python() -> None:
    (one,) = syncs(*loop())
    assert (one.share, one.site) == (0.5, site(9)), "4 of 5 ms wait for a device that is idle while Python records, and 1 is copying"
    assert one.title == "waiting for float() of f32[] at cell [4] line 9, 10 times"
    assert one.advice == "In `train`, at cell [4] line 9: keep the value on the device, and read it after the loop or once in many steps."
    assert one.evidence_for == ("10 reads kept Python for 50.0 ms, 40.0 ms of it while programs were running.", "The middle one took 5.00 ms.")
    assert one.evidence_against == ("The device was busy for 40.0 ms of 100 ms; more than it was idle cannot be gained.",)


def test_more_than_the_device_was_idle_is_not_lost() -> None:
    (one,) = syncs(*loop(python=1, device=8))
    assert one.seconds == 0.01 + 0.02, "1 ms of copying each, and 2 ms in which the device was idle"
    assert one.evidence_against == ("For 60.0 ms of it the device had no idle time to make up for: it would be waited for elsewhere, and is not counted.",)


def test_a_device_that_never_rests_is_no_fault_of_who_waits_for_it() -> None:
    assert syncs(executed(0, 1, 100 * MS), read(0, 96 * MS)) == []


def test_several_lines_share_what_can_be_gained() -> None:
    made = syncs(executed(0, 0, 80 * MS), read(0, 40 * MS), read(40 * MS, 80 * MS, site=site(10)))
    assert [(one.site, one.share) for one in made] == [(site(9), 0.1), (site(10), 0.1)]


def test_where_nobody_tells_what_the_device_does_all_of_the_wait_counts_and_says_so() -> None:
    (one,) = syncs(read(0, 30 * MS))
    assert one.share == 0.3
    assert one.evidence_against == ("Whether the device was busy meanwhile is not known; if it always was, the same time is waited for at the end.",)


def test_reads_that_cut_a_trace_say_so() -> None:
    (one,) = syncs(cut(0, 1 * MS, why="read", how="float()", site=site(9)), read(0, 30 * MS))
    assert "1 trace ended here, so that what follows is another program." in one.evidence_for


def test_what_is_none() -> None:
    assert syncs(read(0, 4 * MS)) == []
    assert syncs(read(0, 60 * MS, thread=OTHER)) == []
