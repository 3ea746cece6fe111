"""Counters and metrics of a capture that no longer holds all its events."""

from collections.abc import Mapping, Sequence

from x10_jupyter.metrics.instruments import MOST_SAMPLES, CounterSnapshot, MetricSnapshot, Snapshot
from x10_jupyter.records.thinned import Instrument


def kept(found: Mapping[str, Snapshot]) -> tuple[Instrument, ...]:
    """Counters and metrics as a capture keeps them."""
    return tuple(
        Instrument(name=one.name, kind="counter", total=one.value)
        if isinstance(one, CounterSnapshot)
        else Instrument(name=one.name, kind=one.kind, total=one.total, sum=one.sum, samples=one.samples)
        for one in found.values()
    )


def over_all(gone: Sequence[Instrument], held: Mapping[str, Snapshot]) -> dict[str, Snapshot]:
    """Counters and metrics over all events of a capture, in order of names.

    Args:
        gone: Over those that it no longer holds.
        held: Over those that it holds, by name.
    """
    found = dict(held)
    for one in gone:
        found[one.name] = counter(one, held.get(one.name)) if one.kind == "counter" else metric(one, held.get(one.name))
    return dict(sorted(found.items()))


def counter(gone: Instrument, held: Snapshot | None) -> CounterSnapshot:
    """One counter over all events."""
    return CounterSnapshot(gone.name, gone.total + (held.value if isinstance(held, CounterSnapshot) else 0))


def metric(gone: Instrument, held: Snapshot | None) -> MetricSnapshot:
    """One metric over all events, with the newest samples."""
    kind = "value" if gone.kind == "counter" else gone.kind
    if not isinstance(held, MetricSnapshot):
        return MetricSnapshot(gone.name, kind, gone.total, gone.sum, gone.samples)
    samples = (*gone.samples, *held.samples)[-MOST_SAMPLES:]
    return MetricSnapshot(gone.name, kind, gone.total + held.total, gone.sum + held.sum, samples)
