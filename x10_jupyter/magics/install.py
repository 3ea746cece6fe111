"""Puts the extension into a shell, and takes all of it out again."""

import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial, wraps
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, magic_kinds

from x10_jupyter.base.frames import Cells
from x10_jupyter.base.hiding import hide_ours
from x10_jupyter.magics import options, x10config, x10explain, x10graph, x10metrics, x10report
from x10_jupyter.magics.cells import numbers, placing
from x10_jupyter.magics.completion import Complete, matcher
from x10_jupyter.magics.tracing import LAST, Captures, keep
from x10_jupyter.magics.transform import REGISTERED, Marker, Wrapper
from x10_jupyter.magics.x10trace import X10Magics
from x10_jupyter.session.kept import KEPT, LISTENERS
from x10_jupyter.session.live import Lives

COMPLETERS: dict[str, Complete] = {
    options.CELL: options.complete_cell,
    options.LINE: options.complete_line,
    x10config.COMMAND: x10config.complete,
    x10explain.COMMAND: x10explain.complete,
    x10metrics.COMMAND: x10metrics.complete,
    x10report.COMMAND: x10report.complete,
}
"""What may stand behind each magic that needs no shell to tell."""


def install(shell: InteractiveShell, capture: Captures, live: Lives) -> None:
    """Let a shell know the magics; once is enough.

    Args:
        shell: The notebook's or the terminal's.
        capture: Makes a context manager that captures, from a name.
        live: Makes one that shows how it goes.
    """
    there = magics_in(shell)
    if there is not None:
        there.leaving.stay()
        return
    magics, marker, wrapper = X10Magics(shell, capture, live), Marker(), Wrapper(lambda: shell.ast_node_interactivity)
    with ExitStack() as undo:
        metrics, graphs = x10metrics.MetricsMagics(shell), x10graph.GraphMagics(shell)
        others = [kind(shell) for kind in (x10config.ConfigMagics, x10explain.ExplainMagics, x10report.ReportMagics)]
        for each in (magics, metrics, graphs, *others):
            shell.register_magics(each)
            undo.callback(unregister, shell, each)
        keeping = partial(keep, shell)
        LISTENERS.append(keeping)
        undo.callback(LISTENERS.remove, keeping)
        undo.callback(metrics.stop_watching)
        shell.events.register("pre_run_cell", metrics.begin_cell)
        undo.callback(shell.events.unregister, "pre_run_cell", metrics.begin_cell)
        completing = matcher({**COMPLETERS, x10graph.COMMAND: graphs.complete})
        shell.Completer.custom_matchers.append(completing)
        undo.callback(shell.Completer.custom_matchers.remove, completing)
        # Last, since what comes before removes blank lines and prompts above the magic.
        shell.input_transformers_cleanup.append(marker)
        undo.callback(shell.input_transformers_cleanup.remove, marker)
        # First, so that what other extensions do to a cell they do inside the capture, too.
        shell.ast_transformers.insert(0, wrapper)
        undo.callback(shell.ast_transformers.remove, wrapper)
        undo.callback(set_cell_number, Cells.number)
        undo.callback(stop_hiding, shell, hide_frames(shell))
        undo.callback(placing(shell))
        set_cell_number(numbers(shell))
        magics.undo = undo.pop_all()
    if KEPT.entries and LAST not in shell.user_ns:
        shell.user_ns[LAST] = KEPT.entries[-1].capture  # it was loaded before


def uninstall(shell: InteractiveShell, after: Callable[[], None] = lambda: None) -> None:
    """Leave a shell as it was before `install`; captures that the user bound to variables stay, and so do those that a report can show.

    Within a cell or statement that is traced, that is done when it has ended: it is captured as a whole, and its view is shown.

    Args:
        shell: The notebook's or the terminal's.
        after: What else is to be taken out, then.
    """
    magics = magics_in(shell)
    if magics is None:
        after()
    else:
        magics.leaving.when_idle(partial(take_out, shell, magics, after))


def take_out(shell: InteractiveShell, magics: X10Magics, after: Callable[[], None]) -> None:
    """Do what `uninstall` says, now."""
    magics.undo.close()
    shell.user_ns.pop(LAST, None)
    after()


def magics_in(shell: InteractiveShell) -> X10Magics | None:
    """The magics that a shell knows; None if it knows none."""
    found = shell.magics_manager.registry.get(REGISTERED)
    return found if isinstance(found, X10Magics) else None


def unregister(shell: InteractiveShell, magics: Magics) -> None:
    """Forget some magics, unless another extension has taken the name since."""
    manager = shell.magics_manager
    manager.registry.pop(type(magics).__name__, None)
    for kind in magic_kinds:
        for name, function in magics.magics[kind].items():
            if manager.magics[kind].get(name) == function:
                del manager.magics[kind][name]


def hide_frames(shell: InteractiveShell) -> Callable[..., None]:
    """Have a shell show tracebacks without frames of ours; what shows them now."""
    show = shell.showtraceback

    @wraps(show)
    def showtraceback(exc_tuple: Any = None, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as IPython has it
        error = exc_tuple[1] if exc_tuple else sys.exc_info()[1]
        if isinstance(error, BaseException):
            with suppress(Exception):
                hide_ours(error)
        show(exc_tuple, *args, **kwargs)

    shell.showtraceback = showtraceback
    return showtraceback


def stop_hiding(shell: InteractiveShell, hiding: Callable[..., None]) -> None:
    """Have it show them as before, unless somebody else has put something into the same place since, which goes on with ours."""
    if vars(shell).get("showtraceback") is hiding:
        del shell.showtraceback


def set_cell_number(number: Callable[[str], int | None]) -> None:
    """Say which file is which cell, for everything that tells the user's line."""
    Cells.number = staticmethod(number)
