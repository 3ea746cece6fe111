"""What the operations of a capture took: together, by line, and by name scope."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.operation import Operation
from x10_jupyter.records.process_events import Profiled
from x10_jupyter.records.site import Site
from x10_jupyter.records.step import Step

Key = TypeVar("Key")

FEW = 3
"""Steps that a middle one is taken of, at least."""

MAKING: tuple[TimeName, ...] = ("lower", "compile", "cache_read")
"""What a step does only where something is compiled; steps with much of it are not compared with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Operations that have something in common."""

    operations: tuple[Operation, ...]
    """The longest first."""

    own_ns: int
    """What they took together."""


def operations(windows: Sequence[Profiled]) -> tuple[Operation, ...]:
    """The operations of several windows of the profiler, each instruction of each program once, the longest first."""
    found: dict[tuple[object, ...], list[Operation]] = {}
    for one in (each for window in windows for each in window.operations):
        found.setdefault((one.program, one.instruction, one.opcode, one.op, one.scope, one.is_backward, one.site), []).append(one)
    return tuple(sorted(map(together, found.values()), key=lambda one: -one.own_ns))


def together(same: Sequence[Operation]) -> Operation:
    """Runs of one instruction in several windows as one."""
    if len(same) == 1:
        return same[0]
    sums = {name: sum(getattr(one, name) for one in same) for name in ("times", "total_ns", "own_ns")}
    return replace(same[0], **sums)


def by(found: Iterable[Operation], key: Callable[[Operation], Key]) -> dict[Key, Part]:
    """Operations by what they have in common, what took longest first.

    Args:
        found: The longest first.
        key: What each has.
    """
    parts: dict[Key, list[Operation]] = {}
    for one in found:
        parts.setdefault(key(one), []).append(one)
    made = {each: Part(operations=tuple(same), own_ns=sum(one.own_ns for one in same)) for each, same in parts.items()}
    return dict(sorted(made.items(), key=lambda pair: -pair[1].own_ns))


def by_line(found: Iterable[Operation]) -> dict[Site | None, Part]:
    """Operations by the line that asked for them; functions of one line are told apart."""
    return by(found, lambda one: one.site)


def by_scope(found: Iterable[Operation]) -> dict[tuple[str, bool], Part]:
    """Operations by name scope, and whether they go forward or back."""
    return by(found, lambda one: (one.scope, one.is_backward))


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowdown:
    """How much slower steps were while the profiler ran."""

    inside_ns: int
    """The middle one of the steps inside its windows."""

    outside_ns: int
    """The middle one of the others."""

    @property
    def factor(self) -> float:
        """How many times as long a step took."""
        return self.inside_ns / self.outside_ns


def slowdown(windows: Sequence[Profiled], steps: Iterable[Step]) -> Slowdown | None:
    """How much the profiler slowed steps; None if too few ran inside or outside of it to tell.

    Args:
        windows: When it ran.
        steps: All of the capture.
    """
    inside, outside = list[int](), list[int]()
    for step in steps:
        start_ns, end_ns = step.start_ns, step.start_ns + step.wall_ns
        if makes_much(step):
            continue
        if any(window.start_ns <= start_ns and end_ns <= window.end_ns for window in windows):
            inside.append(step.wall_ns)
        elif all(end_ns <= window.start_ns or window.end_ns <= start_ns for window in windows):
            outside.append(step.wall_ns)
    if min(len(inside), len(outside)) < FEW:
        return None
    return Slowdown(inside_ns=middle(inside), outside_ns=max(middle(outside), 1))


def makes_much(step: Step) -> bool:
    """Whether a step compiled for more than a tenth of its time."""
    return sum(step.parts.get(name, 0) for name in MAKING) * 10 > step.wall_ns


def middle(values: list[int]) -> int:
    """The element at half of the sorted values."""
    return sorted(values)[len(values) // 2]
