"""Which cell a code object's file name belongs to, and what a cell was written like."""

from collections.abc import Callable

from IPython.core.interactiveshell import InteractiveShell


def numbers(shell: InteractiveShell) -> Callable[[str], int | None]:
    """A look-up from file name to execution count, for the cells this shell has compiled.

    ipykernel names a cell's file after its text, IPython after its number, too; both tell the number by
    `format_code_name`, which is made for tracebacks: ``("Cell", "In[3]")``.
    """

    def number(filename: str) -> int | None:
        label = shell.compile.format_code_name(filename)
        digits = label[1].removeprefix("In[").removesuffix("]") if label else ""
        return int(digits) if digits.isdecimal() else None

    return number


def text_of(shell: InteractiveShell, number: int | None) -> str | None:
    """A cell as it was written; None if it is not known, as when it is not stored.

    Args:
        shell: Where it runs, or ran.
        number: Its execution count; None for what is no cell.
    """
    history = shell.history_manager
    stored = history.input_hist_raw if history is not None else []
    return (stored[number] or None) if number is not None and 0 < number < len(stored) else None
