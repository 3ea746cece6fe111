"""A place in the user's code."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One line of the user's code."""

    file: str
    """The code object's file name; a notebook cell has one of its own."""

    line: int
    """Line number, from 1; within the cell for a notebook."""

    function: str
    """Qualified name of the function, ``<module>`` outside any."""

    cell: int | None = None
    """The execution count of the notebook cell, or None for a file."""

    def __str__(self) -> str:
        return f"cell [{self.cell}] line {self.line}" if self.cell is not None else f"{self.file.rpartition('/')[2]}:{self.line}"
