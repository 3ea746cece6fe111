from pages import assert_survives, cells
from x10_jupyter.metrics.instruments import CounterSnapshot, Metric
from x10_jupyter.views.watched import MOST, watched

HEADER = ["counter", "now", "since it is watched"]


def test_what_has_moved_comes_first() -> None:
    now = {name: CounterSnapshot(name, value) for name, value in (("CachedCompile", 1200), ("MarkStep", 7), ("x10::add", 3))}
    made = watched(now, {"CachedCompile": 1200, "MarkStep": 4})
    assert cells(made) == [HEADER, ["MarkStep", "7", "+3"], ["x10::add", "3", "+3"], ["CachedCompile", "1,200", ""]]


def test_of_two_names_for_the_same_the_first_and_no_metric() -> None:
    now = {name: CounterSnapshot(name, 1) for name in ("CachedCompile", "CachedSyncTensors")}
    assert cells(watched({**now, "CompileTime": Metric("time").snapshot("CompileTime")}, {})) == [HEADER, ["CachedCompile", "1", "+1"]]


def test_counters_that_were_cleared_have_begun_anew() -> None:
    assert cells(watched({"MarkStep": CounterSnapshot("MarkStep", 2)}, {"MarkStep": 9}))[1] == ["MarkStep", "2", "+2"]


def test_nothing_counted() -> None:
    assert "Nothing was counted yet." in watched({}, {})


def test_names_are_text_and_not_endless() -> None:
    now = {f"x10::<b>{i}": CounterSnapshot(f"x10::<b>{i}", 1) for i in range(MOST + 5)}
    page = assert_survives(watched(now, {}))
    assert "x10::<b>0" in page.words
    assert "and 5 more" in page.words
