"""What tests in a browser use: Debian's chromium, and JupyterLab with notebooks that were run."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Browser, Page, sync_playwright

from lab_server import Server, serving

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
"""So that it also runs as root, and does nothing but what it is told."""

CODE = """\
import numpy as np
import x10_jupyter as x10

rng = np.random.default_rng(0)
w = x10.tensor(rng.normal(size=(8, 4)).astype(np.float32))

def step(w, rows):
    x = x10.tensor(rng.normal(size=(rows, 8)).astype(np.float32))
    return w - 0.1 * (x.T @ x10.numpy.tanh(x @ w)) / rows

for rows in [32, 32, 32, 17, 32, 32, 9]:
    w = step(w, rows)
    x10.barrier()
    print(f"{float(w.sum()):.0f}", end=" ")
for place in range(4):
    float(w[place, 0])
    w = w + float(w[place, place])
"""
"""A loop that is compiled again, twice, and reads values at several lines."""


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here: apt-get install chromium")
    # not for longer than these tests last: meanwhile no other event loop runs on this thread
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page(viewport={"width": 1280, "height": 1000})
    yield made
    made.close()


@pytest.fixture(scope="package")
def executed() -> nbformat.NotebookNode:
    """A notebook with a cell under `%%x10trace`, run as a user runs it."""
    cells = [nbformat.v4.new_code_cell("%load_ext x10_jupyter"), nbformat.v4.new_code_cell(f"%%x10trace uneven batches --graph\n{CODE}")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120).execute()
    return notebook


@pytest.fixture(scope="package")
def lab(browser: Browser, executed: nbformat.NotebookNode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab with the notebook: as it came from elsewhere, and signed. The browser is asked for first: without one there is no need of a server."""
    with serving(tmp_path_factory.mktemp("jupyter")) as server:
        signed = nbformat.from_dict(executed)
        signed.metadata["signed"] = True  # trust goes by content
        nbformat.write(executed, server.root / "untrusted.ipynb")
        nbformat.write(signed, server.root / "trusted.ipynb")
        server.trust("trusted.ipynb")
        yield server


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for screenshots, to be looked at."""
    return tmp_path_factory.getbasetemp()
