"""Puts the extension into a shell, and takes all of it out again."""

from collections.abc import Callable
from contextlib import ExitStack

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, magic_kinds

from x10_jupyter.base.frames import Cells
from x10_jupyter.magics import x10config, x10metrics
from x10_jupyter.magics.cells import numbers
from x10_jupyter.magics.completion import put_completer, remove_completer
from x10_jupyter.magics.transform import REGISTERED, Marker, Wrapper
from x10_jupyter.magics.x10explain import ExplainMagics
from x10_jupyter.magics.x10trace import LAST, X10Magics
from x10_jupyter.session.capturing import Capturing

COMPLETERS = {x10config.COMMAND: x10config.complete, x10metrics.COMMAND: x10metrics.complete}
"""What may stand behind the magics of one line."""


def install(shell: InteractiveShell, capture: Callable[[str], Capturing]) -> None:
    """Let a shell know the magics; once is enough.

    Args:
        shell: The notebook's or the terminal's.
        capture: Makes a context manager that captures, from a name.
    """
    if REGISTERED in shell.magics_manager.registry:
        return
    magics, marker, wrapper = X10Magics(shell, capture), Marker(), Wrapper(lambda: shell.ast_node_interactivity)
    with ExitStack() as undo:
        metrics = x10metrics.MetricsMagics(shell)
        for each in (magics, metrics, x10config.ConfigMagics(shell), ExplainMagics(shell)):
            shell.register_magics(each)
            undo.callback(unregister, shell, each)
        shell.events.register("pre_run_cell", metrics.begin_cell)
        undo.callback(shell.events.unregister, "pre_run_cell", metrics.begin_cell)
        for command, complete in COMPLETERS.items():
            put_completer(shell, command, complete)
            undo.callback(remove_completer, shell, command)
        # Last, since what comes before removes blank lines and prompts above the magic.
        shell.input_transformers_cleanup.append(marker)
        undo.callback(shell.input_transformers_cleanup.remove, marker)
        # First, so that what other extensions do to a cell they do inside the capture, too.
        shell.ast_transformers.insert(0, wrapper)
        undo.callback(shell.ast_transformers.remove, wrapper)
        undo.callback(set_cell_number, Cells.number)
        set_cell_number(numbers(shell))
        magics.undo = undo.pop_all()


def uninstall(shell: InteractiveShell) -> None:
    """Leave a shell as it was before `install`; captures that the user bound to variables stay."""
    magics = shell.magics_manager.registry.get(REGISTERED)
    if isinstance(magics, X10Magics):
        magics.undo.close()
        shell.user_ns.pop(LAST, None)


def unregister(shell: InteractiveShell, magics: Magics) -> None:
    """Forget some magics, unless another extension has taken the name since."""
    manager = shell.magics_manager
    manager.registry.pop(type(magics).__name__, None)
    for kind in magic_kinds:
        for name, function in magics.magics[kind].items():
            if manager.magics[kind].get(name) == function:
                del manager.magics[kind][name]


def set_cell_number(number: Callable[[str], int | None]) -> None:
    """Say which file is which cell, for everything that tells the user's line."""
    Cells.number = staticmethod(number)
