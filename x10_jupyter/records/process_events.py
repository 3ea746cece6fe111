"""What happened in the process, whether its code is lazy or not: JAX compiled, a value was read, garbage was collected, devices held and did something."""

from dataclasses import dataclass
from typing import Literal

from x10_jupyter.records.cause import Cause
from x10_jupyter.records.happened import Happened
from x10_jupyter.records.holding import Device, Holding, Pinned
from x10_jupyter.records.operation import Operation
from x10_jupyter.records.site import Site
from x10_jupyter.records.size import Baked, Callback, LineSize


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Happened):
    """JAX chose its platform and looked for devices, once in a process; whatever needed a device first had to wait for it."""

    cpu_ns: int = 0
    """CPU time of the thread meanwhile; 0 if it was not measured."""

    queued_ns: int = 0
    """Time meanwhile in which the thread was ready to run and others had the cores; 0 if it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged(Happened):
    """JAX traced, lowered or compiled something, as it tells by itself: of the user's own ``jax.jit``, of an operation that runs at once, of the runtime."""

    phase: Literal["trace", "lower", "compile"]
    """What it did; ``compile`` is also reading a program from the persistent cache."""

    function: str
    """What JAX calls it."""

    cache: Literal["none", "hit", "miss"] = "none"
    """What the persistent cache said of a compile; ``none`` when it is off, or this is none."""

    cause: Cause | None = None
    """Why it was compiled; None if this is no compile."""

    is_own: bool = False
    """Whether the lazy runtime asked for it, and not code of the user's."""

    is_eager: bool = False
    """Whether it is an operation of JAX's own that ran at once, such as ``jnp.sin`` outside any ``jax.jit``: a program of an operation or a few."""

    program: str = ""
    """Name of the program that was compiled, which no other one of this process has; empty if this is no compile, or it can't be told from others."""

    definition_site: Site | None = None
    """Where the function is defined; None for JAX's own operations, or when it could not be told."""

    cpu_ns: int = 0
    """CPU time of the thread meanwhile; 0 if it was not measured."""

    queued_ns: int = 0
    """Time meanwhile in which the thread was ready to run and others had the cores; 0 if it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized(Happened):
    """A program that is large, holds much data, or calls Python back is about to be compiled; without duration. Others (`records.size`) are not told of."""

    function: str
    """What is compiled, as the event of the compile has it."""

    ops: int
    """Operations in the program, those of an inner loop's body once."""

    lines: tuple[LineSize, ...] = ()
    """The lines that recorded them, those with most first; a bounded number, and none of a program that is not large."""

    baked: tuple[Baked, ...] = ()
    """Arrays that it holds as constants, the largest first; a bounded number, without small ones."""

    baked_bytes: int = 0
    """Size in bytes of all that are not small."""

    callbacks: tuple[Callback, ...] = ()
    """Where it calls Python back; a bounded number."""

    maker: Literal["runtime", "jax"] = "jax"
    """Who compiles it: the lazy runtime, or JAX for a function of the user's ``jax.jit``."""

    gradients: int = 0
    """How many gradients the trace holds, without those that are taken within another; of the lazy runtime alone, 0 for JAX."""

    gradient_site: Site | None = None
    """The line that takes most of them; None without any, or when it could not be told."""

    gradients_there: int = 0
    """How many of them that line takes: more than one if a loop is around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Happened):
    """A value was brought to the host, or handed to ordinary JAX; lasts until it was there."""

    how: str
    """In the user's words: ``float()``, ``numpy``, ``jax``."""

    aval: str
    """Shape and dtype, e.g. ``f32[8,128]``."""

    size_bytes: int
    """Size of the value in bytes."""

    pending_ops: int
    """Operations that had to be computed for it; 0 when the value was there already."""

    ready_ns: int | None = None
    """When the device had the value, so that copying it began; None when it was handed to JAX, and stayed where it was."""

    is_jax: bool = False
    """Whether it is an array of ordinary JAX that was waited for, and no lazy tensor; of those that nobody had to wait for nothing is told."""

    is_sampled: bool = False
    """Whether nobody told of it, but the thread was seen to stand there: then it may be several reads, one after the other."""

    beside_ns: int | None = None
    """If the device is the host, the CPU time that all other threads used since the read before: no more work than that was done on it. Else None."""

    queued_ns: int = 0
    """Time meanwhile in which the thread was ready to run and others had the cores; 0 if it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched(Happened):
    """Operations of JAX ran one after the other, each a program of its own, outside any ``jax.jit``; from the first of them to the last.

    What runs between them that is no such operation is part of it.
    """

    ops: int
    """How many there were, at whatever lines; the line is that which had most of those that were looked at."""

    each_ns: int
    """How long the middle one of those that were looked at took, from the end of the one before, in nanoseconds."""

    op: str
    """The most frequent of them: ``sin``."""

    is_gradient: bool = False
    """Whether most of them were those of a gradient that is not compiled; then those of the function itself are not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited(Happened):
    """A thread was seen to wait for another one: for a result, an item, a lock, or its end. For which one nobody tells."""

    how: str
    """In the user's words: ``.result()``, ``.join()``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttled(Happened):
    """The launch of a program of ordinary JAX was seen to wait, since JAX lets only so many be in flight; it may be several launches, one after the other."""

    function: str
    """What JAX calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected(Happened):
    """Python's garbage collector ran, and everything waited for it."""

    generation: int
    """Up to which generation it looked; 2 is a full pass."""

    collected: int
    """Objects that it found to be garbage."""

    cpu_ns: int = 0
    """CPU time of the thread meanwhile; 0 if it was not measured."""

    queued_ns: int = 0
    """Time meanwhile in which the thread was ready to run and others had the cores; 0 if it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiled(Happened):
    """What operations of programs took in a window of JAX's profiler; only made for sinks that ask for it. Begins and ends with the window."""

    operations: tuple[Operation, ...] = ()
    """Those that ran, the longest first."""

    busy_ns: int = 0
    """Time of the window in which a device worked; of several devices that of each is added."""

    records: int = 0
    """Events that the profiler recorded, of all kinds."""

    reading_ns: int = 0
    """How long it took, after the captured code, to read them; not a part of the window."""

    ended: Literal["with_the_code", "time", "size", "yielded", "never_began", "failed"] = "with_the_code"
    """Why the window ended: the captured code did, it was as long or had as many events as a window may have, another profiler session of this process was to
    begin; or why there is none."""

    reason: str = ""
    """The same in a sentence, where it did not end with the code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled(Happened):
    """What devices held and did at a moment; only made for sinks that ask for it. Without duration."""

    devices: tuple[Device, ...]
    """Each that held something or tells of itself."""

    program_bytes: int = 0
    """Size of the programs on all devices; 0 where it is not told, as on a CPU."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held(Happened):
    """The same of some of these moments by line: of the beginning and the end of a capture, of when there was most, and of a few between. Without duration."""

    moment: Literal["beginning", "between", "end"]
    """Which moment of its capture it is."""

    holdings: tuple[Holding, ...]
    """By line, kind and device, the largest first. Together they are all there was."""

    reason: str = ""
    """Why it could not be told, in a sentence; empty if it was."""

    untold: str = ""
    """Why nobody tells how busy the devices are, in a sentence; empty if it is told."""

    pinned: tuple[Pinned, ...] = ()
    """At the end, what objects hold that JAX keeps for ever, since they were static arguments; those that hold most."""
