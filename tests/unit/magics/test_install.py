from IPython.core.interactiveshell import InteractiveShell

from stage import Stage
from x10_jupyter.base.frames import Cells, no_cell
from x10_jupyter.magics.install import install, uninstall
from x10_jupyter.session.kept import KEPT, LISTENERS


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
