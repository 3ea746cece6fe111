"""`%x10explain` in IPython's core."""

from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import x10_jupyter as x10
from factories import compiled, site
from runtime import forget
from stage import Stage
from x10_jupyter.magics.install import install, uninstall
from x10_jupyter.records.cause import Cause
from x10_jupyter.session import HISTORY
from x10_jupyter.views.aggregated import aggregated_text
from x10_jupyter.views.explained import explained

Run = Callable[[str], str]
SHAPE = Cause(kind="shape", where="x", old="f32[32]", new="f32[17]", fix="Pad `x`.", site=site(7))
RATE = Cause(kind="constant", where="lr", old="0.1", new="0.2", site=site(9))


@pytest.fixture(autouse=True)
def history() -> Iterator[None]:
    HISTORY.clear()
    yield
    HISTORY.clear()


@pytest.fixture
def run(shell: InteractiveShell, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a cell; returns what it showed last: text, help or the error."""
    shown: list[str] = []
    monkeypatch.setattr(shell.display_pub, "publish", lambda data, **_: shown.append(data["text/plain"]))

    def cell(text: str) -> str:
        shown.clear()
        with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
            shell.run_cell(text, store_history=True)
        return shown[-1] if shown else stdout.getvalue() + stderr.getvalue()

    install(shell, stage.capture, stage.live)
    shell.user_ns |= {"emit": stage.events.emit, "first": compiled(0, 5), "again": compiled(6, 9, cause=SHAPE), "rate": compiled(9, 11, cause=RATE)}
    yield cell
    uninstall(shell)


def test_it_tells_of_the_last_capture(run: Run, shell: InteractiveShell) -> None:
    run("%%x10trace --quiet\nemit(first)\nemit(again)\nemit(rate)")
    compiles = shell.user_ns["_x10"].compiles
    assert run("%x10explain") == explained(compiles)
    assert run("%x10explain -n 2") == explained(compiles, last=2)
    assert "`x` shape f32[32] → f32[17] at cell [4] line 7" in run("%x10explain train -n 5")
    assert run("%x10explain evaluate").startswith("Nothing was compiled of the name `evaluate`. ")


def test_what_the_last_capture_has_nothing_of_is_looked_for_in_the_kernel(run: Run) -> None:
    run("%%x10trace --quiet\nemit(first)\nemit(again)")
    told = run("%x10explain train --all")
    run("%%x10trace --quiet\npass")
    assert run("%x10explain train") == told
    assert run("%x10explain").startswith("Nothing was compiled again; nothing was compiled at all.")


def test_without_a_capture_or_if_asked_it_tells_of_the_kernel(run: Run) -> None:
    assert run("%x10explain") == explained(())
    HISTORY.emit(compiled(0, 5))
    HISTORY.emit(compiled(6, 9, cause=SHAPE))
    told = explained(HISTORY.compiles)
    assert run("%x10explain") == told
    run("%%x10trace --quiet\nemit(first)")
    assert run("%x10explain").startswith("Nothing was compiled again. 1 program compiled for the first time")
    assert run("%x10explain --all") == told


def test_records_are_bound(run: Run, shell: InteractiveShell) -> None:
    run("%%x10trace --quiet\nemit(first)\nemit(again)\nemit(rate)")
    run("%x10explain -n 5 -o why")
    assert [one.cause for one in shell.user_ns["why"]] == [RATE, SHAPE]


def test_compiles_are_added_up(run: Run, shell: InteractiveShell) -> None:
    HISTORY.emit(compiled(0, 5, function="evaluate"))
    run("%%x10trace --quiet\nemit(first)\nemit(again)\nemit(rate)")
    compiles = shell.user_ns["_x10"].compiles
    assert run("%x10explain --by function") == aggregated_text(compiles, "function")
    assert run("%x10explain --by cause --all -o why") == aggregated_text(HISTORY.compiles, "cause", "in this kernel")
    assert [(group.what, group.times) for group in shell.user_ns["why"]] == [("`evaluate`: first time at cell [4] line 7", 1)]
    assert run("%x10explain evaluate --by line") == "Nothing was compiled."
    assert "1 program compiled" in run("%x10explain evaluate --by line --all")
    HISTORY.is_whole = False
    assert "in this kernel, without the oldest ones" in run("%x10explain --by line --all")


def test_a_real_recompile(run: Run, shell: InteractiveShell) -> None:
    forget()
    shell.user_ns |= {"x10": x10, "np": np}
    run("def step(x):\n    y = (x * 2).sum()\n    return float(y)")
    run("for n in (32, 32, 17):\n    step(x10.tensor(np.ones((n, 3), np.float32)))")
    told = run("%x10explain")
    lines = told.splitlines()
    assert lines[0] == "`step` was compiled again: `x` shape f32[32,3] → f32[17,3] at cell [1] line 2"
    assert lines[-1] == "instead     Pad `x` to 32 rows, or drop the last, smaller batch."
    assert "cost        " in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("-n 0", "tells one recompile or more; got `-n 0`"),
        ("-o 7", "Write a name, as in `-o first`"),
        ("'x", "cannot read"),
        ("--some", "unrecognized arguments"),
        ("--by colour", "invalid choice: 'colour'"),
    ],
)
def test_what_is_wrong_is_told(run: Run, line: str, told: str) -> None:
    said = run(f"%x10explain {line}")
    assert said.startswith("UsageError: ")
    assert told in said


def test_help(run: Run) -> None:
    assert "what to write instead" in run("%x10explain -h")
