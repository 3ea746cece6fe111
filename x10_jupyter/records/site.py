"""A place in the user's code."""

from dataclasses import dataclass
from types import CodeType

from x10_jupyter.base.frames import Cells


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


def site_at(file: str, line: int, function: str) -> Site:
    """A line of a running program, with the number that its cell has now."""
    return Site(file=file, line=line, function=function, cell=Cells.number(file))


def site_in(code: CodeType, line: int) -> Site:
    """The same of a line in some code."""
    return site_at(code.co_filename, line, code.co_qualname)
