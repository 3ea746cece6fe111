"""One compile as a reader of a capture finds it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Compiled
from x10_jupyter.records.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Compile:
    """A program that was compiled, what it cost and why it was not among the known ones."""

    function: str
    """What was compiled: for a trace the function with the cut."""

    seconds: float
    """Duration of all phases together."""

    phases: Mapping[str, float]
    """Seconds by phase: ``trace``, ``lower``, ``compile``."""

    call_site: Site | None
    """The line that asked for it, or None when it could not be told."""

    definition_site: Site | None
    """The line of the program's first operation, or None when it could not be told."""

    program: str
    """Name of the program, unique in its process."""

    cache: Literal["none", "hit", "miss"]
    """What the persistent cache said; ``none`` when it was off."""

    cause: Cause
    """Why it was compiled."""

    ops: int
    """Operations in the program."""


def from_event(event: Compiled) -> Compile:
    """The compile that an event tells of."""
    return Compile(
        function=event.function,
        seconds=(event.end_ns - event.start_ns) / 1e9,
        phases=MappingProxyType({name: took_ns / 1e9 for name, took_ns in event.phases.items()}),
        call_site=event.site,
        definition_site=event.definition_site,
        program=event.program,
        cache=event.cache,
        cause=event.cause,
        ops=event.ops,
    )
