"""The demo notebooks run, and say what their text promises."""

import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

DEMOS = Path(__file__).parents[2] / "demo_notebooks"
NAMES = sorted(path.name for path in DEMOS.glob("*.ipynb"))


@cache
def executed(name: str) -> NotebookNode:
    notebook = nbformat.read(DEMOS / name, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(DEMOS)}}).execute()
    return notebook


def texts(notebook: NotebookNode) -> list[str]:
    """Everything a reader sees as plain text, cell by cell."""
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    return ["\n".join(output.get("text") or output.data["text/plain"] for output in cell) for cell in outputs]


def views(notebook: NotebookNode) -> list[str]:
    return [text for text in texts(notebook) if "\ntotals " in text]


@pytest.mark.parametrize("name", NAMES)
def test_is_committed_without_outputs(name: str) -> None:
    notebook = nbformat.read(DEMOS / name, as_version=4)
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in notebook.cells)


@pytest.mark.parametrize("name", NAMES)
def test_runs_from_top_to_bottom_without_a_word_on_stderr(name: str) -> None:
    outputs = [output for cell in executed(name).cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if output.get("name") == "stderr"] == []


def test_digits_are_learned() -> None:
    found = re.findall(r"accuracy on unseen images ([\d.]+)%", "\n".join(texts(executed("01_lazy_digits.ipynb"))))
    assert len(found) == 3
    assert min(map(float, found)) > 95


def test_the_smaller_batch_is_named_as_the_cause_and_a_filled_one_compiles_nothing() -> None:
    full, smaller, filled, _ = views(executed("01_lazy_digits.ipynb"))
    assert re.search(r"full batches: 2 programs compiled in .*, 121 steps in ", full)
    assert "recompile" not in full
    assert re.search(r"smaller last batch: 1 program compiled in .*, 124 steps in ", smaller)
    assert re.search(r"last recompile: .*shape f32\[32,64\] → f32\[17,64\] at cell \[3\] line \d+", smaller)
    assert "filled last batch: Nothing compiled, 124 steps in " in filled


def test_a_model_and_an_optimiser_from_libraries_are_one_program() -> None:
    library = views(executed("01_lazy_digits.ipynb"))[3]
    assert re.search(r"from libraries: 2 programs compiled in .*, 121 steps in ", library)
    assert "recompile" not in library
