"""The one table of counters and metrics: what each is called, what it means, and which events move it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from x10_jupyter.metrics.instruments import Kind
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Chained, Compiled, Counted, Cut, Executed, FellBack, Stepped, Traced, Transferred


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One instrument."""

    names: tuple[str, ...]
    """What it is called; it is reported under each of these names."""

    kind: Kind | Literal["counter"]

    means: str
    """What it tells, in a few words."""

    moves: str
    """When it is counted or measured."""

    event: type[Event]
    """What moves it."""

    amount: Callable[[Any], int | None]
    """How much, from the event; None when this one does not concern it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Counters of one prefix, one for each thing that is met."""

    prefix: str
    """What the counters' names begin with, before ``::``."""

    example: str
    """Name of one of them."""

    means: str
    moves: str
    event: type[Event]

    amounts: Callable[[Any], Mapping[str, int] | None]
    """How much by the rest of the name, from the event."""


def metric(kind: Kind, names: str, event: type[Event], amount: Callable[[Any], int | None], means: str, moves: str) -> Row:
    """A row of a metric."""
    return Row(names=tuple(names.split()), kind=kind, event=event, amount=amount, means=means, moves=moves)


def counter(names: str, event: type[Event], amount: Callable[[Any], int | None], means: str, moves: str) -> Row:
    """A row of a counter."""
    return Row(names=tuple(names.split()), kind="counter", event=event, amount=amount, means=means, moves=moves)


def counted(names: str, means: str, moves: str) -> Row:
    """A row of a counter that the producer keeps itself, under the first of the names."""
    first = names.split()[0]

    def amount(event: Counted) -> int | None:
        return event.counts.get(first)

    return counter(names, Counted, amount, means, moves)


def took(event: Event) -> int:
    """How long something lasted."""
    return event.end_ns - event.start_ns


def waiting(event: Executed) -> int:
    """How long the device was busy with earlier programs during the launch."""
    return max(min(event.began_ns, event.launched_ns) - event.start_ns, 0)


def compiling(event: Compiled) -> int | None:
    """How long XLA compiled."""
    return None if event.cache == "hit" else event.phases.get("compile", took(event))


def loading(event: Compiled) -> int | None:
    """How long it took to read a program from the persistent cache."""
    return event.phases.get("compile", took(event)) if event.cache == "hit" else None


def copying(event: Read) -> int | None:
    """How long a value was copied to the host."""
    return None if event.ready_ns is None or event.is_jax else event.end_ns - event.ready_ns


def inbound(event: Read) -> int | None:
    """Bytes that came to the host."""
    return None if event.ready_ns is None or event.is_jax else event.size_bytes


def outbound(event: Transferred) -> int | None:
    """Bytes that went to a device."""
    return event.size_bytes if event.direction == "to_device" else None


def uploading(event: Transferred) -> int | None:
    """How long data was brought to a device."""
    return took(event) if event.direction == "to_device" else None


def entering(event: Transferred) -> int | None:
    """How long data of the host that an operation was given was brought to a device."""
    return took(event) if event.is_operand and not event.aval.endswith("[]") else None


def nodes(event: Cut) -> int | None:
    """Nodes of a program, also of one that could not be compiled."""
    return None if event.content is None or not event.content.nodes else event.content.nodes


def scalars(event: Cut) -> int | None:
    """Numbers handed to a program."""
    return None if event.program is None or event.content is None else event.content.numbers


