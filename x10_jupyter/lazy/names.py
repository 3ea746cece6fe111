"""What the user calls the inputs of an operation."""

from collections.abc import Hashable, Iterator

from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.marks import Nested
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.value import Value
from x10_jupyter.lazy.written import Place, operator_of, places, written


def leaves_of(mark: Hashable, path: str) -> Iterator[tuple[str, Hashable]]:
    """The parts of a mark that are not looked into, each with what the user calls it."""
    if isinstance(mark, Nested):
        for name, part in zip(mark.names, mark.marks, strict=True):
            yield from leaves_of(part, path + name if name[:1] == "[" else name if name not in {"func", "attributes"} else path)
    elif isinstance(mark, tuple) and len(mark) == 2 and isinstance(mark[1], tuple) and mark[0].__class__.__name__ == "PyTreeDef":
        for i, part in enumerate(mark[1]):
            yield from leaves_of(part, f"{path}[{i}]" if len(mark[1]) > 1 else path)
    else:
        yield path, mark


def marked(call: Call) -> list[tuple[str, Hashable]]:
    """Every leaf of a call: what the user calls it, and what it is. What the function itself reads comes first."""
    if not call.marks:
        return []
    own = list(leaves_of(call.marks[0], ""))
    return own + [leaf for path, mark in zip(call.paths, call.marks[1:], strict=False) for leaf in leaves_of(mark, path)]


def named(state: State) -> str:
    """An operation and its line."""
    return f"`{state.op.call.name}` at {site_of(state.site)}"


def input_name(state: State, which: int) -> str:
    """What the user calls a tensor among the inputs of an operation.

    Args:
        state: The operation's place in the trie.
        which: Which of its tensors, from 0.
    """
    return operand_name(state.op.call, which, len(state.op.ins), state.site)


def operand_name(call: Call, which: int, tensors: int, line: Line | None) -> str:
    """What the user calls a tensor among those that a call is given.

    Args:
        call: The call.
        which: Which of its tensors, from 0.
        tensors: How many it has.
        line: Where it is written.
    """
    named = [path for path, mark in marked(call) if mark is Value]
    known = named[which] if which < len(named) else ""
    if known and call.is_users:
        return known
    # what the user wrote says more than what JAX calls its parameter
    place = place_of(call, which)
    said = written(call, line, place) if line is not None and place is not None else ""
    if said and len(said) <= LONGEST:
        return said
    if known == "self":
        return f"the tensor of .{call.name}"
    return known or (("left operand", "right operand")[which] if tensors == 2 else f"input {which}")


def place_of(call: Call, which: int) -> Place | None:
    """Where a tensor among those that a call is given stands in its arguments; None if that is not known.

    Args:
        call: The call.
        which: Which of its tensors, from 0.
    """
    if not call.marks:
        return Place(which, "") if operator_of(call) is not None else None
    found = [place for place, mark in zip(places(call), call.marks[1:], strict=False) if mark is Value]
    return found[which] if which < len(found) else None


LONGEST = 40
"""Characters of an expression that still names something."""


def number_name(call: Call, which: int) -> str:
    """What the user calls a number of an operation; empty for an operator's."""
    named = [path for path, mark in marked(call) if isinstance(mark, type) and mark is not Value]
    return named[which] if which < len(named) else ""
