"""When operations of programs ran, out of what JAX's profiler recorded, and how much of the devices' time belongs to each."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

CONTAINERS = ("while", "conditional", "call", "async-start")
"""What names of instructions begin with that run others: they get the time in which none of those runs."""

END = "end: "
"""What the profiler calls the moment in which an operation ended that another thread went on with."""


class Run(NamedTuple):
    """One run of one operation."""

    program: str
    program_id: int
    """Tells programs of one name apart; 0 if the profiler does not."""

    instruction: str
    start_ns: float
    """Since some moment that all have in common."""

    end_ns: float
    device: tuple[str, int]
    """Where it ran."""


def count(profile: Any) -> int:  # noqa: ANN401 - a `jax.profiler.ProfileData`
    """How many events of all kinds a profile holds. Takes 0.3 µs each."""
    return sum(1 for plane in profile.planes for line in plane.lines for _ in line.events)


def recorded(profile: Any) -> list[Run]:  # noqa: ANN401 - a `jax.profiler.ProfileData`
    """The runs of operations in a profile, in no order. Takes 3 µs an event."""
    runs: list[Run] = []
    producers: list[int | None] = []
    ends: dict[int, float] = {}
    for plane in profile.planes:
        for line in plane.lines:
            for event in line.events:
                name = event.name
                if name.startswith(END):
                    ended = next((value for key, value in event.stats if key == "_c"), None)
                    if ended is not None:
                        ends[ended] = event.start_ns
                    continue
                about = stats_of(event)
                if about is not None:
                    start_ns = event.start_ns
                    device = plane.name, int(about.get("device_ordinal", 0))
                    its_id = int(about.get("program_id", 0))
                    runs.append(Run(str(about.get("hlo_module", "")), its_id, str(about["hlo_op"]), start_ns, start_ns + event.duration_ns, device))
                    producers.append(about.get("_p"))
    return [run if made is None else run._replace(end_ns=max(run.end_ns, ends.get(made, 0.0))) for run, made in zip(runs, producers, strict=True)]


def stats_of(event: Any) -> dict[str, Any] | None:  # noqa: ANN401 - a `jax.profiler.ProfileEvent`
    """What the profiler says of an operation; None if an event is none. What the operation is comes first, so most events are left at once."""
    found: dict[str, Any] = {}
    for key, value in event.stats:
        if not found and key != "hlo_op":
            if key in FIRST:
                found[key] = value
                continue
            return None
        found[key] = value
    return found if "hlo_op" in found else None


FIRST = frozenset({"hlo_module", "program_id", "run_id", "device_ordinal", "correlation_id", "kernel_details", "name", "tf_op", "_p", "_pt"})
"""What may stand before the operation."""


def shares(runs: Sequence[Run]) -> npt.NDArray[np.float64]:
    """For each run the nanoseconds of its device's time that belong to it.

    Where several run at once each has an equal part; what runs others has only the time in which none of those runs. So those of a device add up to the time
    in which it worked.
    """
    found = np.zeros(len(runs))
    devices: dict[tuple[str, int], list[int]] = {}
    for place, run in enumerate(runs):
        devices.setdefault(run.device, []).append(place)
    for places in devices.values():
        spans = np.array([(runs[place].start_ns, runs[place].end_ns) for place in places])
        is_container = np.array([runs[place].instruction.startswith(CONTAINERS) for place in places], bool)
        found[np.array(places)] = shared(spans, is_container)
    return found


def shared(spans: npt.NDArray[np.float64], is_container: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """The same on one device.

    Args:
        spans: Start and end of each run, a row each.
        is_container: Whether it runs others.
    """
    moments, where = np.unique(spans, return_inverse=True)
    where = where.reshape(spans.shape)
    lengths = np.diff(moments)

    def running(which: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """How many run between each moment and the next."""
        changes = np.zeros(len(moments), np.int64)
        np.add.at(changes, where[which, 0], 1)
        np.add.at(changes, where[which, 1], -1)
        return np.cumsum(changes)[:-1]

    leaves, containers = running(~is_container), running(is_container)
    of_leaf = np.where(leaves > 0, lengths / np.maximum(leaves, 1), 0.0)
    of_container = np.where((leaves == 0) & (containers > 0), lengths / np.maximum(containers, 1), 0.0)
    until = [np.concatenate([[0.0], np.cumsum(each)]) for each in (of_leaf, of_container)]
    leaf, container = [sums[where[:, 1]] - sums[where[:, 0]] for sums in until]
    return np.where(is_container, container, leaf)


def busy_ns(runs: Iterable[Run]) -> float:
    """Time in which a device worked, that of several added."""
    total, ends = 0.0, dict[tuple[str, int], float]()
    for run in sorted(runs, key=lambda run: run.start_ns):
        begin_ns = max(run.start_ns, ends.get(run.device, run.start_ns))
        total += max(run.end_ns - begin_ns, 0.0)
        ends[run.device] = max(run.end_ns, ends.get(run.device, run.end_ns))
    return total
