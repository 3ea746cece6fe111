"""Which cell a code object's file name belongs to, and what a cell was written like.

What ``%time``, ``%timeit``, ``%prun`` and ``%%capture`` run IPython compiles as ``<timed exec>``, or as a cell of its own whose lines begin at 1. Here it is
compiled as the part of the cell that it is, so that everything that tells of a line tells the user's; tracebacks do so, too.
"""

import ast
import copy
import re
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magics.execution import ExecutionMagics

from x10_jupyter.base.frames import Cells, is_ours_or_library


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


COMPILED_AS = {"time": ("<timed exec>", "<timed eval>"), "timeit": ("<magic-timeit>",), "capture": (), "prun": ()}
"""Magics that run code of their cell, and what IPython calls the code's file; nothing if it has no such name."""

CALLS = {"run_cell_magic": True, "run_line_magic": False}
"""The functions of IPython's that call a magic, and whether it has a cell."""

BLANK_LINES = re.compile(r"(?:[ \t]*\n)*")
PROFILES = "_run_with_profiler"
"""What runs the code of ``%prun``, which goes past the shell's compiler."""

LOOP = "_i"
"""What IPython's loop in ``%timeit`` counts with."""


class Part(NamedTuple):
    """Code that a magic runs, as a part of the cell that the magic stands in."""

    magic: str
    text: str
    """The code as it is written."""

    above: int
    """Lines of the cell above the code."""

    line: int
    """That of the magic."""

    cell: int
    """The cell's execution count."""

    def filename(self, shell: InteractiveShell) -> str:
        """A file name that the shell knows for the cell, and under which the code can be read at the lines that it has there."""
        return shell.compile.cache("\n" * self.above + self.text, self.cell)

    def placed(self, tree: ast.AST) -> Any:  # noqa: ANN401 - a tree of the same kind
        """A copy of the code's tree that has the lines of the cell."""
        made = copy.deepcopy(tree)
        theirs = self.templates(made) if self.magic == "timeit" else set[ast.AST]()
        by = self.above + blank_lines(self.text)
        for node in ast.walk(made):
            place: Any = node
            if node in theirs and hasattr(node, "lineno"):
                place.lineno, place.end_lineno, place.col_offset, place.end_col_offset = self.line, self.line, 0, 0
            elif hasattr(node, "lineno"):
                place.lineno += by
                place.end_lineno = None if place.end_lineno is None else place.end_lineno + by
        return made

    @staticmethod
    def templates(tree: ast.AST) -> set[ast.AST]:
        """What is not the timed code in the function that ``%timeit`` makes around it."""
        loop = next(one for one in ast.walk(tree) if isinstance(one, ast.For) and isinstance(one.target, ast.Name) and one.target.id == LOOP)
        return set(ast.walk(tree)) - {node for statement in loop.body for node in ast.walk(statement)}


def anonymous(code: CodeType) -> CodeType:
    """The code of a module; without its name, if it is that of the function of IPython's in which ``%timeit`` runs the user's."""
    made = [one.replace(co_name="<timeit>", co_qualname="<timeit>") if is_timing(one) else one for one in code.co_consts]
    return code.replace(co_consts=tuple(made))


def is_timing(code: object) -> bool:
    """Whether something is the code of that function."""
    return isinstance(code, CodeType) and code.co_name == "inner" and code.co_varnames[:2] == ("_it", "_timer")


def part_of(frame: FrameType | None, filename: str) -> Part | None:
    """What a magic of a cell is compiling now; None if none is.

    Args:
        frame: That which asks for it.
        filename: What IPython would call its file.
    """
    inner: dict[str, Any] = {}
    while frame is not None and is_ours_or_library(frame.f_code.co_filename):
        has_cell = CALLS.get(frame.f_code.co_name)
        if has_cell is not None and "magic_name" in frame.f_locals:
            return part_in(frame, inner, filename, has_cell=has_cell)
        inner = frame.f_locals if frame.f_code.co_name in COMPILED_AS else inner
        frame = frame.f_back
    return None


