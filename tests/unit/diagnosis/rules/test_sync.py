import pytest

from factories import MS, OTHER, capture, cut, executed, read, site, traced
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.records.events import Event
from x10_jupyter.records.findings import Finding


def syncs(*events: Event, end_ns: int = 100 * MS) -> list[Finding]:
    end_ns = max([end_ns, *[event.end_ns for event in events]])
    return [one for one in findings(capture(*events, end_ns=end_ns)) if one.kind == "sync"]


def loop(steps: int = 10, python: int = 5, device: int = 4) -> list[Event]:
    """Each step records, launches, waits for the device and reads."""
    events: list[Event] = []
    for start in range(0, 10 * steps, 10):
        launch = (start + python) * MS
        events += [traced(start * MS, launch), executed(launch, launch, launch + device * MS), read(launch, launch + (device + 1) * MS)]
    return events


def test_a_loop_that_reads_each_step_waits_for_what_could_have_run_beside_python() -> None:
    (one,) = syncs(*loop())
    assert (one.share, one.site) == (0.46, site(9)), (
        "4 of 5 ms wait for a device that is idle afterwards while Python records, but at the end; and 1 is copying"
    )
    assert one.title == "waiting for float() of f32[] at cell [4] line 9, 10 times"
    assert one.advice == "In `train`, at cell [4] line 9: keep the value on the device, and read it after the loop or once in many steps."
    assert one.evidence_for == ("10 reads kept Python for 50.0 ms, 40.0 ms of it while programs were running.", "The middle one took 5.00 ms.")
    assert one.evidence_against == ("For 4.00 ms of it the device had no idle time to make up for: it would be waited for elsewhere, and is not counted.",)


def test_more_than_the_device_was_idle_is_not_lost() -> None:
    (one,) = syncs(*loop(50, python=1, device=8))
    assert one.seconds == pytest.approx(0.050 + 0.049), "1 ms of copying each, and 1 ms up to the next launch"
    assert one.evidence_against == ("For 351 ms of it the device had no idle time to make up for: it would be waited for elsewhere, and is not counted.",)


def test_a_device_that_never_rests_is_no_fault_of_who_waits_for_it() -> None:
    launches = [executed(start * MS, start * MS, (start + 10) * MS) for start in range(0, 100, 10)]
    assert syncs(*launches, *[read((start + 2) * MS, (start + 10) * MS) for start in range(0, 100, 10)]) == []


def test_several_lines_share_what_can_be_gained() -> None:
    steps = [executed(start * MS, start * MS, (start + 8) * MS) for start in range(0, 200, 20)]
    reads = [read((start + begin) * MS, (start + begin + 4) * MS, site=site(line)) for start in range(0, 200, 20) for begin, line in ((0, 9), (4, 10))]
    made = syncs(*steps, *reads)
    assert [(one.site, one.seconds) for one in made] == [(site(10), 0.036)], "only what follows the second of them rests"


def test_where_nobody_tells_what_the_device_does_all_of_the_wait_counts_and_says_so() -> None:
    (one,) = syncs(*[read(start * MS, (start + 6) * MS) for start in range(0, 100, 10)])
    assert one.share == 0.6
    assert one.evidence_against == ("Whether the device was busy meanwhile is not known; if it always was, the same time is waited for at the end.",)


def test_reads_that_cut_a_trace_say_so() -> None:
    (one,) = syncs(*loop(20), *[cut(start * MS, start * MS, why="read", how="float()", site=site(9)) for start in range(5, 205, 10)])
    assert "20 traces ended here, so that what follows is another program." in one.evidence_for


def test_what_is_none() -> None:
    assert syncs(*[read(start * MS, start * MS + MS // 4) for start in range(0, 100, 10)]) == []
    assert syncs(*[read(start * MS, (start + 6) * MS, thread=OTHER) for start in range(0, 100, 10)]) == []


@pytest.mark.parametrize(
    "events",
    [
        [traced(0, 30 * MS), executed(30 * MS, 30 * MS, 95 * MS), read(30 * MS, 95 * MS, ready_ns=95 * MS)],
        [traced(0, 30 * MS), executed(30 * MS, 30 * MS, 95 * MS), *[read(start * MS, (start + 20) * MS) for start in (35, 55, 75)]],
        [executed(0, 0, 60 * MS), read(0, 60 * MS, ready_ns=60 * MS), traced(60 * MS, 99 * MS)],
        [read(0, 90 * MS, ready_ns=90 * MS)],
        [read(0, 90 * MS, ready_ns=20 * MS)],
        [read(0, 90 * MS, ready_ns=90 * MS, is_jax=True)],
        [read(start * MS, (start + 30) * MS, ready_ns=(start + 30) * MS, is_jax=True, is_sampled=True, aval="") for start in (0, 30, 60)],
    ],
    ids=["at the end of a loop", "several values there", "followed by Python alone", "of a run nobody told of", "of little data", "of ordinary JAX", "seen"],
)
def test_a_read_that_stands_alone_waits_for_the_model_and_is_no_fault(events: list[Event]) -> None:
    assert syncs(*events) == []


def test_a_single_read_that_keeps_the_device_idle_is_told_without_a_loop() -> None:
    (one,) = syncs(executed(0, 0, 60 * MS), read(0, 60 * MS, ready_ns=60 * MS), executed(130 * MS, 130 * MS, 135 * MS), end_ns=200 * MS)
    assert (one.title, one.seconds) == ("waiting for float() of f32[] at cell [4] line 9", 0.060)
    assert one.advice == "In `train`, at cell [4] line 9: read it after what follows has been launched, so that the device works meanwhile."


def test_a_single_large_copy_is_told_as_one() -> None:
    (one,) = syncs(executed(0, 0, 10 * MS), read(0, 90 * MS, ready_ns=10 * MS, how="numpy", aval="f32[8000,8000]", size_bytes=256_000_000))
    assert (one.title, one.seconds) == ("waiting for numpy of f32[8000,8000] at cell [4] line 9", 0.080)
    assert one.advice == "In `train`, at cell [4] line 9: bring less of it to the host, such as a part, or a mean that the device has computed."


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
