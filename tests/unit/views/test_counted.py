from captures import training
from factories import MS, capture, compiled, counted, cut, fell_back
from pages import assert_survives, cells
from x10_jupyter.metrics.registry import folded
from x10_jupyter.metrics.table import ROWS
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.runtime_events import Content
from x10_jupyter.views.counted import MOST, NOTABLE
from x10_jupyter.views.counted import counted as view


def test_each_counter_once_with_what_it_counted() -> None:
    made = training()
    rows = cells(view(folded(made.events)))[1:]
    expected = {
        "cause::shape": 1,
        "fallback::nonzero": 1,
        "CachedCompile": 40,
        "ExecuteComputation": 40,
        "MarkStep": 40,
        "cause::first": 1,
    }
    assert {name: int(change) for name, change, _ in rows} == expected
    assert all(means for _, _, means in rows)


def test_what_all_of_a_family_count_is_said_once() -> None:
    content = Content(recorded={"add": 1, "mul": 7, "sub": 2}, nodes=3, numbers=0)
    rows = cells(view(folded([cut(0, 1, content=content)])))[2:]
    assert [(name, bool(means)) for name, _, means in rows] == [("x10::mul", True), ("x10::sub", False), ("x10::add", False)]


def test_what_tells_of_something_to_look_at_comes_first() -> None:
    evicted = Cause(kind="evicted")
    compiles = [compiled(0, 5), compiled(5, 9, cause=evicted), compiled(9, 12, cause=evicted)]
    made = capture(*compiles, cut(0, 1, why="limit"), cut(1, 2, is_known=False), fell_back(1, 2), counted(3, {"CreateXlaTensor": 9}))
    section = view(folded(made.events))
    assert "Counters: cause::evicted +2, fallback::nonzero +1, TrimIrGraph +1, 4 others" in assert_survives(section).words
    assert [row[0] for row in cells(section)[1:]] == [
        "cause::evicted", "fallback::nonzero", "TrimIrGraph", "UncachedCompile", "CachedCompile", "CreateXlaTensor", "cause::first",
    ]  # fmt: skip


def test_operations_come_last_the_most_frequent_first() -> None:
    content = Content(recorded={"add": 1, "<b>": 7}, nodes=3, numbers=0)
    assert [row[:2] for row in cells(view(folded([cut(0, 1, content=content)])))[2:]] == [["x10::<b>", "+7"], ["x10::add", "+1"]]


def test_endless_counters_are_counted() -> None:
    content = Content(recorded={f"op{which}": 1 for which in range(500)}, nodes=3, numbers=0)
    section = view(folded([cut(0, MS, content=content)]))
    assert len(cells(section)) == MOST + 1
    assert f"and {501 - MOST} others" in assert_survives(section).words


def test_nothing_counted() -> None:
    assert view({}) == ""


def test_what_is_notable_is_in_the_table_of_counters() -> None:
    assert set(NOTABLE) <= {row.names[0] for row in ROWS if row.kind == "counter"}
