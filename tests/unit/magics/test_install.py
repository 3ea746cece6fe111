from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from stage import Stage
from x10_jupyter.base.frames import Cells, no_cell
from x10_jupyter.magics.install import install, uninstall
from x10_jupyter.session.kept import KEPT, LISTENERS
from x10_jupyter.session.root import READING, STAGING


def state(shell: InteractiveShell) -> tuple[object, ...]:
    manager = shell.magics_manager
    return (
        list(shell.input_transformers_cleanup),
        list(shell.ast_transformers),
        set(manager.registry),
        {kind: set(names) for kind, names in manager.magics.items()},
        {name for name in shell.user_ns if not name.startswith("_i")},
        Cells.number,
        set(shell.strdispatchers["complete_command"].strs),
        len(shell.events.callbacks["pre_run_cell"]),
        type(shell.compile),
    )


def test_nothing_is_left_after_unloading(shell: InteractiveShell, stage: Stage) -> None:
    before = state(shell)
    install(shell, stage.capture, stage.live)
    assert "x10trace" in shell.magics_manager.magics["cell"]
    shell.run_cell("%%x10trace --quiet\npass")
    assert "_x10" in shell.user_ns
    uninstall(shell)
    assert state(shell) == before
    assert Cells.number is no_cell


def test_installing_twice_is_installing_once(shell: InteractiveShell, stage: Stage) -> None:
    before = state(shell)
    install(shell, stage.capture, stage.live)
    once = state(shell)
    install(shell, stage.capture, stage.live)
    assert state(shell) == once
    uninstall(shell)
    uninstall(shell)
    assert state(shell) == before


def test_the_extension_by_its_name(shell: InteractiveShell) -> None:
    shell.run_cell("%load_ext x10_jupyter").raise_error()
    shell.run_cell("%%x10trace --quiet\nx = 1").raise_error()
    assert shell.user_ns["_x10"].environment.cpu_count >= 1
    shell.run_cell("import x10_jupyter as x10\nwith x10.capture('without a magic') as made: pass").raise_error()
    assert shell.user_ns["_x10"] is shell.user_ns["made"].capture
    assert [entry.capture.name for entry in KEPT.entries] == ["", "without a magic"]
    shell.run_cell("%reload_ext x10_jupyter").raise_error()
    shell.run_cell("%unload_ext x10_jupyter").raise_error()
    assert "x10trace" not in shell.magics_manager.magics["cell"]
    shell.run_cell("with x10.capture(): pass").raise_error()
    assert "_x10" not in shell.user_ns
    assert LISTENERS == []


def test_a_cell_marked_before_unloading_is_a_plain_cell(shell: InteractiveShell, stage: Stage) -> None:
    install(shell, stage.capture, stage.live)
    text = shell.transform_cell("%%x10trace\nx = 7")
    uninstall(shell)
    shell.run_cell(text).raise_error()
    assert shell.user_ns["x"] == 7


UNLOAD = "get_ipython().run_line_magic('unload_ext', 'x10_jupyter')"
UNLOADING = {
    "by the magic": "%%x10trace --quiet -o made\n%unload_ext x10_jupyter\nNone",
    "in a function": f"%%x10trace --quiet -o made\ndef leave():\n    {UNLOAD}\nleave()",
    "within another": "%%x10trace --quiet -o made\n%%x10trace --quiet\n%unload_ext x10_jupyter\nNone",
    "as one statement": f"%x10trace --quiet -o made {UNLOAD}",
    "twice": "%%x10trace --quiet -o made\n%unload_ext x10_jupyter\n%unload_ext x10_jupyter\nNone",
    "on lazy tensors": "%%x10trace --lazy --quiet -o made\n%unload_ext x10_jupyter\nimport jax.numpy as jnp\nassert float(jnp.ones(3).sum()) == 3",
}


@pytest.fixture
def unloaded(shell: InteractiveShell) -> InteractiveShell:
    """A shell that had the extension, so that IPython's own magics of extensions are there."""
    for magic in ("load_ext", "unload_ext"):
        shell.run_cell(f"%{magic} x10_jupyter").raise_error()
    return shell


def is_connected() -> bool:
    return STAGING.is_heard or READING.is_heard or bool(LISTENERS)


