"""What is worth to be told while code still runs: each thing once in a window."""

from collections.abc import Iterator
from typing import NamedTuple

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.recurring import Recurring
from x10_jupyter.diagnosis.unrolled import Unrolled, described, instead, unrolled
from x10_jupyter.diagnosis.words import inside, line_of, named
from x10_jupyter.records.compile import Compile, from_event, from_stages
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Sized, Staged
from x10_jupyter.records.runtime_events import Compiled
from x10_jupyter.records.site import Site

HEARD = frozenset({Compiled, Staged, Sized})
"""Kinds of events that it has to hear."""


class Alert(NamedTuple):
    """Something to tell."""

    text: str

    site: Site | None
    """The user's line that it is about."""


class Alarm:
    """Hears the events of a window as they come. It is not safe for several threads at once."""

    def __init__(self) -> None:
        """Begin with none."""
        self._recurring: Recurring | None = Recurring()
        """None when they have been told of."""
        self._staged: dict[tuple[int, str], dict[str, Staged]] = {}
        self._sized: dict[tuple[int, str], Sized] = {}
        """By thread and function, what is about to be compiled."""
        self._ops, self._seconds = 0, 0.0
        """Of the large programs that were compiled so far."""
        self._told: set[tuple[str, Site | None]] = set()

    def hear(self, event: Event) -> Iterator[Alert]:
        """Take one event, in the order in which they are told; what there is to say of it."""
        match event:
            case Sized():
                self._sized[event.thread, event.function] = event
                yield from self.large(event)
            case Compiled():
                yield from self.compiled(from_event(event))
            case Staged() if not event.is_own:
                phases = self._staged.setdefault((event.thread, event.function), {})
                if event.phase == "trace":  # what was lowered before belongs to another program
                    phases.clear()
                phases[event.phase] = event
                if event.phase == "compile":
                    del self._staged[event.thread, event.function]
                    yield from self.compiled(from_stages(event, phases, {}))  # other programs compiled within it count too, which is close enough here
            case _:
                pass

    def compiled(self, one: Compile) -> Iterator[Alert]:
        """A program was compiled."""
        size = self._sized.pop((one.thread, one.function), None)
        if size is not None and one.cache != "hit":
            self._ops, self._seconds = self._ops + size.ops, self._seconds + one.seconds
        text = self._recurring.hear(one) if self._recurring is not None else ""
        if text:
            self._recurring = None
            yield Alert(text, line_of(one))

    def large(self, event: Sized) -> Iterator[Alert]:
        """A program is about to be compiled, and may be large."""
        found = unrolled(event)
        if found is not None and (event.function, found.site) not in self._told:
            self._told.add((event.function, found.site))
            start = f"About to compile {described(named(event.function, event.site), found)}; {self.expected(found)}."
            yield Alert(f"{start} {inside(found.site)}: {instead(event, found)}.", found.site)

    def expected(self, found: Unrolled) -> str:
        """How long it will take, by what was compiled so far."""
        if not self._ops:
            return f"XLA takes the longer the more there are, some {count(1, 'second')} for each thousand on a CPU"
        each_ns = self._seconds / self._ops * 1e9
        return f"so far a thousand took {duration(each_ns * 1_000)}, so this may take {duration(each_ns * found.ops)}"
