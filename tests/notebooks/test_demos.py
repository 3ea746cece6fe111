"""The demo notebooks run, and say what their text promises."""

import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

DEMOS = Path(__file__).parents[2] / "demo_notebooks"
MISTAKES = ["%x10config XLA_SAVE_TENSORS_FMT=png"]
"""Cells that show what an error says."""
WARNED = ("%%x10trace lambda in a loop", "%%x10trace static counter", "%%x10trace growing list")
"""Cells that compile again and again, of which is warned while they run."""
NAMES = sorted(path.name for path in DEMOS.glob("*.ipynb"))


@cache
def executed(name: str) -> NotebookNode:
    notebook = nbformat.read(DEMOS / name, as_version=4)
    with tempfile.TemporaryDirectory() as folder:  # where the files that it writes belong
        NotebookClient(notebook, timeout=300, coalesce_streams=True, resources={"metadata": {"path": folder}}).execute()
    return notebook


def texts(notebook: NotebookNode) -> list[str]:
    """Everything a reader sees as plain text, cell by cell."""
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    return ["\n".join(output.get("text") or output.data["text/plain"] for output in cell) for cell in outputs]


def text_below(name: str, start: str) -> str:
    """What a reader sees as plain text below the cell that begins so."""
    cells = [cell for cell in executed(name).cells if cell.cell_type == "code"]
    (text,) = [text for cell, text in zip(cells, texts(executed(name)), strict=True) if cell.source.startswith(start)]
    return text


def data_below(name: str, start: str) -> dict[str, Any]:
    """What stands below the cell that begins so, by MIME type."""
    (output,) = [output for cell in executed(name).cells if cell.source.startswith(start) for output in cell.outputs]
    return output.data


def views(notebook: NotebookNode) -> list[str]:
    return [text for text in texts(notebook) if "\ntotals " in text]


@pytest.mark.parametrize("name", NAMES)
def test_is_committed_without_outputs(name: str) -> None:
    notebook = nbformat.read(DEMOS / name, as_version=4)
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in notebook.cells)


@pytest.mark.parametrize("name", NAMES)
def test_runs_from_top_to_bottom_without_a_word_on_stderr(name: str) -> None:
    cells = [cell for cell in executed(name).cells if cell.source not in MISTAKES and not cell.source.startswith(WARNED)]
    assert [output for cell in cells for output in cell.get("outputs", []) if output.get("name") == "stderr"] == []


@pytest.mark.parametrize("start", WARNED)
def test_recompiles_that_keep_coming_are_warned_of_once(start: str) -> None:
    (cell,) = [cell for cell in executed("03_why_did_it_recompile.ipynb").cells if cell.source.startswith(start)]
    (warning,) = [output.text for output in cell.outputs if output.get("name") == "stderr"]
    assert re.search(r"\.py:\d+: CompileWarning: `.+` is compiled again and again: 6 times in ", warning)
    assert warning.count("CompileWarning") == 1


def test_digits_are_learned() -> None:
    found = re.findall(r"accuracy on unseen images ([\d.]+)%", "\n".join(texts(executed("01_lazy_digits.ipynb"))))
    assert len(found) == 3
    assert min(map(float, found)) > 95


def test_the_smaller_batch_is_named_as_the_cause_and_a_filled_one_compiles_nothing() -> None:
    full, smaller, filled, _ = views(executed("01_lazy_digits.ipynb"))
    assert re.search(r"full batches: \d+ % of .*; 2 programs compiled in .*, 121 steps in ", full)
    assert "again" not in full
    assert re.search(r"smaller last batch: .* again: `x` shape f32\[32,64\] → f32\[17,64\] at cell \[3\] line \d+", smaller)
    assert re.search(r"\nsteps +124 steps, median .*, longest .* \(number 42: compile\)", smaller)
    assert re.search(r"filled last batch: .* 124 steps in ", filled)
    assert "\ncompiled " not in filled


def test_a_model_and_an_optimiser_from_libraries_are_one_program() -> None:
    library = views(executed("01_lazy_digits.ipynb"))[3]
    assert re.search(r"from libraries: \d+ % of .*; 2 programs compiled in .*, 121 steps in ", library)
    assert "again" not in library


def test_graphs_charts_and_a_report_that_is_read_again() -> None:
    name = "01_lazy_digits.ipynb"
    assert re.search(r"\n2 +\w+ +30 +step_1 +120 × +barrier\(\) at cell \[3\] line 31\n", text_below(name, "%x10graph smaller"))
    assert text_below(name, "%x10graph --diff").splitlines()[1:3] == ["was i32[32], at cell [3] line 19", "is  i32[17], at cell [3] line 19"]
    assert {"application/vnd.plotly.v1+json", "text/html"} <= set(data_below(name, "chart = smaller.chart"))
    assert re.match(r"digits.html: 4 captures, \d+ KiB", text_below(name, "%x10report"))
    assert text_below(name, "again = ").splitlines() == ["Pad `x` to 32 rows, or drop the last, smaller batch.", "True"]


