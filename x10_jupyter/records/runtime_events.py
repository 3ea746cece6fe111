"""What the lazy runtime did: one frozen record for each kind of event."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from x10_jupyter.records.cause import Cause
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.happened import Happened
from x10_jupyter.records.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced(Happened):
    """The user's Python ran and recorded operations, from the first operation of a trace to its cut."""

    ops: int
    """Operations recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiling(Happened):
    """A program is about to be compiled, which may take long; without duration, and only made for sinks that ask for what begins."""

    program: str
    """Name of the program."""

    function: str
    """What is compiled: for a trace the function with the cut."""

    ops: int
    """Operations in the program."""

    cause: Cause
    """Why it is not among the known programs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled(Happened):
    """A program was compiled, all phases together."""

    program: str
    """Name of the program, unique in this process."""

    function: str
    """What was compiled: for a trace the function with the cut."""

    ops: int
    """Operations in the program, without those nothing depends on."""

    inputs: int
    """Device buffers the program reads."""

    outputs: int
    """Values the program computes."""

    phases: Mapping[str, int]
    """Nanoseconds by phase: ``trace`` (to a jaxpr), ``lower`` (to StableHLO), ``compile`` (XLA)."""

    cause: Cause
    """Why it was not among the known programs."""

    cache: Literal["none", "hit", "miss"]
    """What the persistent cache said; ``none`` when it is off."""

    definition_site: Site | None
    """The first operation's line."""

    aliases: int = 0
    """Inputs whose memory outputs take over."""

    cpu_ns: int = 0
    """CPU time of the thread meanwhile; 0 if it was not measured."""

    queued_ns: int = 0
    """Time meanwhile in which the thread was ready to run and others had the cores; 0 if it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejoined(Happened):
    """A trace that took another path turned out to be a known program: nothing was compiled."""

    program: str
    """Name of the known program."""

    cause: Cause
    """Where and how the path differed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed(Happened):
    """A program ran: from its launch until its results were ready."""

    program: str
    """Name of the program."""

    launched_ns: int
    """When the launching call returned to Python."""

    began_ns: int
    """When the device could begin with it: at its launch, or when the program before it had left the same device."""

    is_exact: bool = True
    """Whether its end was seen; else it is taken to have been as long as the last run of the same program that was seen, at most until it was found ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a trace holds, counted. All cuts of the same trace with the same program share one."""

    recorded: Mapping[str, int]
    """Operations recorded, by name."""

    nodes: int
    """Nodes of the program's graph: its operations, and the device data and numbers that it reads; 0 without a graph to compile."""

    numbers: int
    """Numbers that are handed to the program, and so uploaded each time it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut(Happened):
    """A trace ended and its live values were computed."""

    why: Literal["barrier", "read", "fallback", "limit", "config", "device"]
    """What asked for it."""

    how: str
    """In the user's words: ``barrier()``, ``float()``, ``nonzero``."""

    ops: int
    """Operations in the trace."""

    live: int
    """Values that something still referred to."""

    program: str | None
    """Name of the program that was found or compiled for it, though it may have failed; None when nothing was live, or it could not be compiled."""

    is_known: bool = True
    """Whether nothing had to be compiled for it; without a program False says that it could not be."""

    content: Content | None = None
    """What the trace held; None when it could not be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transferred(Happened):
    """Data was brought from the host to a device, or from some devices to others."""

    direction: Literal["to_device", "from_device", "between_devices"]
    """Which way."""

    is_operand: bool = False
    """Whether it is data of the host that an operation was given, and not a tensor made by the user."""

    aval: str
    """Shape and dtype, e.g. ``f32[8,128]``."""

    size_bytes: int
    """Size in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FellBack(Happened):
    """An operation that needs concrete values ran on its own, outside any program."""

    op: str
    """Its name."""

    reason: str
    """What it needed, in one sentence."""

    compiling: tuple[tuple[int, int], ...] = ()
    """When JAX traced, lowered or compiled for it: start and end of each, in nanoseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chained(Happened):
    """A trace ran op by op: each of its operations on its own, outside any program."""

    ops: int
    """Operations that ran."""

    compiled: int
    """Operations among them that had no program of their own yet."""

    compiling: tuple[tuple[int, int], ...] = ()
    """When JAX traced, lowered or compiled for them: start and end of each, in nanoseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraced(Happened):
    """A function had to be traced again, as at each of its calls, since it reads something that cannot be seen into."""

    op: str
    """The function's name."""

    reads: str
    """The kind of object it reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending(Happened):
    """Operations were recorded and had not run at a moment, such as the end of a capture; without duration and line."""

    ops: int
    """How many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped(Happened):
    """A step ended at a barrier; it began at the barrier before, or with the first operation."""

    index: int
    """Number of the step in this process, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Happened):
    """A program could not be compiled or run."""

    program: str
    """Name of the program."""

    phase: Literal["compile", "execute"]
    """What failed."""

    message: str
    """The error's first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphed(Happened):
    """The graph of a trace that was cut and had something to compute; only made for sinks that ask for graphs."""

    graph: Graph
    """What was computed."""

    why: Literal["barrier", "read", "fallback", "limit", "config", "device"]
    """What asked for the cut."""

    how: str
    """In the user's words: ``barrier()``, ``float()``, ``nonzero``."""

    op_by_op: bool = False
    """Whether each operation ran as a program of its own."""

    frames: tuple[Site, ...]
    """The user's functions that were running at the cut, the innermost first."""

    program: str
    """Name of the program that ran; empty when there is none yet, or was none."""

    key: str
    """Lower-case hexadecimal digits that tell this program from any other; empty when it has no name."""

    found: Literal["compiling", "miss", "hit", "failed", "none"]
    """Whether the program is about to be compiled, was compiled, was known, or could not be compiled or launched; ``none`` if each operation ran on its own.

    What is compiled is told twice, before and after, since a compile may never end. The thread tells of no other graph between.
    """

    compile_ns: int = 0
    """How long the compile took, all phases together; 0 for a known program."""

    cache: Literal["none", "hit", "miss"] = "none"
    """What the persistent cache said of the compile; ``none`` when it is off."""

    cause: Cause | None = None
    """Why it was compiled; None for a known program."""

    nearest: Graph | None = None
    """The graph of the nearest known program, which the cause compares with."""

    nearest_frames: tuple[Site, ...] = ()
    """The user's functions that were running when that was last cut; as far as it is known."""

    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """What became of the graph, in the forms that a sink asks for: ``hlo``, ``stablehlo``, ``jaxpr``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dumped(Happened):
    """A program that could not be compiled, or compiled slowly; only made for sinks that ask for such programs."""

    why: Literal["failed", "slow"]
    """Which of the two."""

    hlo: str
    """The program, as XLA was given it."""

    compile_ns: int
    """How long XLA took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(Happened):
    """What a producer only counts, such as tensors that are gone, since it told of it last."""

    counts: Mapping[str, int]
    """How many, by name of the counter, e.g. ``DestroyXlaTensor``."""
