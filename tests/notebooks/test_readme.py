"""What README.md tells to write runs as it stands there."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

README = Path(__file__).parents[2] / "README.md"

GIVEN = """
import numpy as np
images, labels = np.random.default_rng(0).random((32, 64), np.float32), np.arange(32) % 10
def train(): x10.numpy.sin(x10.tensor(images)).sum().item()
"""


def test_the_examples_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where one of them keeps compiled programs
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 8
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(block) for block in [GIVEN, *blocks]])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()  # where the files that they write belong
    (view,) = [output for output in notebook.cells[2].outputs if output.output_type == "display_data"]
    assert re.match(r"\d+ % of .* was compiling 2 programs for the first time, .* the longest; ", view.data["text/plain"])
    assert "\nsteps       101 steps, median " in view.data["text/plain"]
    printed = notebook.cells[5].outputs[0]
    assert re.match(r"epoch: \d+ % of .* was compiling `.*` for the first time; ", printed.text)
