"""Arrays of one line that become more and more, and that nobody lets go: a loop that keeps what it should only report."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, takewhile

from x10_jupyter.base.units import count, duration, size
from x10_jupyter.diagnosis.claim import LEAST
from x10_jupyter.diagnosis.words import at, inside
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.findings import Finding
from x10_jupyter.records.memory import Amount, LineUse, Memory, total_bytes
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Stepped
from x10_jupyter.records.site import Site

LEAST_BYTES = 1 << 20
"""What grew by less fits everywhere, whatever part of the memory it is."""

LEAST_ARRAYS = 8
"""A model, its optimiser's state or a few batches are made once; what a loop keeps is one more at each of its turns."""

MOMENTS = 5
"""So often it must be known by line: at the beginning, at the end, and thrice between. With less nobody can tell a steady growth from a step."""

GROWING = 3 / 4
"""Of the times between two of these moments in so many it must have grown, since a moment may fall into a pause; and in none may it have shrunk."""

LATE = 1 / 6
"""Part of the growth that must be from the last third of the time: half of what a steady one has there. What is built at the beginning has none."""

ALONE_NS = 250_000_000
"""A line that fills for less long may be one that makes its state once: data or the layers of a model. So something else must have come as often meanwhile."""

NEW = 1 / 2
"""Part of the new arrays from which on, if so many programs were compiled at the line, each is another one: layers of a model, and no loop."""

SHOWN = 4
"""Moments that the evidence names."""


def findings(capture: Capture) -> list[Finding]:
    """One for each such line, the largest first; their share is that of all that the devices held at the end."""
    found = capture.memory
    if found is None or not found.samples or found.before is None or found.end is None:
        return []
    in_all = max(total_bytes(found.last), 1)
    least = max(LEAST_BYTES, LEAST * in_all)
    growing = [(line, grown) for line in found.lines if (grown := line.grown_bytes or 0) >= least and is_steady(line) and is_loop(capture, line)]
    return [finding(capture, found, line, grown, in_all) for line, grown in sorted(growing, key=lambda pair: -pair[1])]


def is_steady(line: LineUse) -> bool:
    """Whether a line's arrays became more all the time, and still did at the end."""
    series = since_it_grows(line)
    if line.kind != "array" or line.is_rest or line.before is None or len(series) < MOMENTS or line.now.count - line.before.count < LEAST_ARRAYS:
        return False
    changes = [after.size_bytes - before.size_bytes for (_, before), (_, after) in pairwise(series)]
    if min(changes) < 0 or sum(change > 0 for change in changes) < GROWING * len(changes):
        return False
    (start_ns, first), (end_ns, last) = series[0], series[-1]
    third_ns, two_thirds_ns = start_ns + (end_ns - start_ns) / 3, start_ns + (end_ns - start_ns) * 2 / 3
    if not any(third_ns <= at_ns <= two_thirds_ns for at_ns, _ in series):
        return False  # what became more after that may have done so in the first third
    early = max(amount.size_bytes for at_ns, amount in series if at_ns <= two_thirds_ns)
    return last.size_bytes - early >= LATE * (last.size_bytes - first.size_bytes)


def is_loop(capture: Capture, line: LineUse) -> bool:
    """Whether a line that fills is known to be that of a loop which goes on, and not one that makes its state once."""
    series = since_it_grows(line)
    start_ns, end_ns = series[0][0], series[-1][0]
    made = sum(start_ns <= one.end_ns <= end_ns for one in capture.compiles if is_at(one.call_site, line.site))
    if line.before is None or made >= NEW * (line.now.count - line.before.count):
        return False
    if end_ns - start_ns >= ALONE_NS:
        return True
    steps = sum(start_ns <= event.end_ns <= end_ns for event in capture.kinds.of(Stepped))
    reads = Counter((event.how, event.site) for event in capture.kinds.of(Read) if start_ns <= event.start_ns <= end_ns)
    return max([steps, *reads.values()]) >= LEAST_ARRAYS


def is_at(one: Site | None, other: Site | None) -> bool:
    """Whether two places are the same line; a comprehension is a function of its own only for who looks at Python's frames."""
    return one is not None and other is not None and (one.file, one.cell, one.line) == (other.file, other.cell, other.line)


def since_it_grows(line: LineUse) -> Sequence[tuple[int, Amount]]:
    """What is known of a line since the last moment before it began to grow: what runs in a loop is often compiled first, for long."""
    flat = takewhile(lambda one: one[1].size_bytes == line.series[0][1].size_bytes, line.series)
    return line.series[max(sum(1 for _ in flat) - 1, 0) :]


def finding(capture: Capture, found: Memory, line: LineUse, grown: int, in_all: int) -> Finding:
    """What is told of a line."""
    before = line.before or Amount()
    more = count(line.now.count - before.count, "array")
    return Finding(
        kind="memory_growth",
        share=min(grown / in_all, 1.0),
        seconds=0.0,
        size_bytes=grown,
        title=f"memory that keeps growing{at(line.site)}, {size(grown)} by {more}",
        advice=f"{inside(line.site) or 'In the loop'}: keep what you need of these arrays on the host, by `float()` or `np.asarray()`, and let go of the rest.",
        evidence_for=(
            f"There were {progress(line)}; never fewer than before.",
            f"That is {rate(capture, grown)}, and {size(grown)} of the {size(in_all)} that devices held at the end.",
            *full(capture, found),
        ),
        evidence_against=("Something still refers to all of them. Where that is meant, as for data that is loaded, there is nothing to fix.",),
        site=line.site,
    )


def progress(line: LineUse) -> str:
    """How it grew: ``0 arrays (0 B) at the beginning, then 12 (48 MiB), …``."""
    steps = max((len(line.series) - 1) // SHOWN, 1)
    shown = [*line.series[:-1:steps], line.series[-1]]
    told = [f"{amount.count:,} ({size(amount.size_bytes)})" for _, amount in shown]
    return f"{told[0]} of its arrays at the beginning, then {', '.join(told[1:-1])}, and {told[-1]} at the end"


def rate(capture: Capture, grown: int) -> str:
    """How fast it grew."""
    steps = capture.step_count
    return f"{size(round(grown / steps))} a step" if steps > 1 else f"{size(round(grown * 1e9 / capture.wall_ns))} in a second"


def full(capture: Capture, found: Memory) -> Sequence[str]:
    """When a device is full if it goes on so; only where a device tells how much there is."""
    for device in found.last.devices:
        first = next((one for one in found.first.devices if one.name == device.name), None)
        if device.limit_bytes and device.allocated_bytes is not None and first is not None and first.allocated_bytes is not None:
            grown = device.allocated_bytes - first.allocated_bytes
            if grown > 0:
                left_ns = (device.limit_bytes - device.allocated_bytes) * capture.wall_ns / grown
                return [f"If it goes on so, the {size(device.limit_bytes)} of {device.name} are full in {duration(left_ns)}."]
    return []
