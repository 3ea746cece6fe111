"""The graph of a path, as a record: what is computed, in X10's order and words."""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from x10_jupyter.lazy.avals import Aval, aval_of_array
from x10_jupyter.lazy.differences import operator_of, own_count, text
from x10_jupyter.lazy.digest import combined, digits, of_operation, of_texts, without_addresses
from x10_jupyter.lazy.graph import Numbers, in_order, number_bits
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.names import marked
from x10_jupyter.lazy.op import Call, Op
from x10_jupyter.lazy.placement import BOUND, devices_of, first_device
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.value import Value
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.records.site import Site

Tags = tuple[tuple[str, str], ...]


def draw(steps: Sequence[State], wanted: Sequence[int], numbers: Numbers, groups: Mapping[int, int]) -> Graph:
    """The graph that computes some values of a path.

    Args:
        steps: The path, from the root.
        wanted: The values.
        numbers: The path's numbers.
        groups: For each number that is a parameter, the first one that shares it; the others are constants.
    """
    drawing = Drawing(steps, numbers, groups)
    makers = {state.ref + i: state for state in steps if state.op is not None for i in range(len(state.op.outs))}
    roots = sorted(wanted)
    effects = [state for state in steps if state.op is not None and state.op.has_effects]
    for state in in_order([*[makers[i] for i in roots], *effects], makers):
        drawing.add(state)
    return drawing.graph([drawing.values[i] for i in roots])


class Kind(NamedTuple):
    """What every node of one operation has in common."""

    op: str
    results: tuple[str, ...]
    tags: Tags
    digest: bytes
    numbers: tuple[Aval, ...]
    """What each of its numbers is like."""
    is_reversed: bool
    """Whether the number stands on the left of the operator."""


def kind(op: Op) -> Kind:
    """What every node of an operation has in common."""
    call, operator = op.call, operator_of(op.call)
    numbers = tuple(map(aval_of_array, op.jaxpr.in_avals[len(op.ins) :]))
    is_reversed = operator is not None and operator[2] and len(op.ins) == 1
    return Kind(f"x10::{word(call.name)}", tuple(map(repr, op.outs)), tags(call), of_operation(op), numbers, is_reversed)


