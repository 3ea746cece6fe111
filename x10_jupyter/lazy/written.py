"""Which expressions of the user's the arguments of an operation are; only where what is written at its line is that very operation."""

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from jax.tree_util import keystr, tree_flatten_with_path, tree_unflatten

from x10_jupyter.lazy.line import Line, expression
from x10_jupyter.lazy.op import Call, Tree

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
    ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
}  # fmt: skip
"""What Python calls the method of each operator, without underscores."""

MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
"""What Python asks the right operand of a comparison for where the left one does not know."""


UNKNOWN = "[?]"
"""Where a leaf is that can't be told."""


class Arguments(NamedTuple):
    """The expressions that a call is written with."""

    positional: list[ast.expr]
    named: dict[str, ast.expr]


class Place(NamedTuple):
    """Where a leaf stands in the arguments of a call."""

    argument: int | str
    """Its position, or its name."""

    inside: str
    """Where in it the leaf is: ``[0]``; empty if it is the argument itself."""


def operator_of(call: Call) -> tuple[str, str, bool] | None:
    """``("operator", name, is_reversed)`` if a call is one of Python's operators, also under gradients; else None."""
    base: Any = call.base
    while isinstance(base, tuple) and base and isinstance(base[0], tuple):
        base = base[0] if base[1] == call.name else None  # the forward of an operator, not its backward
    return base if isinstance(base, tuple) and base[:1] == ("operator",) else None


def places(call: Call) -> list[Place]:
    """Where each leaf of the arguments of a call stands, in order; empty if its arguments have no structure, as of an operator's short way."""
    if call.tree is None:
        return []
    args, kwargs = call.tree.children()
    found: list[tuple[int | str, Tree]] = [*enumerate(args.children()), *zip(kwargs.node_data()[1], kwargs.children(), strict=True)]
    return [Place(argument, inside) for argument, tree in found for inside in insides(tree)]


def insides(tree: Tree) -> list[str]:
    """Where each leaf of an argument is in it."""
    if tree.num_nodes == 1:
        return [""] * tree.num_leaves
    try:
        return [keystr(path) for path, _ in tree_flatten_with_path(tree_unflatten(tree, range(tree.num_leaves)))[0]]
    except Exception:  # noqa: BLE001 - a class of the user's need not take what is not its own
        return [UNKNOWN] * tree.num_leaves


def arguments(call: Call, line: Line) -> Arguments | None:
    """The expressions of a call's arguments, as the call is given them; None if they can't be had, or another operation is written there.

    What a library does within one expression of the user's has other arguments than that.

    Args:
        call: The call.
        line: Where it is written.
    """
    node = expression(line)
    operator = operator_of(call)
    if isinstance(node, ast.Call):
        return of_call(call, call.name if operator is None else operator[1], node)
    found = of_operator(operator, node) if operator is not None else of_access(call.name, node)
    return Arguments(found, {}) if found else None


def of_operator(operator: tuple[str, str, bool], node: ast.expr | ast.AugAssign | None) -> list[ast.expr]:
    """The operands of a binary operator, its own first; empty if it is not what is written."""
    _, name, is_reversed = operator
    name = name.strip("_")
    match node:
        case ast.BinOp(left=left, op=op, right=right) | ast.AugAssign(target=ast.expr() as left, op=op, value=right) if OPERATORS[type(op)] == name:
            return [right, left] if is_reversed else [left, right]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if OPERATORS.get(type(op)) == name:
            return [left, right]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if MIRRORED.get(OPERATORS.get(type(op), "")) == name:
            return [right, left]
        case _:
            return []


def of_access(name: str, node: ast.expr | ast.AugAssign | None) -> list[ast.expr]:
    """The arguments of what is written without a call: an operator of one operand, an index, a property; empty if it is something else."""
    match node:
        case ast.UnaryOp(op=op, operand=operand) if OPERATORS.get(type(op)) == name:
            return [operand]
        case ast.Subscript(value=value, slice=index) if name == "getitem":
            return [value, index]
        case ast.Attribute(value=value, attr=attr) if attr == name:
            return [value]
        case _:
            return []


def of_call(call: Call, name: str, node: ast.Call) -> Arguments | None:
    """The same of something that is called: a function, a method, or an update by ``.at``."""
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    if any(isinstance(argument, ast.Starred) for argument in node.args) or len(named) < len(node.keywords):
        return None
    count = len(call.tree.children()[0].children()) if call.tree is not None else 2
    match node.func:
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=value, attr="at"), slice=index), attr=attr) if name == f"at.{attr}":
            before = [value, index]
        case ast.Attribute(value=value, attr=attr) if attr == name:
            before = [value] if count == len(node.args) + 1 else []  # of a function there stands its module
        case ast.Name(id=said) if said == name:
            before = []
        case _:
            return None
    written = [*before, *node.args]
    if len(written) != count:
        return None
    operator = operator_of(call)
    return Arguments(written[::-1] if operator is not None and operator[2] else written, named)


def text(node: ast.expr, inside: str) -> str:
    """The source of a part of an expression; empty if the part has no source of its own.

    Args:
        node: The expression.
        inside: Where the part is in it; it may be all of it.
    """
    parts: Sequence[ast.expr] = node.elts if isinstance(node, (ast.Tuple, ast.List)) else ()
    if not inside:
        return ast.unparse(node)
    if parts and not any(isinstance(part, ast.Starred) for part in parts):
        which = [f"[{place}]" for place in range(len(parts))]
        return ast.unparse(parts[which.index(inside)]) if inside in which else ""
    return f"{ast.unparse(node)}{inside}" if isinstance(node, (ast.Name, ast.Attribute)) and inside != UNKNOWN else ""


def written(call: Call, line: Line, place: Place) -> str:
    """The source of a leaf of a call's arguments; empty if it can't be had.

    Args:
        call: The call.
        line: Where it is written.
        place: Where the leaf stands.
    """
    found = arguments(call, line)
    if found is None:
        return ""
    if isinstance(place.argument, str):
        node = found.named.get(place.argument)
    else:
        node = found.positional[place.argument] if place.argument < len(found.positional) else None
    return "" if node is None else text(node, place.inside)
