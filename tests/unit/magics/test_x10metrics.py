"""`%x10metrics` in IPython's core, with the runtime's own metrics."""

import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import plotly.graph_objects as go
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import x10_jupyter as x10
from pages import assert_survives, cells
from runtime import forget
from stage import Stage, Turns
from x10_jupyter.magics.install import install, uninstall
from x10_jupyter.magics.x10metrics import MetricsMagics
from x10_jupyter.metrics.facts import Report
from x10_jupyter.metrics.legend import meanings
from x10_jupyter.session.watch import Watch

Run = Callable[[str], str]


@pytest.fixture
def run(shell: InteractiveShell, stage: Stage) -> Iterator[Run]:
    """Runs a cell; returns what it printed, or the error."""
    forget()
    x10.clear_metrics()

    def cell(text: str) -> str:
        with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
            shell.run_cell(text, store_history=True)
        return stdout.getvalue() + stderr.getvalue()

    install(shell, stage.capture, stage.live)
    cell("import x10_jupyter as x10; import numpy as np; x = x10.tensor(np.ones(3, np.float32))")
    yield cell
    uninstall(shell)
    x10.clear_metrics()


STEP = "x = x + 1; x10.barrier(wait=True)"


def counters(text: str) -> dict[str, int]:
    return dict(x10.parse_report(text).counters)


def test_alone_it_prints_the_pages_report(run: Run) -> None:
    run(STEP)
    text = run("%x10metrics")
    assert text == x10.metrics_report() + "\n"
    assert counters(text)["MarkStep"] == 1


def test_names_and_patterns(run: Run) -> None:
    run(STEP)
    assert counters(run("%x10metrics MarkStep")) == {"MarkStep": 1}
    found = x10.parse_report(run("%x10metrics Transfer* x10::*"))
    assert list(found.metrics) == ["TransferToDeviceTime", "TransferToServerTime"]
    assert list(found.counters) == ["x10::add"]
    assert run("%x10metrics TrimIrGraph") == "Nothing was counted.\n"
    run(STEP)
    assert list(counters(run("%x10metrics *CachedSyncTensors"))) == ["CachedSyncTensors"], "a capital is one"


def test_an_unknown_name_is_told_with_those_near(run: Run) -> None:
    assert "There is no counter or metric of this name; got `CompilTime`. Did you mean CompileTime" in run("%x10metrics CompilTime")
    assert "Did you mean MarkStep?" in run(f"{STEP}\n%x10metrics marksetp")
    assert "`%x10metrics --legend` lists them." in run("%x10metrics qqqqqq")


def test_what_has_moved_since_it_was_last_used(run: Run) -> None:
    run(STEP)
    assert counters(run("%x10metrics --diff"))["MarkStep"] == 1
    run(f"{STEP}\n{STEP}")
    text = run("%x10metrics --diff MarkStep")
    assert text.splitlines() == ["Since %x10metrics was last used:", "Counter: MarkStep", "  Value: 2"]
    assert run("%x10metrics --diff MarkStep").splitlines()[1:] == ["Nothing was counted."]


def test_what_this_cell_has_done_or_the_one_above(run: Run, shell: InteractiveShell) -> None:
    run(STEP)
    number = shell.execution_count
    assert run(f"{STEP}\n{STEP}\n%x10metrics --since cell MarkStep").splitlines() == [f"Since cell [{number}] began:", "Counter: MarkStep", "  Value: 2"]
    run(f"{STEP}\n{STEP}\n{STEP}")
    assert run("%x10metrics --since cell MarkStep").splitlines() == [f"Since cell [{number + 1}] began:", "Counter: MarkStep", "  Value: 3"]


def test_since_loading(run: Run) -> None:
    run(STEP)
    assert counters(run("%x10metrics --since load"))["MarkStep"] == 1


@pytest.mark.parametrize("style", ["x10", "torch_xla", "json", "openmetrics"])
def test_each_style(run: Run, style: str) -> None:
    run(STEP)
    text = run(f"%x10metrics --style {style}")
    assert text == x10.metrics_report(style) + "\n"
    assert counters(run(f"%x10metrics --since load --style {style}"))["MarkStep"] == 1


