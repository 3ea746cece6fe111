"""The program of a trace in canonical form: dead code removed, order normalised, so that equal programs compare equal."""

import struct
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from x10_jupyter.lazy.op import Op
from x10_jupyter.lazy.placement import BOUND, explicit_mesh
from x10_jupyter.lazy.trie import State


def path_to(state: State) -> list[State]:
    """The states from the first one after the root to this one."""
    states = []
    while state.parent is not None:
        states.append(state)
        state = state.parent
    states.reverse()
    return states


def operations(steps: Sequence[State]) -> list[State]:
    """A path without its leaves."""
    return [s for s in steps if s.op is not None]


Numbers = Mapping[int, Any]
"""A trace's numbers, by slot."""


def bits(numbers: Numbers, slots: Sequence[int]) -> bytes:
    """Numbers as bytes: tells -0.0 from 0.0 and 1 from 1.0; a nan equals itself."""
    return b"".join([number_bits(numbers[i]) for i in slots])


def number_bits(number: Any) -> bytes:
    """One number as bytes."""
    if number.__class__ is int:
        return b"i%d;" % number
    if number.__class__ is float:
        return b"f" + struct.pack("d", number)
    if number.__class__ is complex:
        return b"c" + struct.pack("dd", number.real, number.imag)
    return number.dtype.name.encode() + number.tobytes()


@dataclass(frozen=True, slots=True)
class Node:
    """An operation of a program."""

    op: Op
    inputs: tuple[int, ...]
    """From 0 values in canonical order, below 0 leaves: -1 is the first."""
    numbers: tuple[tuple[str, Any], ...]
    """``("baked", value)`` or ``("param", index)``, each."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A program in canonical form, and how a trace maps to it."""

    nodes: tuple[Node, ...]
    outputs: tuple[int, ...]
    """Canonical indices of the values to compute."""
    leaves: tuple[int, ...]
    """Which of the trace's leaves it reads, in its own order."""
    params: tuple[tuple[int, ...], ...]
    """For each parameter the places in the trace's list of numbers that share it."""
    wanted: tuple[int, ...]
    """Which of the trace's values the outputs are; first those that take over a donated leaf, in the order of these leaves."""
    donated: tuple[int, ...]
    """Which of its leaves the program overwrites, in its own order."""
    key: "Key"
    """Equal for equal programs."""
    depths: tuple[int, ...] = ()
    """For each node where in the path it was recorded: the depth of its state."""

    def groups(self) -> dict[int, int]:
        """For each number of the trace that is a parameter, the first one that shares it."""
        return {slot: slots[0] for slots in self.params for slot in slots}


class Key:
    """Equal for equal programs; its hash is computed once, since it goes over the whole program."""

    __slots__ = ("_hash", "_parts")

    def __init__(self, *parts: Hashable) -> None:
        self._parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Key) and self._hash == other._hash and self._parts == other._parts)


def shape_sums(steps: list[State], needed: set[int], numbers: Numbers, groups: dict[int, int]) -> dict[int, int]:
    """A checksum of each needed value's whole computation, blind to which leaf is which.

    It only gives an order, so it need not tell all computations apart; but it is the same in each process, as Python's hashes are not, so that a
    program is found in the persistent cache.
    """
    sums: dict[int, int] = {}
    leaves: list[int] = []
    for state in steps:
        if state.op is None:
            leaves.append(crc32(repr(state.key).encode()))
        elif state.depth in needed:
            slots = range(state.slot, state.slot + len(state.op.call.numbers))
            given = [b"param" if i in groups else number_bits(numbers[i]) for i in slots]
            operands = [leaves[-1 - r] if r < 0 else sums[r] for r in state.key[1:]]
            one = crc32(repr((state.op.call.name, state.op.ins, given, operands)).encode())
            for i in range(len(state.op.outs)):
                sums[state.ref + i] = one + i
    return sums


