"""Folds events into counters and metrics."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import RLock, get_ident
from types import MappingProxyType

from x10_jupyter.metrics.instruments import MOST_SAMPLES, Counter, CounterSnapshot, Metric, Snapshot
from x10_jupyter.metrics.table import FAMILIES, ROWS, Family, Row
from x10_jupyter.records.events import Event
from x10_jupyter.records.kinds import Kinds

MOST_NAMES = 1024
"""Counters of one family; what comes after so many names counts together."""
OTHERS = "(others)"

MOST_WAITING = 256
"""Events that wait at most."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of a registry."""

    generation: int
    """How often the registry had been cleared."""

    values: Mapping[str, int | tuple[int, int]]
    """By first name a counter's value, or a metric's total and sum."""


def by_event() -> Mapping[type[Event], tuple[list[Row], list[Family]]]:
    """What each kind of event moves."""
    found = defaultdict[type[Event], tuple[list[Row], list[Family]]](lambda: ([], []))
    for row in ROWS:
        found[row.event][0].append(row)
    for family in FAMILIES:
        found[family.event][1].append(family)
    return dict(found)


MOVED = by_event()


class Counters:
    """The counters of one family, of which there are not endlessly many."""

    __slots__ = ("_amounts", "_counts", "_times")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._amounts: Mapping[str, int] = {}
        self._times = 0
        """How often these amounts came, one after the other: those of a loop are the same object each time, and are added when others come."""

    def add(self, amounts: Mapping[str, int]) -> None:
        """Count by name."""
        if amounts is not self._amounts:
            self._add_up()
            self._amounts = amounts
        self._times += 1

    def _add_up(self) -> None:
        counts = self._counts
        for name, amount in self._amounts.items() if self._times else ():
            known = name if name in counts or len(counts) < MOST_NAMES else OTHERS
            counts[known] = counts.get(known, 0) + amount * self._times
        self._times = 0

    def items(self) -> Iterable[tuple[str, int]]:
        """Each name and its count."""
        self._add_up()
        return self._counts.items()


class Registry:
    """A sink that keeps all counters and metrics, for all threads."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self.generation = 0
        """How often it was cleared."""
        self._lock = RLock()  # the collector may run while it is held, and finalizers make events
        self._instruments: dict[str, Counter | Metric] = {}
        """By first name; there from the first use on."""
        self._families = {family.prefix: Counters() for family in FAMILIES}
        self._waiting: deque[Event] = deque()
        """Events that are not folded yet."""

    def emit(self, event: Event) -> None:
        """Take an event. What is told by the user's thread waits to be folded until another thread tells something, so that the user's has less to do."""
        self._waiting.append(event)
        if event.thread != get_ident() or len(self._waiting) >= MOST_WAITING:
            self._fold()

    def _fold(self) -> None:
        """Count and measure what the events tell that wait."""
        waiting, events = self._waiting, list[Event]()
        with self._lock:
            while waiting:
                events.append(waiting.popleft())
            self._take(Kinds(events))

    def take(self, events: Kinds) -> None:
        """Take many events at once."""
        with self._lock:
            self._fold()
            self._take(events)

    def _take(self, events: Kinds) -> None:
        """Count and measure what some events tell, those of one kind together; the lock is held."""
        for kind, (rows, families) in MOVED.items():
            alike = events.of(kind)
            if not alike:
                continue
            for row in rows:
                self._move(row, alike, [row.amount(event) for event in alike])
            for family in families:
                counters = self._families[family.prefix]
                for named in filter(None, map(family.amounts, alike)):
                    counters.add(named)

    def _move(self, row: Row, events: Sequence[Event], amounts: Sequence[int | None]) -> None:
        """Move one instrument by some events, of each by how much; None where it does not concern it."""
        if row.kind == "counter":
            if amount := sum(filter(None, amounts)):
                self._counter(row).value += amount
        elif values := [amount for amount in amounts if amount is not None]:
            measured = [event for event, amount in zip(events, amounts, strict=True) if amount is not None]
            self._metric(row).add(values, [event.end_ns for event in measured[-MOST_SAMPLES:]])

    def _metric(self, row: Row) -> Metric:
        found = self._instruments.get(row.names[0])
        if found.__class__ is not Metric:
            found = self._instruments[row.names[0]] = Metric(row.kind)  # pyright: ignore[reportArgumentType] # whoever calls has looked
        return found  # pyright: ignore[reportReturnType] # as above

    def _counter(self, row: Row) -> Counter:
        found = self._instruments.get(row.names[0])
        if found.__class__ is not Counter:
            found = self._instruments[row.names[0]] = Counter()
        return found  # pyright: ignore[reportReturnType] # a row is of one kind for good

    def snapshot(self) -> dict[str, Snapshot]:
        """All instruments that have counted something, by name, in order of names."""
        found: list[Snapshot] = []
        with self._lock:
            self._fold()
            for row in ROWS:
                one = self._instruments.get(row.names[0])
                if isinstance(one, Metric):
                    made = one.snapshot(row.names[0])
                    found += [replace(made, name=name) for name in row.names]
                elif one is not None:
                    found += [CounterSnapshot(name, one.value) for name in row.names]
            found += [CounterSnapshot(f"{prefix}::{name}", value) for prefix, counters in self._families.items() for name, value in counters.items()]
        return {one.name: one for one in sorted(found, key=lambda one: one.name)}

    def mark(self) -> Mark:
        """This moment, to tell later what has happened since; keeps no samples."""
        found: dict[str, int | tuple[int, int]] = {}
        with self._lock:
            self._fold()
            for name, one in self._instruments.items():
                found[name] = (one.total, one.sum) if isinstance(one, Metric) else one.value
            found |= {f"{prefix}::{name}": value for prefix, counters in self._families.items() for name, value in counters.items()}
            return Mark(self.generation, MappingProxyType(found))

    def since(self, mark: Mark) -> dict[str, Snapshot]:
        """What has happened since a moment, by name; if it was cleared in between, what has happened since then."""
        with self._lock:
            now = self.snapshot()
            if mark.generation != self.generation:
                return now
        return {name: moved(one, mark.values.get(FIRST_NAMES.get(name, name))) for name, one in now.items()}

    def clear(self) -> None:
        """Forget everything counted so far."""
        with self._lock:
            self.generation += 1
            self._waiting.clear()
            self._instruments.clear()
            self._families = {family.prefix: Counters() for family in FAMILIES}


FIRST_NAMES = {name: row.names[0] for row in ROWS for name in row.names}


def moved(now: Snapshot, before: int | tuple[int, int] | None) -> Snapshot:
    """How far an instrument has moved from an earlier value, or total and sum; None is nothing."""
    if isinstance(now, CounterSnapshot):
        return now.since(before) if isinstance(before, int) else now
    return now.since(before) if isinstance(before, tuple) else now


def folded(events: Iterable[Event]) -> dict[str, Snapshot]:
    """What some events come to, as a registry that had heard nothing else would tell."""
    registry = Registry()
    registry.take(Kinds(events))
    return registry.snapshot()