def test_resetting_shows_first(run: Run) -> None:
    run(STEP)
    assert counters(run("%x10metrics --reset"))["MarkStep"] == 1
    assert run("%x10metrics") == "Nothing was counted.\n"


@pytest.mark.parametrize("how", ["%x10metrics --reset", "x10.clear_metrics()"])
def test_what_has_moved_since_it_was_cleared(run: Run, how: str) -> None:
    run(f"{STEP}\n{STEP}\n%x10metrics MarkStep\n{how}")
    run("for _ in range(5): x10.barrier()")
    for since in ("--diff", "--since load"):
        text = run(f"%x10metrics MarkStep {since}")
        assert text.startswith("Since all was cleared, after ")
        assert counters(text) == {"MarkStep": 5}
        x10.clear_metrics()
        run("for _ in range(5): x10.barrier()")


def test_bound_to_a_variable(run: Run, shell: InteractiveShell) -> None:
    run(STEP)
    run("%x10metrics --out before")
    run(STEP)
    assert isinstance(shell.user_ns["before"], Report)
    rows = [" ".join(row.split()) for row in run("print(x10.compare_reports(before, x10.metrics_report()))").splitlines()]
    assert "MarkStep Value 1 → 2 (+100.0%)" in rows


def test_the_legend(run: Run) -> None:
    run(STEP)
    text = run("%x10metrics ExecuteTime --legend")
    assert "Metric: ExecuteTime" in text
    assert "778ms / second is 78 % of the time" in " ".join(text.split())
    assert "CompileTime " not in text
    x10.clear_metrics()
    assert all(name in run("%x10metrics --legend") for name in meanings())


def test_the_legend_of_names_is_about_them_also_if_nothing_was_counted(run: Run) -> None:
    def explained(text: str) -> set[str]:
        return {name for name in meanings() if f"\n{name} " in text}

    run(STEP)
    assert explained(run("%x10metrics TrimIrGraph --legend")) == {"TrimIrGraph"}
    assert explained(run("%x10metrics MarkStep TrimIr* --legend")) == {"MarkStep", "TrimIrGraph"}
    assert explained(run("%x10metrics x10::never --legend")) == {"x10::…"}


def test_help_shows_nothing_else(run: Run) -> None:
    text = run("%x10metrics -h")
    assert "--since {cell,load}" in text
    assert "Counter:" not in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--loud", "unrecognized arguments: --loud"),
        ("--style html", "invalid choice: 'html'"),
        ("--since step", "invalid choice: 'step'"),
        ("--out 3", "%x10metrics binds the report to a variable; got `-o 3`"),
        ("--diff --since cell", "%x10metrics takes one of --diff and --since; got both."),
        ("'MarkStep", "No closing quotation"),
    ],
)
def test_what_it_does_not_take(run: Run, line: str, message: str) -> None:
    assert message in run(f"%x10metrics {line}")


def completions(shell: InteractiveShell, line: str) -> list[str]:
    """What a kernel offers at the end of a line."""
    assert shell.Completer is not None
    with provisionalcompleter():
        return [found.text for found in shell.Completer.completions(line, len(line))]


def test_completion(run: Run, shell: InteractiveShell) -> None:
    assert "CompileTime" in completions(shell, "%x10metrics Comp")
    assert {"--since", "--style"} <= set(completions(shell, "%x10metrics --s"))
    assert {"cell", "load"} <= set(completions(shell, "%x10metrics --since "))
    assert "openmetrics" in completions(shell, "%x10metrics --style op")


def test_no_cell_is_listened_to_after_unloading(run: Run, shell: InteractiveShell) -> None:
    assert any("begin_cell" in repr(each) for each in shell.events.callbacks["pre_run_cell"])
    uninstall(shell)
    assert not any("begin_cell" in repr(each) for each in shell.events.callbacks["pre_run_cell"])
    assert "not found" in run("%x10metrics")


def displayed(run: Run, line: str) -> dict[str, Any]:
    """What a cell displays, by MIME type."""
    with capture_output() as captured:
        run(line)
    (output,) = captured.outputs
    return output.data


