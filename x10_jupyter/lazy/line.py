"""Which line of the user's code is running, in a form that is cheap to keep and to compare."""

import ast
import linecache
from functools import lru_cache
from types import CodeType, FrameType
from typing import NamedTuple

from x10_jupyter.base.frames import user_frame


class Line(NamedTuple):
    """A place in the source; a tuple, since every new place in the trie keeps one."""

    file: str
    number: int
    function: str
    columns: tuple[int, int] | None = None
    """Where the expression that is running begins and ends, in bytes; None if it spans lines."""


@lru_cache(maxsize=1024)
def positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    """First line, last line, first column and last column of each instruction."""
    return list(code.co_positions())


def line_of(frame: FrameType) -> Line:
    """The place that a frame stands at."""
    code = frame.f_code
    first, last, start, end = positions(code)[frame.f_lasti // 2]
    columns = (start, end) if first is not None and first == last and start is not None and end is not None else None
    return Line(code.co_filename, frame.f_lineno, code.co_qualname, columns)


def user_line() -> Line:
    """The user's line that is running now."""
    return line_of(user_frame())


def expression(line: Line) -> ast.expr | ast.AugAssign | None:
    """The expression that runs at a place, or the assignment that changes a variable, such as ``w -= 0.1 * g``, if its source can be had."""
    if line.columns is None:
        return None
    source = linecache.getline(line.file, line.number).encode()[slice(*line.columns)].decode(errors="ignore")
    try:
        found = ast.parse(source).body
    except (SyntaxError, ValueError):
        return None
    match found:
        case [ast.Expr(value=value)]:
            return value
        case [ast.AugAssign() as assignment]:
            return assignment
        case _:
            return None


def source(line: Line) -> str:
    """The source of the expression that runs at a place; empty if it can't be had."""
    node = expression(line)
    return "" if node is None else ast.unparse(node)
