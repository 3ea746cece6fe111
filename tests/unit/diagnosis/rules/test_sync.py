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


def jitted(steps: int = 500, python: int = 2, device: int = 2, **fields: object) -> list[Event]:
    """Each step of ordinary JAX launches after some Python, unseen, and waits for its loss."""
    each = python + device
    starts = [(step * each + python) * MS for step in range(steps)]
    return [read(start, start + device * MS, ready_ns=start + device * MS, is_jax=True, **fields) for start in starts]


def test_a_loop_of_ordinary_jax_that_reads_each_step_is_told_how_often_to_read() -> None:
    made = capture(*jitted(beside_ns=0), end_ns=2_000 * MS)
    (one,) = [found for found in findings(made) if found.kind == "sync"]
    assert one.title == "waiting for float() of f32[] at cell [4] line 9, 500 times"
    assert one.advice == "In `train`, at cell [4] line 9: keep the value on the device, and read it every 50 steps or after the loop."
    assert one.seconds == 2 * 499 / 1000, "the last read is not followed by any"
    assert one.evidence_for[0] == "500 reads kept Python for 1.00 s, 1.00 s of it while programs were running."
    assert one.evidence_against[0] == "When ordinary JAX launches a program nobody tells, so the device may have been idle for less between two waits."


def test_ordinary_reads_after_which_the_device_goes_on_at_once_are_no_fault() -> None:
    assert syncs(*jitted(1, python=10, device=90, beside_ns=None)) == [], "at the end of a cell"
    epochs = jitted(5, python=10, device=10, beside_ns=10 * MS)
    assert syncs(*epochs) == [], "the device worked for all of an epoch while Python launched it"


def test_of_a_device_that_is_not_the_host_little_is_counted() -> None:
    made = capture(*jitted(4, python=100, device=100), end_ns=800 * MS)
    assert [one for one in findings(made) if one.kind == "sync"] == []
    made = capture(*jitted(100, python=4, device=4), end_ns=800 * MS)
    (one,) = [found for found in findings(made) if found.kind == "sync"]
    assert one.seconds == 4 * 99 / 1000
    assert one.evidence_against[1] == "What the device did there is not known, either; of each time between two waits at most 10.0 ms are counted."


def test_a_wait_without_a_read_has_its_own_advice() -> None:
    made = capture(*jitted(100, how=".block_until_ready()", beside_ns=0), end_ns=400 * MS)
    (one,) = [found for found in findings(made) if found.kind == "sync"]
    assert one.advice == "In `train`, at cell [4] line 9: leave out the wait, which is needed only to measure time; what reads a value waits for it by itself."


def test_what_was_only_seen_says_so() -> None:
    seen = [read(start * MS, (start + 10) * MS, ready_ns=(start + 10) * MS, is_jax=True, is_sampled=True, how="np.asarray()", aval="") for start in (0, 15, 30)]
    (one,) = syncs(*seen)
    assert one.title == "waiting for np.asarray() at cell [4] line 9"
    assert one.evidence_for == ("The thread was seen to stand here for 30.0 ms, using hardly any CPU, while an array of JAX was not ready.",)
    assert one.evidence_against[0].startswith("It is sampled: nobody tells of such reads")
