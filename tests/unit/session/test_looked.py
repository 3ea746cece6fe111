from collections.abc import Sequence
from dataclasses import fields, replace

import pytest

from factories import MS, capture, graph, program, staged
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.records.program import Level, Program
from x10_jupyter.session import looked as module
from x10_jupyter.session.looked import ELSEWHERE, MOST, MOST_NS, Looked, at_the_end, to_save
from x10_jupyter.session.result import Capture


class Looking:
    """Finds out whatever is asked for, and notes it."""

    def __init__(self, clock: ManualClock | None = None) -> None:
        self.asked: list[tuple[str, tuple[Level, ...]]] = []
        self.clock = clock

    def __call__(self, name: str, levels: Sequence[Level] = ()) -> Program:
        self.asked.append((name, tuple(levels)))
        if self.clock is not None:
            self.clock.advance(MOST_NS // 4)
        graphs = tuple(replace(graph(), level=level) for level in levels)
        return program(name, graphs=graphs, texts={level: f"text of {level}" for level in levels})


def test_what_was_found_is_not_looked_for_again() -> None:
    look = Looking()
    looked = Looked(look=look)
    first = looked.at("jit(step)", ["hlo"])
    assert looked.at("jit(step)", ["hlo"]) is first
    assert looked.at("jit(step)") is first
    both = looked.at("jit(step)", ["hlo", "jaxpr"])
    assert [each.level for each in both.graphs] == ["jaxpr", "hlo"]
    assert look.asked == [("jit(step)", ("hlo",)), ("jit(step)", ("jaxpr",))]
    assert looked.known == {"jit(step)": both}


def test_where_the_programs_are_not_only_what_was_seen_is_known() -> None:
    seen = program(graphs=(replace(graph(), level="hlo"),), texts={"hlo": "HloModule"})
    looked = Looked([seen])
    assert looked.at("jit(step)", ["hlo"]) is seen
    assert looked.at("jit(step)", ["jaxpr"]).missing == {"jaxpr": ELSEWHERE}
    assert looked.at("jit(other)").cost is None
    assert looked.known == {"jit(step)": seen}


def test_at_the_end_those_that_took_longest_are_looked_at() -> None:
    events = [staged(number * 10 * MS, number * 10 * MS + number, program=f"jit(f).{number}") for number in range(1, MOST + 5)]
    events += [staged(0, 9 * MS, program="jit(sin)", is_eager=True), staged(0, 9 * MS), staged(0, 9 * MS, "trace")]
    look = Looking()
    found = at_the_end(events, look, ManualClock())
    assert [each.name for each in found] == [f"jit(f).{number}" for number in range(MOST + 4, 4, -1)]
    assert look.asked[0][1] == ()


def test_at_the_end_no_more_time_is_taken_than_there_is() -> None:
    events = [staged(number * MS, number * MS + 5, program=f"jit(f).{number}") for number in range(1, 11)]
    clock = ManualClock()
    assert len(at_the_end(events, Looking(clock), clock)) == 4
    assert len(at_the_end(events, Looking(clock), clock, ["jaxpr"])) == 10, "graphs that are asked for may take longer"


def test_what_is_saved_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = replace(graph(), level="hlo"), replace(graph(*graph().nodes * 5), level="jaxpr")
    monkeypatch.setattr(module, "MOST_NODES", 7)
    monkeypatch.setattr(module, "MOST_LETTERS", 15)
    (found, other) = to_save([program(graphs=(large, small), texts={"hlo": "ten chars.", "jaxpr": "x" * 3000}), program("jit(f)", texts={"hlo": "ten chars."})])
    assert (found.graphs, found.texts) == ((small,), {"hlo": "ten chars."})
    assert found.missing == {"jaxpr": "It was too large to be saved: 15 nodes. Its text was too large to be saved: 2.93 KiB."}
    assert (other.texts, other.missing) == ({}, {"hlo": "Its text was too large to be saved: 10 B."})
    assert (found.cost, other.cost) == (program().cost, program().cost)


def test_of_a_capture() -> None:
    record, look = capture(staged(0, 5, program="jit(step)"), programs=(program(),)), Looking()
    made = Capture(**{each.name: getattr(record, each.name) for each in fields(record)})
    assert made.program("jit(step)") == program()
    made.keep_looking(look)
    assert made.saved() is made
    assert made.program("jit(step)", "hlo").texts == {"hlo": "text of hlo"}
    assert [each.level for each in made.graphs] == ["hlo"]
    assert [each.texts for each in made.saved().programs] == [{"hlo": "text of hlo"}]
    assert made.programs == (program(),), "the record itself stays as it was"