def below(start: str) -> str:
    return text_below("02_troubleshooting.ipynb", start)


def test_the_report_of_a_slow_loop_tells_what_is_wrong() -> None:
    report = below("x10.PrintX10Metrics()")
    assert "Metric: CompileTime\n  TotalSamples: 2\n" in report
    assert "Metric: TransferFromServerTime\n  TotalSamples: 15\n" in report  # one read a step
    assert "Counter: cause::shape\n  Value: 1\n" in report
    changed = below("names = ")
    assert re.search(r"TransferFromServerTime +TotalSamples +15 → 1 ", changed)
    assert re.search(r"UncachedSyncTensors +Value +2 → 1 ", changed)
    assert "total=202, sum=369401746001" in below("page = ")


def test_the_slow_loop_is_traced_and_drawn() -> None:
    assert re.search(r"slow loop: \d+ % of .* again, 2 times: `x` shape f32\[60,64\] → f32\[12,64\] at cell \[2\] line 13", below("%%x10trace"))
    for start in ("%x10metrics --chart", "slow_loop.chart"):
        assert {"application/vnd.plotly.v1+json", "text/html"} <= set(data_below("02_troubleshooting.ipynb", start))


def test_what_compiled_again_is_explained() -> None:
    explained = below("%x10explain")
    assert "`x` shape f32[60,64] → f32[12,64] at cell [2] line 13" in explained
    assert "Pad `x` to 60 rows, or drop the last, smaller batch." in explained
    logged = below("%x10config XLA_LOG_GRAPH_CHANGES=1")
    assert "Found different shape: f32[50,64]{1,0} vs f32[60,64]{1,0} for:" in logged
    assert "Cause: shape (x): f32[60,64] -> f32[50,64]" in logged


def test_graphs_are_logged_in_each_form() -> None:
    assert "%2 = f32[4,64]{1,0} x10::mul(%0, %1)" in below('log = folder / "trace.log"')
    assert below('log.unlink()\nwith x10.config(XLA_SAVE_TENSORS_FMT="hlo")').startswith("HloModule ")
    assert below('log.unlink()\nwith x10.config(XLA_SAVE_TENSORS_FMT="dot")').startswith(("digraph G {", "<IPython.core.display.Image"))
    assert below("log.unlink()\nfor rows in (4, 3)") == "%0: shape: f32[4,64] -> f32[3,64]\n"


def test_what_xla_cannot_express_is_named_and_counted() -> None:
    assert "Cut: `nonzero`, which XLA cannot express" in below("log.unlink()\n\n\ndef positive")
    assert "  positive (cell [" in below("log.unlink()\n\n\ndef positive")
    assert below("%x10metrics fallback::*") == "Counter: fallback::nonzero\n  Value: 1\n"
    assert "Counter: TrimIrGraph\n  Value: 4\n" in below("%x10metrics TrimIrGraph")


def test_switches_do_what_they_say() -> None:
    assert below("value = np.float32(1.001)") == "full      1.001\nbfloat16  1.0 float32\n"
    assert re.search(r"made a nan .* by `log` at cell \[\d+\] line 3", below("def careless"))
    assert "must be one of text, hlo, dot, stablehlo, jaxpr; got png" in below(MISTAKES[0])


FAULTS = {
    "partial batch": ("shape of image: f32[64,64] → f32[40,64]. Drop the last batch if it is not full (drop_remainder or drop_last), or pad it to 64.", 1),
    "weak type": ("weak_type of mean: ", 1),
    "lambda in a loop": ("function_rebuilt of <lambda>. Define the lambda and its jit once", 7),
    "static counter": ("static_argument of count: 0 → 1. Pass `count` as an array, so that", 7),
    "growing list": ("pytree of losses: list of 1 → list of 2. Make `losses` one array, preallocated or padded", 9),
}
"""What makes JAX compile again: what is said of it, and how often it happens."""


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_ordinary_jax_is_found_and_its_repair_compiles_nothing_again(fault: str) -> None:
    name = "03_why_did_it_recompile.ipynb"
    said, times = FAULTS[fault]
    assert text_below(name, f'compare("{fault}"').startswith(f"compiled again: {times} times before, 0 times after; ")
    assert re.search(rf"^{fault}, [\d.]+ s: {re.escape(said)}", text_below(name, "for fault, capture in"), re.MULTILINE)
    assert re.search(r" % recompile, [\d.]+ m?s: In `.+`, at cell \[\d+\] line \d+: ", text_below(name, f"%%x10trace {fault}"))
