"""Which numbers of a trace are parameters of its program, and which are baked in.

A number is never part of the path. One written as a literal at an operator is baked; any other is a parameter from the start. A literal that
changes becomes a parameter; at the second such event in a trace all that are left do. There is one parameter for each place (operation, which
number of it, line), never one for each value, since values may become equal and part again.
"""

from collections.abc import Sequence
from typing import Any

from x10_jupyter.lazy.graph import Numbers, number_bits
from x10_jupyter.lazy.op import Call, note
from x10_jupyter.lazy.trie import State

Place = tuple[Call, int, Any]


def places_of(steps: Sequence[State]) -> list[Place]:
    """For each number of a path the operation, which number of it, and the line."""
    return [(s.op.call, i, s.site) for s in steps if s.op is not None for i in range(len(s.op.call.numbers))]


def grouped(places: Sequence[Place], numbers: Numbers, foreign: frozenset[int] = frozenset()) -> dict[int, int]:
    """For each number that is a parameter, the first number that shares its parameter.

    Args:
        places: Where each number stands.
        numbers: The trace's numbers.
        foreign: Numbers whose place was noted when other code passed there. Whether they are literals here is not known, so each is a parameter.
    """
    groups: dict[int, int] = {}
    first: dict[Any, int] = {}
    for i, (call, which, line) in enumerate(places):
        if (which, line) in call.places:
            # a place that shows several values in one trace has one parameter for each number
            share = (id(call), which, line, i if (which, line) in call.split else number_bits(numbers[i]))
            groups[i] = first.setdefault(share, i)
        elif i in foreign:
            groups[i] = i
    return groups


def settle(steps: Sequence[State], home: tuple[str, str]) -> frozenset[int]:
    """Note where the places of a path were first compiled; returns the numbers of those that other code compiled before.

    Args:
        steps: The path.
        home: File and function of the cut.
    """
    foreign: list[int] = []
    for s in steps:
        if s.home is None:
            s.home = home
        elif s.home != home and s.op is not None:
            foreign += range(s.slot, s.slot + len(s.op.call.numbers))
    return frozenset(foreign)


def free(places: Sequence[Place], slots: Sequence[int]) -> None:
    """Let these numbers be parameters from now on."""
    for i in slots:
        call, which, line = places[i]
        note(call.places, (which, line))


def part(places: Sequence[Place], slots: Sequence[int]) -> None:
    """Let each of these numbers have a parameter of its own from now on."""
    for i in slots:
        call, which, line = places[i]
        note(call.split, (which, line))