class Drawing:
    """A graph under way: its nodes, and where each value of the path is among them."""

    def __init__(self, steps: Sequence[State], numbers: Numbers, groups: Mapping[int, int]) -> None:
        self.leaves = [state for state in steps if state.op is None]
        self.context = next(state.op.context for state in steps if state.op is not None)
        self.numbers, self.groups = numbers, groups
        self.nodes: list[Node] = []
        self.digests: list[bytes] = []
        """Of each node, with all that it is computed from; which input is which they do not tell, as in X10."""
        self.values: dict[int, tuple[int, int]] = {}
        """By ref, the node and which of its results; inputs of the trace, too."""
        self.params: dict[int, tuple[int, int]] = {}
        self.kind_of: Callable[[Op], Kind] = remembering(kind)
        self.site_of: Callable[[Line | None], Site | None] = remembering(site_of)

    def add(self, state: State) -> None:
        """Add an operation, after what it takes."""
        its = self.kind_of(state.op)
        tensors, numbers = state.key[1:], range(state.slot, state.slot + len(its.numbers))
        if its.is_reversed:
            inputs = [*self.given(its, numbers, state.site), *self.taken(tensors)]
        else:
            inputs = [*self.taken(tensors), *self.given(its, numbers, state.site)]
        # no separators: a hash has always the same length
        digest = combined(its.digest, b"".join([self.digests[node] + b"%d;" % result for node, result in inputs]))
        place = self.node(its.op, its.results, its.tags, state.site, digest, tuple(inputs))
        for i in range(len(its.results)):
            self.values[state.ref + i] = (place, i)

    def taken(self, refs: Sequence[int]) -> list[tuple[int, int]]:
        """The tensors that an operation takes."""
        return [self.values[r] if r >= 0 else self.leaf(r) for r in refs]

    def given(self, its: Kind, slots: Sequence[int], line: Line | None) -> list[tuple[int, int]]:
        """The numbers that an operation is given."""
        return [self.number(slot, aval, line) for slot, aval in zip(slots, its.numbers, strict=True)]

    def leaf(self, ref: int) -> tuple[int, int]:
        """The node of device data."""
        found = self.values.get(ref)
        if found is None:
            state = self.leaves[-1 - ref]
            aval, place = state.key if isinstance(state.key, tuple) else (state.key, None)
            found = self.values[ref] = self.source("xla::device_data", aval, placed(place, self.context), state.site)
        return found

    def number(self, slot: int, aval: Aval, line: Line | None) -> tuple[int, int]:
        """The node of a number: a constant, or an input that those which share a parameter have in common."""
        shared = self.groups.get(slot)
        if shared is None:
            number = self.numbers[slot]
            return self.source("prim::Constant", aval, (("value", repr(number)),), line, number_bits(number))
        if shared not in self.params:
            self.params[shared] = self.source("xla::device_data", aval, placed(None, self.context), line)
        return self.params[shared]

    def source(self, op: str, aval: Aval, its_tags: Tags, line: Line | None, bits: bytes = b"") -> tuple[int, int]:
        """Add a node that takes nothing."""
        text = repr(aval)
        digest = combined(of_texts((op, text, *[part for tag in its_tags for part in tag])), bits)
        return self.node(op, (text,), its_tags, line, digest), 0

    def node(self, op: str, results: tuple[str, ...], its_tags: Tags, line: Line | None, digest: bytes, inputs: tuple[tuple[int, int], ...] = ()) -> int:
        """Add a node; returns its number."""
        self.nodes.append(Node(op=op, inputs=inputs, results=results, tags=its_tags, site=self.site_of(line), hash=digest.hex()))
        self.digests.append(digest)
        return len(self.nodes) - 1

    def graph(self, roots: Sequence[tuple[int, int]]) -> Graph:
        """What was added, as a graph with these roots."""
        whole = [digest + repr(node.inputs).encode() for digest, node in zip(self.digests, self.nodes, strict=True)]
        return Graph(
            id=digits(combined(b"".join(whole), repr(roots).encode())),
            nodes=tuple(self.nodes),
            roots=tuple(roots),
            hashes=tuple(digits(combined(self.digests[node], b"%d" % result)) for node, result in roots),
        )


def remembering(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same function, called once for each argument."""
    known: dict[Hashable, Any] = {}

    def get(key: Hashable) -> Any:
        try:
            return known[key]
        except KeyError:
            made = known[key] = make(key)
            return made

    return get


def word(name: str) -> str:
    """The name of an operation as one word without parentheses, so that text with it can be read again."""
    return re.sub(r"[\s(),=]+", "_", name)


def tags(call: Call) -> Tags:
    """What is static about a call, and what a function of the user's reads, by name, as X10's readers take it: letters, digits and underscores."""
    told = marked(call)
    shown = told if call.is_users else told[own_count(call) :]
    statics = [(path, mark) for path, mark in shown if path and mark is not Value and not isinstance(mark, type)]
    return tuple((re.sub(r"\W+", "_", path).strip("_"), " ".join(without_addresses(text(mark)).split())) for path, mark in statics)


def placed(place: Any, context: Any) -> Tags:
    """Where device data lies, in X10's words."""
    if place is None or place is BOUND:
        return (("device", device(first_device(context))), *([("committed", "1")] if place is BOUND else []))
    found = (("device", "+".join(map(device, devices_of(place)))),)
    return found if len(place.device_set) == 1 else (*found, ("sharding", " ".join(str(getattr(place, "spec", place)).split())))


def device(of: Any) -> str:
    """A device in X10's words: ``CPU:0``."""
    return f"{of.platform.upper()}:{of.id}"
