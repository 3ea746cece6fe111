"""When operations of programs ran, out of what JAX's profiler recorded, and how much of the devices' time belongs to each."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

CONTAINER = re.compile(r"(?:while|conditional|call|async-start)(?:\.[\d.]+)?")
"""Names of instructions that run others: they get the time in which none of those runs."""

HOST = "/host:"
OTHER = re.compile(r"[: (]")
"""What a name on the host has that is no instruction's: most events are the runtime's own, and to look at what is said of each would take most of the time."""

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
    """The runs of operations in a profile, in no order. Takes 2 µs an event."""
    begun: list[tuple[Run, int | None]] = []
    ends: dict[int, tuple[int, float]] = {}
    starts: list[list[float]] = []
    """Of each thread, when runs began on it."""
    for plane in profile.planes:
        is_host = plane.name.startswith(HOST)
        for line in plane.lines:
            mine: list[float] = []
            last, last_ns = "", 0.0
            for event in line.events:
                name = event.name
                if name.startswith(END):
                    if name[len(END) :] == last and event.start_ns <= last_ns:
                        continue  # it ended on the thread that began it, as most do
                    ended = next((value for key, value in event.stats if key == "_c"), None)
                    if ended is not None:
                        ends[ended] = len(starts), event.start_ns
                elif not (is_host and OTHER.search(name)) and (about := stats_of(event)) is not None:
                    mine.append(event.start_ns)
                    device = plane.name, int(about.get("device_ordinal", 0))
                    its_id, span = int(about.get("program_id", 0)), (event.start_ns, event.start_ns + event.duration_ns)
                    last, last_ns = name, span[1]
                    begun.append((Run(str(about.get("hlo_module", "")), its_id, str(about["hlo_op"]), *span, device), about.get("_p")))
            starts.append(sorted(mine))
    return [run if made not in ends else finished(run, *ends[made], starts) for run, made in begun]


def finished(run: Run, thread: int, told_ns: float, starts: Sequence[Sequence[float]]) -> Run:
    """A run with its end, where other threads went on with it.

    The last of them tells that it has ended, but before that it goes on with what waited for it; so it ended at the latest when that began.

    Args:
        run: It, as far as its first thread worked on it.
        thread: Which one told of its end.
        told_ns: When.
        starts: When runs began on each thread, ascending.
    """
    after = bisect_left(starts[thread], run.end_ns)
    if CONTAINER.fullmatch(run.instruction) is None and after < len(starts[thread]):
        told_ns = min(told_ns, starts[thread][after])
    return run._replace(end_ns=max(run.end_ns, told_ns))


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
        is_container = np.array([CONTAINER.fullmatch(runs[place].instruction) is not None for place in places], bool)
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