def canonical(steps: list[State], live: Sequence[int], numbers: Numbers, groups: dict[int, int], donated: Mapping[int, int] | None = None) -> Graph:
    """The canonical program that computes the live values of a path.

    Args:
        steps: The path, from the root.
        live: Which values to compute.
        numbers: The trace's numbers.
        groups: For each place in ``numbers`` that is a parameter, the place that it shares one with; the others are baked in.
        donated: For each of the trace's leaves that is donated the live value that takes its buffer.
    """
    makers: dict[int, State] = {}
    effects = []
    for state in steps:
        if state.op is not None:
            for i in range(len(state.op.outs)):
                makers[state.ref + i] = state
            if state.op.has_effects:
                effects.append(state)
    needed: set[int] = set()
    stack = [*[makers[i] for i in live], *effects]
    while stack:
        state = stack.pop()
        if state.depth not in needed:
            needed.add(state.depth)
            stack.extend([makers[r] for r in state.key[1:] if r >= 0])
    sums = shape_sums(steps, needed, numbers, groups)
    wanted = sorted(live, key=lambda i: (sums[i], i))
    return number_nodes([*[makers[i] for i in wanted], *effects], makers, wanted, numbers, groups, steps, donated or {})


def in_order(roots: list[State], makers: dict[int, State]) -> list[State]:
    """What the roots need and they themselves, each after what it needs."""
    found: dict[int, State] = {}
    stack = list(reversed(roots))
    while stack:
        state = stack[-1]
        waiting = [] if state.depth in found else [makers[r] for r in state.key[1:] if r >= 0 and makers[r].depth not in found]
        if waiting:
            stack.extend(reversed(waiting))
        else:
            stack.pop()
            found.setdefault(state.depth, state)
    return list(found.values())


def number_nodes(
    roots: list[State],
    makers: dict[int, State],
    wanted: list[int],
    numbers: Numbers,
    groups: dict[int, int],
    steps: list[State],
    donated: Mapping[int, int],
) -> Graph:
    """Number everything in the order in which the roots need it."""
    places = [s.key for s in steps if s.op is None]
    values: dict[int, int] = {}
    leaves: dict[int, int] = {}
    params: dict[int, list[int]] = {}
    order: dict[int, int] = {}
    nodes: list[Node] = []
    depths: list[int] = []
    for state in in_order(roots, makers):
        depths.append(state.depth)
        op, first = state.op, len(values)
        inputs = tuple([values[r] if r >= 0 else -1 - leaves.setdefault(-1 - r, len(leaves)) for r in state.key[1:]])
        given: list[tuple[str, Any]] = []
        for i in range(state.slot, state.slot + len(op.call.numbers)):
            if i in groups:
                params.setdefault(groups[i], []).append(i)
                given.append(("param", order.setdefault(groups[i], len(order))))
            else:
                given.append(("baked", numbers[i]))
        nodes.append(Node(op, inputs, tuple(given)))
        values.update({state.ref + i: first + i for i in range(len(op.outs))})
    given_up = sorted([leaves[i] for i in donated])
    takers = [donated[i] for i in sorted(donated, key=leaves.__getitem__)]
    wanted = [*takers, *[i for i in wanted if i not in set(takers)]]
    outputs = tuple([values[i] for i in wanted])
    read = [places[i] for i in leaves]
    key = Key(
        tuple([(n.op.key, n.inputs, tuple([(k, number_bits(v) if k == "baked" else v) for k, v in n.numbers])) for n in nodes]),
        outputs,
        tuple([key[0] if isinstance(key, tuple) and key[1] is BOUND else key for key in read]),
        any(isinstance(key, tuple) for key in read),  # then results are bound to devices, too
        mesh_of(steps),
        context_key(steps),
        tuple(given_up),
    )
    return Graph(tuple(nodes), outputs, tuple(leaves), tuple([tuple(slots) for slots in params.values()]), tuple(wanted), tuple(given_up), key, tuple(depths))


def mesh_of(steps: Sequence[State]) -> Any:
    """The mesh of a path's data, if its axes are part of types."""
    return explicit_mesh([s.key[1] for s in steps if s.op is None and isinstance(s.key, tuple)])


def context_key(steps: list[State]) -> Hashable:
    """JAX's configuration that the path was traced under."""
    return next((s.op.context.key for s in steps if s.op is not None), ())
