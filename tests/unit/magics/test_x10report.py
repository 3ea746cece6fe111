"""`%x10report` in IPython's core, with captures of real cells."""

from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from stage import Stage
from standalone import assert_stands_alone
from x10_jupyter.magics.install import install, uninstall
from x10_jupyter.session.kept import KEPT

Run = Callable[[str], str]


@pytest.fixture
def run(shell: InteractiveShell, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a cell in an empty folder; returns what it printed, or the error."""

    def cell(text: str) -> str:
        with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
            shell.run_cell(text, store_history=True)
        return stdout.getvalue() + stderr.getvalue()

    monkeypatch.chdir(tmp_path)
    install(shell, stage.capture, stage.live)
    yield cell
    uninstall(shell)


@pytest.fixture
def ran(run: Run) -> Run:
    """The same, after two cells were captured: cell 1 and, as `train`, cell 3."""
    run("%%x10trace --quiet\n1")
    run("pass")
    run("%%x10trace train --quiet\n2")
    return run


def headings(path: Path) -> list[str]:
    page = path.read_text(encoding="utf-8")
    assert_stands_alone(page)
    return [part.partition(">")[2].partition("</h2>")[0] for part in page.split("<h2 id=")[1:]]


def test_all_captures_of_the_kernel(ran: Run, tmp_path: Path) -> None:
    text = ran("%x10report out.html --title What we ran")
    assert text.startswith("out.html: 2 captures, ")
    assert headings(tmp_path / "out.html") == ["cell [1]", "train · cell [3]"]
    assert "<title>What we ran</title>" in (tmp_path / "out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("cells", "found"), [("1", ["cell [1]"]), ("train", ["train · cell [3]"]), ("1-2 3", ["cell [1]", "train · cell [3]"])])
def test_those_that_are_asked_for(ran: Run, tmp_path: Path, cells: str, found: list[str]) -> None:
    ran(f"%x10report 'my report.html' --cells {cells}")
    assert headings(tmp_path / "my report.html") == found


def test_the_code_is_there_as_it_was_written(ran: Run, tmp_path: Path) -> None:
    ran("x = 1\nif x < 2:\n    %x10trace --quiet x + 1")
    ran("%x10report out.html")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "<pre>%%x10trace --quiet\n1</pre>" in page
    assert "<pre>x = 1\nif x &lt; 2:\n    %x10trace --quiet x + 1</pre>" in page


def test_one_made_within_a_cell_is_of_that_cell(run: Run) -> None:
    run("x = 1\n%x10trace --quiet x + 1")
    assert [entry.cell for entry in KEPT.entries] == [1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "%x10report writes to a file; got none"),
        ("out.html --cells 9", "There is no such capture in this kernel; got 9. There is 1, train, 3."),
        ("out.html --loud", "unrecognized arguments: --loud"),
        ("nowhere/out.html", "A report must be saved to a file that can be written; got nowhere/out.html."),
        ("'out.html", "No closing quotation"),
    ],
)
def test_what_it_does_not_take(ran: Run, tmp_path: Path, line: str, message: str) -> None:
    assert message in ran(f"%x10report {line}")
    assert list(tmp_path.iterdir()) == []
    assert len(KEPT.entries) == 2


def test_without_captures_it_says_how_to_make_one(run: Run) -> None:
    assert "Put %%x10trace on a cell" in run("%x10report out.html")


def test_help_writes_nothing(ran: Run, tmp_path: Path) -> None:
    assert "--cells CELL" in ran("%x10report out.html -h")
    assert list(tmp_path.iterdir()) == []


def test_completion(ran: Run, shell: InteractiveShell) -> None:
    assert shell.Completer is not None
    with provisionalcompleter():
        for line, text in (("%x10report out.html --c", "--cells"), ("%x10report out.html --cells tr", "train"), ("%x10report a --cells 1 --ti", "--title")):
            assert text in [found.text for found in shell.Completer.completions(line, len(line))]


def test_captures_from_before_the_extension_was_loaded_again_are_in_the_report(ran: Run, shell: InteractiveShell, stage: Stage) -> None:
    uninstall(shell)
    assert "not found" in ran("%x10report out.html")
    install(shell, stage.capture, stage.live)
    assert ran("%x10report all.html").startswith("all.html: 2 captures")