def part_in(frame: FrameType, inner: dict[str, Any], filename: str, *, has_cell: bool) -> Part | None:
    """The same of a call of a magic.

    Args:
        frame: That of IPython's function that calls it.
        inner: The variables of the magic.
        filename: As above.
        has_cell: Whether it is a cell's magic.
    """
    magic, outer = frame.f_locals["magic_name"], frame.f_back
    number = Cells.number(outer.f_code.co_filename) if outer is not None else None
    known = COMPILED_AS.get(magic)
    if outer is None or number is None or known is None or (known and filename not in known):
        return None
    line = outer.f_lineno
    if magic == "prun":
        return profiled(inner["arg_str"], frame.f_locals.get("cell"), line, number)
    if has_cell:
        return Part(magic, frame.f_locals["cell"], line, line, number)
    return Part(magic, inner["stmt" if magic == "timeit" else "expr"], line - 1, line, number)


def profiled(code: str, body: str | None, line: int, number: int) -> Part:
    """The same of ``%prun``, whose code begins on its own line or under it.

    Args:
        code: All of the code.
        body: The cell under the magic, if it has one.
        line: The magic's line.
        number: The cell's.
    """
    if body is None or len(code.strip().splitlines()) > len(body.strip().splitlines()):
        return Part("prun", code, line - 1, line, number)
    return Part("prun", code, line + blank_lines(body), line, number)


def blank_lines(text: str) -> int:
    """How many stand above the code; IPython takes them away."""
    found = BLANK_LINES.match(text)
    return len(found[0].splitlines()) if found else 0


def placing(shell: InteractiveShell) -> Callable[[], None]:
    """Have a shell compile what such magics run as a part of their cell.

    Returns:
        A function that ends it.
    """
    kind: Any = type(shell.compile)

    class Placed(kind):
        """The shell's compiler."""

        def __call__(self, source: Any, filename: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as Python has it
            found = attempted(shell, sys._getframe(1), source, filename) if isinstance(source, ast.AST) else None  # pyright: ignore[reportPrivateUsage]
            return super().__call__(source, filename, *args, **kwargs) if found is None else anonymous(super().__call__(*found, *args, **kwargs))

    shell.compile.__class__ = Placed
    run = getattr(ExecutionMagics, PROFILES, None)

    def profiling(self: ExecutionMagics, code: Any, *args: Any) -> Any:  # noqa: ANN401 - as IPython has it
        found = attempted(shell, sys._getframe(1), code, "") if isinstance(code, str) else None  # pyright: ignore[reportPrivateUsage]
        made = code if found is None else compile(*found, "exec", dont_inherit=True)
        return run(self, made, *args) if run is not None else None

    if run is not None:
        setattr(ExecutionMagics, PROFILES, profiling)

    def end() -> None:
        if type(shell.compile) is Placed:
            shell.compile.__class__ = kind
        if run is not None and vars(ExecutionMagics).get(PROFILES) is profiling:
            setattr(ExecutionMagics, PROFILES, run)

    return end


def attempted(shell: InteractiveShell, frame: FrameType, source: ast.AST | str, filename: str) -> tuple[Any, str] | None:
    """What is to be compiled instead, and as which file, if a magic of a cell asks for it.

    Args:
        shell: Where that is.
        frame: That which asks.
        source: The code.
        filename: What IPython would call its file.

    Returns:
        None if nothing is, or if IPython is not as it is taken to be: then it compiles as without this.
    """
    try:
        part = part_of(frame, filename)
        return None if part is None else (part.placed(ast.parse(source) if isinstance(source, str) else source), part.filename(shell))
    except Exception:  # noqa: BLE001 - whatever it is must not cost the user a cell; what can't be parsed IPython tells
        return None