def test_a_chart_has_percentiles_and_samples_and_the_text_beside(run: Run, shell: InteractiveShell) -> None:
    run(f"{STEP}\n{STEP}")
    data = displayed(run, "%x10metrics --chart ExecuteTime MarkStep --out figure")
    left, right = data["application/vnd.plotly.v1+json"]["data"]
    assert (left["name"], left["x"][4], len(right["y"])) == ("ExecuteTime", "50 %", 2)
    samples: Any = x10.metric_data("ExecuteTime")
    assert right["y"] == pytest.approx([ns / 1e9 for _, ns in samples[2]])
    assert left["y"][4] == pytest.approx(sorted(right["y"])[1])
    assert data["text/plain"].startswith("Metric: ExecuteTime")
    assert "ExecuteTime" in assert_survives(data["text/html"]).words
    assert isinstance(shell.user_ns["figure"], go.Figure)


def test_a_chart_of_what_has_moved(run: Run) -> None:
    run(f"{STEP}\n{STEP}\n{STEP}")
    run("%x10metrics MarkStep")
    run(STEP)
    _, right = displayed(run, "%x10metrics --chart LazyTracing --diff")["application/vnd.plotly.v1+json"]["data"]
    assert len(right["y"]) == 1


def test_what_has_no_samples_cannot_be_drawn(run: Run) -> None:
    run(STEP)
    text = run("%x10metrics --chart MarkStep")
    assert "%x10metrics draws metrics, which have samples; got none" in text
    assert "Counter: MarkStep" in text


def test_without_plotly_the_extra_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run(STEP)
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    assert "UsageError: A chart needs the package `plotly`" in run("%x10metrics --chart")


@pytest.fixture
def magics(run: Run, shell: InteractiveShell, stage: Stage) -> MetricsMagics:
    """The magics; what they watch is looked at when the test says so."""
    found: MetricsMagics = shell.magics_manager.registry["MetricsMagics"]
    found.make_ticker = lambda: stage.turns
    return found


def test_what_is_watched_goes_on_while_other_cells_run(run: Run, magics: MetricsMagics, stage: Stage) -> None:
    run(STEP)
    data = displayed(run, "%x10metrics --watch MarkStep LazyTracing")
    assert data["text/plain"].startswith("Metric: ")
    assert "application/vnd.jupyter.widget-view+json" in data
    assert magics.watched is not None
    dashboard, _ = magics.watched
    assert cells(dashboard.counters.value)[1:] == [["MarkStep", "1", ""]]
    run(f"{STEP}\n{STEP}")
    stage.turns.turn()
    assert cells(dashboard.counters.value)[1:] == [["MarkStep", "3", "+2"]]
    (trace,) = dashboard.figure.data
    samples: Any = x10.metric_data("LazyTracing")
    assert trace.y[4] == pytest.approx(sorted(ns / 1e9 for _, ns in samples[2])[1])
    x10.clear_metrics()
    run("for _ in range(5): x10.barrier()")
    stage.turns.turn()
    assert cells(dashboard.counters.value)[1:] == [["MarkStep", "5", "+5"]]


def test_watching_ends_when_it_begins_anew_or_is_to_end_or_with_the_extension(run: Run, magics: MetricsMagics, shell: InteractiveShell, stage: Stage) -> None:
    ended: list[Watch] = []
    for ending in ("%x10metrics --watch", "%x10metrics --no-watch", None):
        if magics.watched is None:
            displayed(run, "%x10metrics --watch")
        assert magics.watched is not None
        dashboard, watch = magics.watched
        stage.turns = Turns()
        uninstall(shell) if ending is None else run(ending)
        ended.append(watch)
        assert not watch.is_on
        assert dashboard.box.comm is None
        assert all(not one.is_on for one in ended)
    assert magics.watched is None


def test_two_ways_at_once_are_refused(run: Run) -> None:
    assert "takes one of --chart, --watch and --no-watch; got --chart and --watch." in run("%x10metrics --chart --watch")
