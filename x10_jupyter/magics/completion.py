"""Lets a shell complete what stands behind a magic."""

from collections.abc import Callable
from typing import Any

from IPython.core.interactiveshell import InteractiveShell


def put_completer(shell: InteractiveShell, command: str, complete: Callable[[InteractiveShell, Any], list[str]]) -> None:
    """Let a shell complete what stands behind a magic.

    Args:
        shell: It.
        command: The magic, with its ``%``.
        complete: Tells what may be typed, from the shell and IPython's event: its ``text_until_cursor`` is the line so far.
    """
    shell.set_hook("complete_command", complete, str_key=command)


def remove_completer(shell: InteractiveShell, command: str) -> None:
    """Take it out again."""
    shell.strdispatchers["complete_command"].strs.pop(command, None)
