from pages import assert_survives, cells
from x10_jupyter.metrics.instruments import CounterSnapshot, Metric, Snapshot
from x10_jupyter.views.watched import MOST, watched

HEADER = ["counter", "now", "since it is watched"]


def counters(**values: int) -> dict[str, Snapshot]:
    return {name: CounterSnapshot(name, value) for name, value in values.items()}


def test_what_has_moved_comes_first() -> None:
    now = counters(CachedCompile=1200, MarkStep=7, TrimIrGraph=3)
    made = watched(now, counters(MarkStep=3, TrimIrGraph=3))
    assert cells(made) == [HEADER, ["MarkStep", "7", "+3"], ["TrimIrGraph", "3", "+3"], ["CachedCompile", "1,200", ""]]


def test_of_two_names_for_the_same_the_first_and_no_metric() -> None:
    now = {**counters(CachedCompile=1, CachedSyncTensors=1), "CompileTime": Metric("time").snapshot("CompileTime")}
    assert cells(watched(now, now)) == [HEADER, ["CachedCompile", "1", "+1"]]


def test_nothing_counted() -> None:
    assert "Nothing was counted yet." in watched({}, {})


def test_names_are_text_and_not_endless() -> None:
    now = {f"x10::<b>{i}": CounterSnapshot(f"x10::<b>{i}", 1) for i in range(MOST + 5)}
    page = assert_survives(watched(now, {}))
    assert "x10::<b>0" in page.words
    assert "and 5 more" in page.words
