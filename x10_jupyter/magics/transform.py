"""Turns a cell under ``%%x10trace`` into Python that captures itself.

Two steps, so that the cell stays a cell: top-level ``await``, tracebacks, the last value, ``;`` and magics work as without it.

* The text's first line becomes a string that marks the cell. It is one line for one line, so that numbers stay right, and a string,
  so that ``from __future__`` may still follow. IPython may do this several times to one cell; it has no effect but its result.
* The tree of a marked cell is wrapped in ``with``. What it calls is found through IPython's registry of magics, so no name is
  put where the user could see, delete or shadow it.
"""

import ast
from collections.abc import Callable

from IPython.core.inputtransformer2 import cell_magic

from x10_jupyter.magics.options import asks_for_help, asks_for_lazy

MAGIC = "%%x10trace"
MARK = "x10trace this cell:"
"""What the marking string begins with; the options follow."""

REGISTERED = "X10Magics"
"""Name of the class of magics, by which IPython's registry knows its one object."""

HANDLE = f"get_ipython().magics_manager.registry[{REGISTERED!r}]"
"""The expression that finds the magics from a cell."""


class Marker:
    """Replaces the magic in a cell's first line, if it is there, by the mark; one that stands alone is left to IPython."""

    has_side_effects = True
    """It has none, but a terminal that tries out whether a cell is complete must see a cell magic: those end with a blank line."""

    def __call__(self, lines: list[str]) -> list[str]:
        """The cell, marked.

        Args:
            lines: The cell's lines, each with its line break.
        """
        if not lines or not lines[0].startswith(MAGIC):
            return lines
        rest = lines[0].removeprefix(MAGIC)
        is_empty = not "".join(lines[1:]).strip() and not asks_for_help(rest)
        if rest[:1].strip() or rest.rstrip().endswith("?") or is_empty:
            return lines
        return [f"{MARK + rest.rstrip()!r}\n", *cell_magic(self(lines[1:]))]


class Wrapper(ast.NodeTransformer):
    """Wraps the tree of a marked cell."""

    def __init__(self, interactivity: Callable[[], str]) -> None:
        """Prepare.

        Args:
            interactivity: Tells IPython's ``ast_node_interactivity``: which values a cell shows.
        """
        self.interactivity = interactivity

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Wrap a cell, if it is marked."""
        node.body = self.wrap(node.body)
        return ast.fix_missing_locations(node)

    def wrap(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of a cell, inside ``with`` if the first one is the mark."""
        line = marked(body)
        if line is None:
            return body
        first, rest = body[0], body[1:]
        if asks_for_help(line):
            return [ast.copy_location(ast.Expr(call("help", like=first)), first)]
        futures = [one for one in rest if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
        others = [one for one in rest if one not in futures]
        inside = self.wrap(others) if marked(rest) is not None else shown(others, self.interactivity())
        inside = with_imports_told(inside) if asks_for_lazy(line) else inside
        options = ast.copy_location(ast.Constant(line), first)
        item = ast.withitem(call("tracing", options, like=first))
        return [*futures, ast.copy_location(ast.With([item], inside or [ast.copy_location(ast.Pass(), first)]), first)]


def marked(body: list[ast.stmt]) -> str | None:
    """The options of a marked cell, or None for any other."""
    match body:
        case [ast.Expr(ast.Constant(str(text))), *_] if text.startswith(MARK):
            return text.removeprefix(MARK)
        case _:
            return None


def shown(body: list[ast.stmt], interactivity: str) -> list[ast.stmt]:
    """The statements, with those values handed to the shell's display that IPython would show.

    It shows only what stands at a cell's top level, which these no longer do.
    """
    changed = list(body)
    if interactivity == "last_expr_or_assign" and (name := assigned(body)):
        value = ast.copy_location(ast.Name(name, ast.Load()), body[-1])
        changed.append(ast.copy_location(ast.Expr(value), body[-1]))
    for index, statement in enumerate(changed):
        is_shown = interactivity == "all" or (interactivity != "none" and index == len(changed) - 1)
        if is_shown and isinstance(statement, ast.Expr):
            changed[index] = ast.copy_location(ast.Expr(call("show", statement.value, like=statement)), statement)
    return changed


def with_imports_told(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, each import of JAX followed by a call that tells of it; not those in functions and classes, which bind names of their own."""
    told: list[ast.stmt] = []
    for statement in body:
        told.append(statement)
        if imports_jax(statement):
            told.append(ast.copy_location(ast.Expr(call("imported", like=statement)), statement))
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for inner in ("body", "orelse", "finalbody"):
                if getattr(statement, inner, None):
                    setattr(statement, inner, with_imports_told(getattr(statement, inner)))
            for branch in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                branch.body = with_imports_told(branch.body)
    return told


def imports_jax(statement: ast.stmt) -> bool:
    """Whether a statement imports JAX or something of it."""
    match statement:
        case ast.Import(names):
            return any(name.name.partition(".")[0] == "jax" for name in names)
        case ast.ImportFrom(module=str(module), level=0):
            return module.partition(".")[0] == "jax"
        case _:
            return False


def assigned(body: list[ast.stmt]) -> str:
    """Name of the variable that the last statement assigns to; empty when it is something else."""
    match body[-1] if body else None:
        case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)) | ast.AugAssign(ast.Name(name)):
            return name
        case _:
            return ""


def call(method: str, *args: ast.expr, like: ast.stmt) -> ast.Call:
    """A call of one of the magic's methods, placed where another statement is, so that tracebacks name the user's line."""
    function = ast.parse(f"{HANDLE}.{method}", mode="eval").body
    for part in ast.walk(function):
        ast.copy_location(part, like)
    return ast.copy_location(ast.Call(function, list(args), []), like)
