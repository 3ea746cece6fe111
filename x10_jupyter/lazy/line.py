"""Which line of the user's code is running, in a form that is cheap to keep and to compare, and whether a loop is written around it."""

import ast
import linecache
import threading
from contextlib import suppress
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


PARSING = threading.Lock()
TRIES = 3


def parsed(source: str) -> ast.Module:
    """A source's tree. Python 3.11 counts the depth of all threads' parsing in one place, and raises where two parse at once.

    Raises:
        SyntaxError: It can't be read.
        ValueError: It can't be read.
    """
    with PARSING:
        for _ in range(TRIES):  # the user's threads may parse, too
            with suppress(SystemError):
                return ast.parse(source)
    raise SyntaxError("other threads parse all the time")


def expression(line: Line) -> ast.expr | ast.AugAssign | None:
    """The expression that runs at a place, or the assignment that changes a variable, such as ``w -= 0.1 * g``, if its source can be had."""
    if line.columns is None:
        return None
    source = linecache.getline(line.file, line.number).encode()[slice(*line.columns)].decode(errors="ignore")
    try:
        found = parsed(source).body
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


def comes_after(site: Line | None, line: Line) -> bool:
    """Whether a place is below a cut in the same function: then what is done there is pending when the function comes to the cut again."""
    return site is not None and (site.file, site.function) == (line.file, line.function) and site.number > line.number


def runs_once(site: Line | None, line: Line) -> bool:
    """Whether what is done at a place is certainly no part of what is done again and again up to a cut."""
    if site is None or encloses(site):
        return False
    return site.function == "<module>" or ((site.file, site.function) == (line.file, line.function) and encloses(line))


def encloses(line: Line) -> bool:
    """Whether a loop is written around a place; true where that can't be told."""
    lines = linecache.getlines(line.file)
    found = loops("".join(lines)) if lines else None
    return found is None or any(first <= line.number <= last for first, last in found)


@lru_cache(maxsize=32)
def loops(source: str) -> tuple[tuple[int, int], ...] | None:
    """First and last line of each loop in a file or cell; None if it can't be read."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError):
        return None
    return tuple([(node.lineno, node.end_lineno or node.lineno) for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While, ast.AsyncFor))])