ROWS: tuple[Row, ...] = (
    metric("time", "CompileTime", Compiled, compiling, "XLA's time to compile a program", "each compile; not when the program came from the persistent cache"),
    metric("time", "PersistentCacheLoad", Compiled, loading, "time to read a program from the persistent cache", "each program that was found there"),
    metric(
        "time", "LazyTracing", Traced, took, "the user's Python from the first operation of a trace to its cut, with whatever it waits for", "each cut"
    ),
    metric(
        "time", "ExecuteTime", Executed, lambda e: e.end_ns - e.began_ns,
        "a program's time on the device, from its launch, or the end of the program before it, until its results are ready; "
        "of a short program the time of a run that was waited for, which is one in some", "each run, when it has ended",
    ),
    metric(
        "time", "DeviceLockWait", Executed, waiting,
        "of a launch, the time for which the device was still at work on programs launched before: there is no lock here, but JAX lets Python wait then "
        "if the device has too much to do. 0 if it had nothing to do, also for a program that runs within its launch", "each run, when it has ended",
    ),
    metric("time", "TransferToServerTime TransferToDeviceTime", Transferred, uploading, "time to bring data from the host to a device", "each transfer"),
    metric("bytes", "OutboundData", Transferred, outbound, "data brought from the host to a device", "each transfer"),
    metric(
        "time", "IrValueTensorToXlaData", Transferred, entering, "time to bring a host array to the device that an operation was given as it is",
        "each operation with such an array that is no scalar",
    ),
    metric(
        "time", "TransferFromServerTime TransferFromDeviceTime", Read, copying, "time to copy a value to the host, once the device has it",
        "each read after which the host has the value, also of one that was read before: `float()` and the like, `print`, `format`, `in`, `.item()`, "
        "`.tolist()`, `.tobytes()`, NumPy, `jax.device_get`, pickling, DLPack of the host's memory. "
        "What is handed to JAX stays where it is, as with `.data` or iteration",
    ),
    metric("bytes", "InboundData", Read, inbound, "data brought to the host", "each read by the host"),
    metric(
        "value", "TensorsGraphSize", Cut, nodes, "nodes of a trace's program: operations, and the data and numbers they read",
        "each cut with something to compute, known or not; not one that runs op by op",
    ),
    metric("value", "InputOutputAliasCount", Compiled, lambda e: e.aliases, "inputs whose memory a program's outputs take over", "each compile"),
    counter(
        "CachedCompile CachedSyncTensors", Cut, lambda e: int(e.program is not None and e.is_known), "cuts whose program was known",
        "each such cut, whether or not its program failed",
    ),
    counter(
        "UncachedCompile UncachedSyncTensors", Cut, lambda e: int(not e.is_known), "cuts whose program was not known",
        "each such cut: its program was compiled, or read from the persistent cache, or could not be compiled",
    ),
    counter("PersistentCacheHit", Compiled, lambda e: int(e.cache == "hit"), "programs found in the persistent cache", "each compile, if there is a cache"),
    counter("PersistentCacheMiss", Compiled, lambda e: int(e.cache == "miss"), "programs not found there", "each compile, if there is a cache"),
    counter("ExecuteComputation", Executed, lambda _: 1, "programs run", "each run, when it has ended; not one that failed"),
    counter("MarkStep", Stepped, lambda _: 1, "barriers", "each barrier, whether or not its program failed"),
    counter("TrimIrGraph", Cut, lambda e: int(e.why == "limit"), "traces cut because they had become too long", "each such cut"),
    counter(
        "DeviceDataCacheMiss", Cut, scalars, "numbers uploaded to be parameters of programs; they are not kept on the device", "each cut that runs a program"
    ),
    counted("CreateXlaTensor", "tensors made: results of operations, and the user's", "each cut, for its operations; at once for others"),
    counted("DestroyXlaTensor", "tensors that are gone", "when a cut or a report looks; within a trace at its cut"),
    counted("CreateDataHandles", "device data that a tensor has got", "each cut, for what outlives its trace; at once for the user's"),
    counted(
        "DestroyDataHandles ReleaseDataHandles", "device data whose tensor is gone; JAX frees it as soon as nobody refers to it, with no queue between",
        "when a cut or a report looks",
    ),
    counted("CreateCompileHandles", "compiled programs made", "each compile"),
    counted("ReleaseCompileHandles", "programs that had to make room for others", "each compile beyond the size of the cache"),
    counted("DestroyCompileHandles", "compiled programs that are gone", "when a cut or a report looks"),
    metric("time", "ExecuteChainedTime", Chained, took, "time to launch a trace's operations one after the other", "each trace that runs op by op"),
    metric("value", "OpByOpGraphSize", Chained, lambda e: e.ops, "operations of such a trace", "each trace that runs op by op"),
    counter("OpByOpCompileCacheMiss", Chained, lambda e: e.compiled, "operations compiled for such a trace", "each trace that runs op by op"),
)  # fmt: skip

FAMILIES: tuple[Family, ...] = (
    Family(
        prefix="x10", example="x10::dot_general", event=Cut, amounts=lambda e: e.content and e.content.recorded,
        means="operations recorded, by name", moves="each cut, for the operations of its trace, whether or not its program failed",
    ),
    Family(
        prefix="fallback", example="fallback::nonzero", event=FellBack, amounts=lambda e: {e.op: 1},
        means="operations that ran on their own since they need concrete values, by name", moves="each such operation",
    ),
    Family(
        prefix="cause", example="cause::shape", event=Compiled, amounts=lambda e: {e.cause.kind: 1},
        means="compiles by what was new: `first` is the first time, all others are recompiles", moves="each compile",
    ),
)  # fmt: skip

MEANINGLESS: Mapping[str, str] = {
    "ExecuteReplicatedTime, ExecuteParallelTime": "a program over several devices is one program, and counts in `ExecuteTime`",
    "DeconstructTupleTime": "JAX hands results out one by one",
    "TransferToServerTransformTime": "JAX does not tell the layout part of a transfer apart",
    "ReleaseDataHandlesTime, ReleaseCompileHandlesTime": "memory is freed at once, with no queue",
    "SyncTensorsToData": "data of the host is uploaded when the tensor is made, not at a barrier",
    "Xrt…, XRT…": "there is no XRT server",
    "EagerOpCompileTime, EagerOpExecuteTime": "what runs at once is JAX's own; see `fallback::…`",
}
"""Names of X10 and PyTorch/XLA that nothing here corresponds to, and why."""