@pytest.mark.parametrize("cell", UNLOADING.values(), ids=UNLOADING.keys())
def test_a_cell_that_unloads_is_captured_to_its_end_and_nothing_is_left(unloaded: InteractiveShell, cell: str) -> None:
    before = state(unloaded)
    unloaded.run_cell("%load_ext x10_jupyter").raise_error()
    unloaded.run_cell(cell).raise_error()
    assert unloaded.user_ns.pop("made").error is None
    for name in ("leave", "jnp"):
        unloaded.user_ns.pop(name, None)
    assert state(unloaded) == before
    assert not is_connected()
    unloaded.run_cell("%load_ext x10_jupyter").raise_error()
    assert is_connected()
    unloaded.run_cell("%unload_ext x10_jupyter").raise_error()


def test_a_cell_that_unloads_and_fails_leaves_nothing_either(unloaded: InteractiveShell) -> None:
    before = state(unloaded)
    unloaded.run_cell("%load_ext x10_jupyter").raise_error()
    result = unloaded.run_cell("%%x10trace --quiet -o made\n%unload_ext x10_jupyter\n1 / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    assert unloaded.user_ns.pop("made").error == "ZeroDivisionError: division by zero"
    assert state(unloaded) == before
    assert not is_connected()


def test_a_cell_that_reloads_goes_on_with_the_extension(shell: InteractiveShell) -> None:
    shell.run_cell("%load_ext x10_jupyter").raise_error()
    once = state(shell)
    shell.run_cell("%%x10trace --quiet -o made\n%reload_ext x10_jupyter\nNone").raise_error()
    made = shell.user_ns.pop("made")
    assert shell.user_ns.pop("_x10") is made
    assert state(shell) == once
    assert is_connected()
    shell.run_cell("%unload_ext x10_jupyter").raise_error()


def test_what_was_captured_before_unloading_is_in_a_report_after_loading_again(shell: InteractiveShell, tmp_path: Path) -> None:
    shell.run_cell("%load_ext x10_jupyter").raise_error()
    shell.run_cell("%%x10trace early --quiet\nx = 1").raise_error()
    early = shell.user_ns["_x10"]
    shell.run_cell("%unload_ext x10_jupyter").raise_error()
    assert "_x10" not in shell.user_ns
    shell.run_cell("%load_ext x10_jupyter").raise_error()
    assert shell.user_ns["_x10"] is early
    shell.run_cell("%%x10trace late --quiet\nx = 2").raise_error()
    shell.run_cell(f"%x10report {tmp_path / 'both.html'}").raise_error()
    page = (tmp_path / "both.html").read_text()
    assert "early" in page
    assert "late" in page
    shell.run_cell("%unload_ext x10_jupyter").raise_error()


FAILING = {
    "in a jitted function": "jax.jit(broken)(jnp.ones(3))",
    "in a gradient": "jax.grad(lambda x: jax.jit(broken)(x))(1.0)",
    "in a lazy function": "x10.lazy(broken)(x10.tensor(np.ones(3)))",
    "in a lazy gradient": "x10.grad(broken)(x10.tensor(np.ones(3)))",
    "chained": "try:\n    x10.lazy(broken)(x10.tensor(np.ones(3)))\nexcept ZeroDivisionError as error:\n    raise KeyError from error",
}


@pytest.mark.parametrize("before", ["", "%%x10trace --quiet\n", "%%x10trace --quiet --lazy\n"], ids=["plain", "traced", "lazy"])
@pytest.mark.parametrize("code", FAILING.values(), ids=FAILING.keys())
def test_a_traceback_shows_the_users_lines_and_none_of_ours(shell: InteractiveShell, before: str, code: str) -> None:
    shell.run_cell("%load_ext x10_jupyter\n%colors nocolor").raise_error()
    defining = "import jax, jax.numpy as jnp, numpy as np, x10_jupyter as x10\ndef broken(x):\n    raise ZeroDivisionError('the user wrote this')"
    shell.run_cell(defining).raise_error()
    with redirect_stdout(StringIO()) as stdout:
        shell.run_cell(before + code)
    shell.run_cell("%unload_ext x10_jupyter").raise_error()
    assert "showtraceback" not in vars(shell)
    assert "raise ZeroDivisionError" in stdout.getvalue()
    assert "/x10_jupyter/" not in stdout.getvalue()


def test_what_somebody_else_shows_tracebacks_with_stays(shell: InteractiveShell, stage: Stage) -> None:
    install(shell, stage.capture, stage.live)
    ours = shell.showtraceback
    shell.showtraceback = theirs = lambda *args, **kwargs: ours(*args, **kwargs)
    uninstall(shell)
    assert shell.showtraceback is theirs
    with redirect_stdout(StringIO()) as stdout:
        shell.run_cell("1 / 0")
    assert "ZeroDivisionError" in stdout.getvalue()
