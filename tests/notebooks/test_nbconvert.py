"""`jupyter nbconvert` on a notebook that it runs: to a report, and to its own HTML."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from standalone import StandAlone, assert_stands_alone

ROOT = Path(__file__).parents[2]
CODE = """\
%%x10trace sums
import numpy as np
import x10_jupyter as x10
for rows in (4, 4, 3):
    float(x10.tensor(np.ones(rows, np.float32)).sum())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a notebook, and with what says that this package is installed, whether it is or not: its entry points."""
    made = tmp_path_factory.mktemp("nbconvert")
    nbformat.write(new_notebook(cells=[new_code_cell("%load_ext x10_jupyter"), new_code_cell(CODE)]), made / "sums.ipynb")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    about = made / "x10_jupyter-0.0.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: x10_jupyter\nVersion: 0.0.0\n")
    (about / "entry_points.txt").write_text(
        "\n".join(f"[{group}]\n" + "\n".join(f"{name} = {at}" for name, at in each.items()) for group, each in groups.items())
    )
    nbconvert(made, "--to", "notebook", "--execute", "--inplace", "sums.ipynb")
    return made


def nbconvert(folder: Path, *args: str) -> None:
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "PYTHONPATH": path, "JUPYTER_PREFER_ENV_PATH": "1"}
    subprocess.run([sys.executable, "-m", "nbconvert", "--log-level", "WARN", *args], cwd=folder, env=env, check=True, timeout=120)


def test_to_a_report(folder: Path) -> None:
    nbconvert(folder, "--to", "x10report", "sums.ipynb")
    page = (folder / "sums.html").read_text(encoding="utf-8")
    words = assert_stands_alone(page).words
    assert "sums: " in words
    assert "shape f32[4] → f32[3]" in words
    assert len(page) < 400_000


def test_to_its_own_html(folder: Path) -> None:
    nbconvert(folder, "--to", "html", "--output", "own.html", "sums.ipynb")
    view = next(
        output.data["text/html"] for cell in nbformat.read(folder / "sums.ipynb", 4).cells for output in cell.outputs if "text/html" in output.get("data", {})
    )
    assert StandAlone(view).words in StandAlone((folder / "own.html").read_text(encoding="utf-8")).words
