"""What a long capture no longer holds as events: sums that are exact, and a sample of the steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.events import Event
from x10_jupyter.records.step import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """Events of one kind that did the same at the same line, as one."""

    event: Event
    """The last of them."""

    times: int
    """How many they were."""

    time: Mapping[TimeName, int]
    """Nanoseconds of the capturing thread by name while they lasted, as in `Capture.time`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """A counter or a metric, over the events that are gone."""

    name: str

    kind: Literal["counter", "time", "bytes", "value"]
    """``counter``; or what a metric's samples are: ``time``, ``bytes`` or ``value``."""

    total: int
    """What the counter counted, or how many samples were taken."""

    sum: int = 0
    """Of all samples; 0 for a counter."""

    samples: tuple[tuple[int, int], ...] = ()
    """The newest ones, each with the end of what was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinned:
    """What became of the events of the first part of a long window. Compiles and failures of all of it are kept."""

    until_ns: int
    """Where that part ends."""

    counts: Mapping[str, int]
    """How many events are gone, by the name of their kind."""

    late: int
    """Events that had begun before ``until_ns`` and were told of only when it had been summed up; they count from there on."""

    time: Mapping[TimeName, int]
    """Nanoseconds of the capturing thread by name in that part, all that no event covers as ``python``."""

    busy_ns: int
    """CPU time of the capturing thread that the events told of which are gone."""

    compile_ns: int
    """Time of that part during which any thread made programs."""

    device_ns: int
    """Time of that part during which any program was executing."""

    mark_ns: int
    """Where the last step of that part ended, or the window began if there was none: the step that was under way at ``until_ns`` began here."""

    since_mark: Mapping[TimeName, int]
    """``time`` from there on."""

    step_count: int
    """Steps that are gone as events, in the sample or not."""

    step_time: Mapping[TimeName, int]
    """Nanoseconds of all these steps by name."""

    steps: tuple[Step, ...]
    """A sample of them: the longest ones, and of the others one in some."""

    sums: tuple[Sum, ...]
    """What the events did, each thing at each line once; the first thousand."""

    instruments: tuple[Instrument, ...] = ()
    """The counters and metrics that they moved."""

    queued_ns: int = 0
    """Time in which the capturing thread waited for a core, of the events told of which are gone."""

    unmeasured_ns: int = 0
    """Time of that part in which it did what it needs a core for, and no event tells how long it waited for one."""

    trace_to_compile_ns: int = 0
    """Of ``time["trace"]``, what was traced for programs that the same thread then compiled."""
