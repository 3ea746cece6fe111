"""Whether a thread stands at a call that reads arrays through C, so that no hook of Python's is passed: ``np.asarray(loss)``, ``np.mean(loss)``.

Only what is certain is told: the call is one of NumPy's, or ``memoryview``, found through modules and globals without running any code.
"""

import ast
import builtins
import linecache
import opcode
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.records.site import Site, site_in

NUMPY = str(Path(np.__file__).parent) + "/"

FILES = ("npyio", "_npyio_impl", "format", "_format_impl", "memmap", "_datasource", "_iotools")
"""Modules of NumPy that wait for files."""

TO_FILES = ("save", "savez", "savez_compressed", "savetxt", "load", "fromfile")
"""Functions of NumPy that do."""

DISPATCHING = (type(np.mean), np.ufunc)
"""The classes of NumPy's functions of arrays."""

CONVERTING = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, memoryview)
"""Those that are plain functions."""


class Place(NamedTuple):
    """Where a thread stands."""

    how: str
    """The call: ``np.asarray()``; of a launch the function."""

    site: Site
    """The user's line."""

    kind: Literal["read", "launch", "thread"] = "read"
    """Whether it reads arrays there, launches a program, or waits for another thread."""


def standing(frame: FrameType) -> Place | None:
    """Where a thread stands if it is at such a call of the user's; None anywhere else.

    Args:
        frame: Its innermost frame. The thread must not run meanwhile.
    """
    if frame.f_code.co_filename.startswith(NUMPY):
        return inside_numpy(frame)
    if is_ours_or_library(frame.f_code.co_filename):
        return None
    path = called(frame.f_code, frame.f_lasti)
    function = None if path is None else resolved(path, frame)
    return None if function is None or not reads_arrays(function) else Place(spelled(function), site_in(frame.f_code, frame.f_lineno))


def inside_numpy(frame: FrameType) -> Place | None:
    """The same of a thread that is inside one of NumPy's functions that are written in Python."""
    name = ""
    at: FrameType | None = frame
    while at is not None and at.f_code.co_filename.startswith(NUMPY):
        if Path(at.f_code.co_filename).stem in FILES:
            return None
        name, at = at.f_code.co_name, at.f_back
    return None if at is None or is_ours_or_library(at.f_code.co_filename) else Place(f"np.{name}()", site_in(at.f_code, at.f_lineno))


@lru_cache(maxsize=512)
def called(code: CodeType, instruction: int) -> tuple[str, ...] | None:
    """The names by which a call finds its function: ``("np", "asarray")``; None if it is no call, or finds it in another way.

    Args:
        code: The code.
        instruction: Where in it the thread is.
    """
    if not opcode.opname[code.co_code[instruction]].startswith(("CALL", "PRECALL")):
        return None
    first, last, start, end = list(code.co_positions())[instruction // 2]
    if first is None or last is None or start is None or end is None:
        return None
    lines = [line.encode() for line in linecache.getlines(code.co_filename)[first - 1 : last]]
    if len(lines) != last - first + 1:
        return None
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        tree = ast.parse(b"(" + b"".join(lines) + b"\n)", mode="eval").body
    except (SyntaxError, ValueError):  # the file has changed
        return None
    path = names(tree.func) if isinstance(tree, ast.Call) else None
    is_local = path is not None and code.co_name != "<module>" and path[0] in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    return None if is_local else path


def names(part: ast.expr) -> tuple[str, ...] | None:
    """The names of ``a.b.c``; None of anything else."""
    match part:
        case ast.Name(name):
            return (name,)
        case ast.Attribute(value, name) if (before := names(value)) is not None:
            return (*before, name)
        case _:
            return None


def resolved(path: tuple[str, ...], frame: FrameType) -> Any:  # noqa: ANN401 - whatever it is
    """What names stand for, through the globals and modules; None if that cannot be told without running code."""
    found: Any = frame.f_globals.get(path[0], vars(builtins).get(path[0]))
    for name in path[1:]:
        found = vars(found).get(name) if isinstance(found, ModuleType) else None
    return found


def reads_arrays(function: object) -> bool:
    """Whether a function is one of NumPy's that read arrays, and no files."""
    if any(function is one for one in CONVERTING):
        return True
    return isinstance(function, DISPATCHING) and getattr(function, "__name__", "") not in TO_FILES


@cache
def spelled(function: Any) -> str:  # noqa: ANN401 - one of NumPy's
    """How a function is called: ``np.mean()``."""
    return f"{function.__name__}()" if function is memoryview else f"np.{function.__name__}()"
