"""A notebook while its cells run, in JupyterLab."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Page, expect

from lab_server import Server

PATIENCE_MS = 60_000
READY_MS = 4_000
"""JupyterLab says that a kernel is idle before it is ready, and forgets cells that are to run meanwhile."""
CELLS = [
    "%load_ext x10_jupyter\nfrom pathlib import Path\nimport numpy as np\nimport x10_jupyter as x10\nx = x10.tensor(np.ones(3, np.float32))",
    "%x10metrics --watch MarkStep LazyTracing",
    "%%x10trace until told\nwhile not Path('enough').exists():\n    x = x + 1\n    x10.barrier(wait=True)",
]


def test_what_is_shown_changes_while_a_cell_runs_and_the_view_takes_its_place(page: Page, lab: Server, pictures: Path) -> None:
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}  # or else it asks for one
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in CELLS], metadata=metadata), lab.root / "running.ipynb")
    page.goto(f"{lab.url}/lab/tree/running.ipynb?reset")
    cells = page.locator(".jp-CodeCell")
    expect(cells).to_have_count(3, timeout=PATIENCE_MS)
    expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")).to_be_attached(timeout=PATIENCE_MS)
    page.wait_for_timeout(READY_MS)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    watched, live = cells.nth(1).locator(".jp-OutputArea-output"), cells.nth(2).locator(".jp-OutputArea-output")
    counter = watched.locator("tr", has_text="MarkStep").locator("td").nth(1)
    expect(counter).to_be_visible(timeout=PATIENCE_MS)
    expect(live).to_contain_text("Running for", timeout=PATIENCE_MS)
    for _ in range(2):  # both go on
        said, told = counter.inner_text(), live.inner_text()
        expect(counter).not_to_have_text(said, timeout=PATIENCE_MS)
        expect(live).not_to_have_text(told, timeout=PATIENCE_MS)
    expect(watched.locator(".js-plotly-plot")).to_contain_text("LazyTracing", timeout=PATIENCE_MS)
    page.screenshot(path=pictures / "running.png")
    (lab.root / "enough").touch()
    expect(live.locator("details").first).to_be_visible(timeout=PATIENCE_MS)
    assert live.count() == 1
    assert "Counters: " in live.inner_text()
    page.screenshot(path=pictures / "has_run.png")
