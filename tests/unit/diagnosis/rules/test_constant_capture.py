import pytest

from factories import MS, OTHER, capture, compiled, site, sized
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.records.events import Event
from x10_jupyter.records.findings import Finding
from x10_jupyter.records.size import Baked

MIB = 1 << 20
TABLE = Baked(name="table", aval="f32[1024,1024]", size_bytes=4 * MIB, site=site(3))
OTHERS = Baked(name="", aval="f32[512,512]", size_bytes=MIB, site=None)
PHASES = {"trace": 10 * MS, "lower": 10 * MS, "compile": 30 * MS}


def captured(*events: Event) -> list[Finding]:
    return [one for one in findings(capture(*events)) if one.kind == "constant_capture"]


def small(at_ns: int = 0, *baked: Baked, **fields: object) -> Event:
    return sized(at_ns, ops=5, lines=(), baked=baked, baked_bytes=sum(one.size_bytes for one in baked), **fields)


def test_arrays_that_a_program_holds_are_told_with_name_size_and_line() -> None:
    (one,) = captured(small(0, TABLE, OTHERS), compiled(0, 50 * MS, phases=PHASES))
    assert one.title == "compiling `train` with 5.00 MiB of arrays baked in: `table` f32[1024,1024], f32[512,512]"
    assert one.advice == "In `train`, at cell [4] line 3: pass `table` as an argument, so that the program does not hold it."
    assert one.evidence_for == (
        "`table`, f32[1024,1024], 4.00 MiB, is a constant of `train` at cell [4] line 3.",
        "the array, f32[512,512], 1.00 MiB, is a constant of `train`.",
        "1 program of `train` holds 5.00 MiB beside the arrays themselves.",
    )
    assert (one.share, one.site) == (0.4, site(3)), "tracing is none of it"


def test_more_than_what_the_data_can_cost_is_not_counted() -> None:
    made = capture(small(0, OTHERS), compiled(0, 900 * MS), end_ns=1_000 * MS)
    assert [(one.kind, one.seconds) for one in findings(made)] == [("constant_capture", 0.1)]


def test_each_program_of_a_function_holds_them() -> None:
    (one,) = captured(small(0, TABLE), compiled(0, 20 * MS), small(30 * MS, TABLE), compiled(30 * MS, 50 * MS))
    assert "2 programs of `train` hold 8.00 MiB beside the arrays themselves." in one.evidence_for


@pytest.mark.parametrize(
    "events",
    [
        [small(0, Baked(name="bias", aval="f32[512]", size_bytes=MIB - 1, site=None)), compiled(0, 60 * MS)],
        [small(0, TABLE, thread=OTHER), compiled(0, 60 * MS, thread=OTHER)],
        [small(0, TABLE), compiled(0, 4 * MS)],
        [sized(0), compiled(0, 60 * MS)],
    ],
    ids=["little data", "another thread", "no time", "no data"],
)
def test_what_is_none(events: list[Event]) -> None:
    assert captured(*events) == []
