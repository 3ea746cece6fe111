"""Pictures of what the demo notebooks show in JupyterLab, light and dark, for README.md: ``python -m tests.screenshots``."""

import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image
from playwright.sync_api import Locator, Page, ViewportSize, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))  # what tests are made of

from browser.conftest import CHROMIUM, FLAGS
from lab_server import Server, serving

DEMOS = Path(__file__).parents[1] / "demo_notebooks"
FOLDER = DEMOS / "screenshots"
THEMES = ("light", "dark")
SHARPNESS = 1.5
"""Pixels of a picture for each of the page."""
COLOURS = 256
"""In a picture; more can't be told apart, and make it larger."""
MOST_BYTES = 200_000
PATIENCE_MS = 60_000
VIEWPORT: ViewportSize = {"width": 1240, "height": 2600}
"""High, so that a whole cell fits in; what is scrolled out of sight is not drawn."""


@dataclass(frozen=True)
class Shot:
    """One picture."""

    name: str

    cell: str
    """How the cell's code begins."""

    fold: str = ""
    """Of what is folded there the one to be shown, by words of its line; the whole cell if empty."""


SHOTS: dict[str, tuple[Shot, ...]] = {
    "01_lazy_digits.ipynb": (
        Shot("recompile", "%%x10trace smaller last batch"),
        Shot("graph", "%%x10trace smaller last batch", fold="step_1"),
    ),
    "02_troubleshooting.ipynb": (Shot("slow_loop", "%%x10trace slow loop"), Shot("metrics", "%x10metrics --chart")),
}


def executed(name: str, folder: Path) -> nbformat.NotebookNode:
    """A demo notebook that was run in a folder."""
    notebook = nbformat.read(DEMOS / name, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


@contextmanager
def opened(server: Server, name: str) -> Iterator[Page]:
    """A notebook in JupyterLab."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport=VIEWPORT, device_scale_factor=SHARPNESS)
        page.goto(f"{server.url}/lab/tree/{name}?reset")
        expect(page.locator(".jp-Notebook")).to_be_visible(timeout=PATIENCE_MS)
        yield page
        browser.close()


def choose(page: Page, theme: str) -> None:
    """Let JupyterLab be light or dark."""
    page.get_by_role("menuitem", name="Settings").click()
    page.get_by_text("Theme", exact=True).hover()
    page.get_by_text(f"JupyterLab {theme.capitalize()}", exact=True).click()
    expect(page.locator(f"body[data-jp-theme-light={str(theme == 'light').lower()}]")).to_be_attached()
    page.wait_for_timeout(1_000)  # the sheet comes after the word


def place(page: Page, shot: Shot) -> Locator:
    """What the picture shows, opened if it was folded."""
    cell = page.locator(".jp-CodeCell", has=page.locator(".cm-content", has_text=shot.cell)).first
    cell.scroll_into_view_if_needed()
    expect(cell.locator(".jp-OutputArea-output").first).to_be_visible(timeout=PATIENCE_MS)
    page.wait_for_timeout(1_500)  # charts are drawn after they are there
    if not shot.fold:
        cell.evaluate("cell => cell.querySelectorAll('details').forEach(fold => fold.open = false)")
        return cell
    fold = cell.locator("details", has=page.locator("summary", has_text=shot.fold)).first
    fold.evaluate("fold => fold.open = true")  # a click would select the cell
    return fold


def saved(picture: bytes, path: Path) -> None:
    """Write a picture, as small as it can be without looking worse."""
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    size = path.stat().st_size
    assert size <= MOST_BYTES, f"{path} has {size:,} bytes"
    print(f"{path}: {size:,} bytes")  # noqa: T201 - says what was done


def main() -> None:
    """Run the notebooks, and look at them in both themes."""
    if CHROMIUM is None:
        raise SystemExit("There is no chromium here: apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home, serving(Path(home)) as server:
        for name, shots in SHOTS.items():
            nbformat.write(executed(name, server.root), server.root / name)
            server.trust(name)
            with opened(server, name) as page:
                for theme in THEMES:
                    choose(page, theme)
                    for shot in shots:
                        saved(place(page, shot).screenshot(), FOLDER / f"{shot.name}_{theme}.png")


if __name__ == "__main__":
    main()
