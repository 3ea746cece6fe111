from collections.abc import Sequence
from dataclasses import replace

from factories import MS, capture, device, executed, holding, read, sampled, site, staged, stepped, weighed
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.findings import Finding
from x10_jupyter.records.process_events import Held, Staged
from x10_jupyter.views.answer import answer

MIB = 1 << 20


def run(*counts: int, each: int = MIB, other: int = 4 * MIB, steps: int = 0, apart: int = 100 * MS, more: Sequence[Event] = ()) -> Capture:
    """A capture at whose moments so many arrays of one line were there, and some of another line."""
    last = len(counts) - 1
    moments = ["beginning", *["between"] * (last - 1), "end"]
    known = list(zip(moments, counts, strict=True))
    rows = [(at * apart, moment, (holding(each * number, number), holding(other, 2, line=9))) for at, (moment, number) in enumerate(known)]
    events = [*weighed(*rows), *[stepped(at * MS, (at + 1) * MS, at) for at in range(steps)], *more]
    return capture(*events, end_ns=last * apart)


def growth(made: Capture) -> list[Finding]:
    return [one for one in findings(made) if one.kind == "memory_growth"]


def test_a_loop_that_keeps_one_array_more_at_each_turn() -> None:
    (one,) = growth(run(0, 4, 8, 12, 16, steps=8))
    assert (one.size_bytes, one.share, one.seconds, one.site) == (16 * MIB, 0.8, 0.0, site(7))
    assert one.title == "memory that keeps growing at cell [4] line 7, 16.0 MiB by 16 arrays"
    assert (
        one.advice == "In `train`, at cell [4] line 7: keep what you need of these arrays on the host, by `float()` or `np.asarray()`, and let go of the rest."
    )
    assert one.evidence_for == (
        "There were 0 (0 B) of its arrays at the beginning, then 4 (4.00 MiB), 8 (8.00 MiB), 12 (12.0 MiB), "
        "and 16 (16.0 MiB) at the end; never fewer than before.",
        "That is 2.00 MiB a step, and 16.0 MiB of the 20.0 MiB that devices held at the end.",
    )
    assert one.evidence_against


def test_a_pause_is_no_end_of_it() -> None:
    assert growth(run(0, 4, 8, 8, 12, 16, 20, 24, 24))


def test_what_is_compiled_first_is_no_pause() -> None:
    assert growth(run(0, 0, 0, 0, 0, 0, 0, 4, 8, 12, 16))
    assert growth(run(0, 0, 0, 0, 0, 0, 0, 8, 16)) == [], "too few moments since then"


def test_without_steps_it_is_told_by_time() -> None:
    assert "That is 40.0 MiB in a second" in growth(run(0, 4, 8, 12, 16))[0].evidence_for[1]


def test_what_is_built_once_is_none() -> None:
    assert growth(run(0, 8, 16, 16, 16, 16, 16)) == [], "at the beginning"
    assert growth(run(0, 0, 0, 0, 0, 16)) == [], "at the end"
    assert growth(run(0, 2, 4, 5, 7)) == [], "a few arrays"


def test_a_short_loop_is_one_if_something_else_came_as_often() -> None:
    short = (0, 4, 8, 12, 16)
    reads = [read(at * MS, at * MS + 1) for at in range(8)]
    assert growth(run(*short, apart=10 * MS, steps=8))
    assert growth(run(*short, apart=10 * MS, more=reads))
    assert growth(run(*short, apart=10 * MS)) == [], "it may make the state of a model"
    assert growth(run(*short, apart=10 * MS, more=reads[1:])) == []
    assert growth(run(*short, apart=10 * MS, more=[read(at * MS, at * MS + 1, site=site(at)) for at in range(8)])) == []
    assert growth(run(0, *short, apart=10 * MS, more=reads[:7])) == [], "these came before it grew"


def test_arrays_for_each_of_which_a_program_was_compiled_are_none_of_a_loop() -> None:
    def compiles(number: int) -> list[Staged]:
        place = site(7, function="train.<locals>.<listcomp>")
        return [staged(at * 50 * MS, (at * 50 + 40) * MS, is_eager=True, site=place) for at in range(number)]

    assert growth(run(0, 4, 8, 12, 16, more=compiles(8))) == []
    assert growth(run(0, 4, 8, 12, 16, more=compiles(7)))
    assert growth(run(0, 4, 8, 12, 16, more=[*compiles(4), *[replace(event, site=site(8)) for event in compiles(8)]]))


def test_when_nothing_is_known_of_the_middle_nobody_can_tell_when_it_became_more() -> None:
    moments = [(0, "beginning", 0), (10, "between", 5), (20, "between", 10), (100, "between", 20), (300, "between", 30), (1000, "end", 40)]
    rows = [(at * MS, moment, (holding(number * MIB, number),)) for at, moment, number in moments]
    assert growth(capture(*weighed(*rows), end_ns=1000 * MS)) == []


def test_what_is_let_go_again_is_none() -> None:
    assert growth(run(0, 4, 8, 2, 16, 20)) == []
    assert growth(run(0, 4, 8, 12, 0)) == []


def test_what_is_little_is_none() -> None:
    assert growth(run(0, 4, 8, 12, 16, each=1000)) == [], "less than a mebibyte"
    assert growth(run(0, 4, 8, 12, 16, other=400 * MIB)) == [], "less than a twentieth"


def test_with_too_few_moments_nobody_can_tell() -> None:
    assert growth(run(0, 8, 16)) == []
    assert growth(capture()) == []


def test_larger_arrays_in_the_same_number_are_no_loop_that_keeps_them() -> None:
    rows = [(at * 10 * MS, moment, (holding((at + 1) * MIB, 8),)) for at, moment in enumerate(("beginning", "between", "between", "between", "end"))]
    assert growth(capture(*weighed(*rows))) == []


def test_where_the_beginning_is_not_known_nothing_is_claimed() -> None:
    events = [event for event in run(0, 4, 8, 12, 16).events if event.start_ns > 0]
    assert growth(capture(*events, end_ns=400 * MS)) == []


def test_when_a_device_will_be_full_is_told_where_it_tells_how_much_there_is() -> None:
    made = run(0, 4, 8, 12, 16)
    first, last = [device(20 * MIB, 18, allocated_bytes=at * MIB, limit_bytes=100 * MIB) for at in (10, 26)]
    between = [event for event in made.events if 0 < event.start_ns < 40 * MS]
    ends = [event for event in made.events if isinstance(event, Held) and event not in between]
    events = [sampled(0, first), *between, sampled(40 * MS, last), *ends]
    (one,) = growth(capture(*sorted(events, key=lambda event: event.start_ns), end_ns=40 * MS))
    assert one.evidence_for[2] == "If it goes on so, the 100 MiB of CPU:0 are full in 185 ms."


def test_it_stands_behind_what_took_time_and_ends_that_there_is_nothing_to_fix() -> None:
    model = executed(0, 40 * MS, 40 * MS)
    alone = capture(model, end_ns=40 * MS)
    assert answer(alone).startswith("Nothing to fix: 100 % of 40.0 ms was the model running")
    both = capture(model, *run(0, 4, 8, 12, 16).events, end_ns=40 * MS)
    assert [one.kind for one in findings(both)] == ["healthy", "memory_growth"]
    assert answer(both).startswith("100 % of 40.0 ms was the model running; memory that keeps growing at cell [4] line 7, 16.0 MiB by 16 arrays")
