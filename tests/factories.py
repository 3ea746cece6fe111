"""Made-up facts for tests: every field has a value, and a test names those it is about."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.environment import Environment
from x10_jupyter.records.events import Event
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.holding import Device, Holding, Pinned
from x10_jupyter.records.node import Node
from x10_jupyter.records.operation import Operation
from x10_jupyter.records.process_events import Collected, Dispatched, Held, Profiled, Read, Sampled, Sized, Staged, Started, Throttled, Waited
from x10_jupyter.records.program import Cost, Memory, Program
from x10_jupyter.records.runtime_events import (
    Chained,
    Compiled,
    Compiling,
    Counted,
    Cut,
    Dumped,
    Executed,
    FellBack,
    Graphed,
    Pending,
    Retraced,
    Stepped,
    Traced,
    Transferred,
)
from x10_jupyter.records.site import Site
from x10_jupyter.records.size import LineSize

MAIN = 1
OTHER = 2
MS = 1_000_000

ENVIRONMENT = Environment(python="3.11.7", jax="0.10.2", jaxlib="0.10.2", platform="cpu", device_kind="cpu", device_count=1, cpu_count=2)
FIRST = Cause(kind="first")


@cache  # as in a capture, where events of one line share it
def site(line: int, cell: int | None = 4, function: str = "train") -> Site:
    return Site(file="/tmp/ipykernel_1/1234.py", line=line, function=function, cell=cell)


def traced(start_ns: int, end_ns: int, **fields: object) -> Traced:
    return replace(Traced(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(7), ops=10), **fields)


def cut(start_ns: int, end_ns: int, **fields: object) -> Cut:
    event = Cut(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(7), why="barrier", how="barrier()", ops=10, live=2, program="p1")
    return replace(event, **fields)


def compiled(start_ns: int, end_ns: int, *, cause: Cause = FIRST, line: int = 7, **fields: object) -> Compiled:
    event = Compiled(
        start_ns=start_ns,
        end_ns=end_ns,
        thread=MAIN,
        site=site(line),
        program="p1",
        function="train",
        ops=10,
        inputs=3,
        outputs=2,
        phases={},
        cause=cause,
        cache="none",
        definition_site=site(3),
    )
    return replace(event, **fields)


def compiling(start_ns: int, *, cause: Cause = FIRST, line: int = 7, **fields: object) -> Compiling:
    event = Compiling(start_ns=start_ns, end_ns=start_ns, thread=MAIN, site=site(line), program="p1", function="train", ops=10, cause=cause)
    return replace(event, **fields)


def executed(start_ns: int, launched_ns: int, end_ns: int, **fields: object) -> Executed:
    event = Executed(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(7), program="p1", launched_ns=launched_ns, began_ns=start_ns)
    return replace(event, **fields)


def read(start_ns: int, end_ns: int, **fields: object) -> Read:
    event = Read(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(9), how="float()", aval="f32[]", size_bytes=4, pending_ops=0)
    return replace(event, **fields)


def transferred(start_ns: int, end_ns: int, **fields: object) -> Transferred:
    event = Transferred(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(5), direction="to_device", aval="f32[32,64]", size_bytes=8192)
    return replace(event, **fields)


def fell_back(start_ns: int, end_ns: int, **fields: object) -> FellBack:
    event = FellBack(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(11), op="nonzero", reason="its result's shape depends on values")
    return replace(event, **fields)


def chained(start_ns: int, end_ns: int, **fields: object) -> Chained:
    event = Chained(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(7), ops=10, compiled=4)
    return replace(event, **fields)


def node(op: str, *inputs: tuple[int, int], results: tuple[str, ...] = ("f32[4]",), **fields: object) -> Node:
    return replace(Node(op=op, inputs=inputs, results=results, site=site(5)), **fields)


def graph(*nodes: Node, **fields: object) -> Graph:
    """A graph whose last node is its root; without nodes a small one."""
    device = (("device", "CPU:0"),)
    nodes = nodes or (
        node("xla::device_data", tags=device),
        node("prim::Constant", results=("f32[]~",), tags=(("value", "0.5"),)),
        node("x10::mul", (0, 0), (1, 0)),
    )
    return replace(Graph(id="1f", nodes=nodes, roots=((len(nodes) - 1, 0),), hashes=("abc",)), **fields)


def graphed(start_ns: int = 0, end_ns: int = 1, **fields: object) -> Graphed:
    event = Graphed(
        start_ns=start_ns,
        end_ns=end_ns,
        thread=MAIN,
        site=site(7),
        graph=graph(),
        why="barrier",
        how="barrier()",
        frames=(site(7), site(12, cell=None, function="<module>")),
        program="train_0",
        key="c0ffee",
        found="miss",
        compile_ns=173 * MS,
        cause=FIRST,
    )
    return replace(event, **fields)


def dumped(start_ns: int = 0, end_ns: int = 1, **fields: object) -> Dumped:
    event = Dumped(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(7), why="failed", hlo="HloModule jit_train\n", compile_ns=2_500 * MS)
    return replace(event, **fields)


def retraced(at_ns: int, **fields: object) -> Retraced:
    event = Retraced(start_ns=at_ns, end_ns=at_ns, thread=MAIN, site=site(13), op="scores", reads="Tokenizer")
    return replace(event, **fields)


def stepped(start_ns: int, end_ns: int, index: int = 0) -> Stepped:
    return Stepped(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(8), index=index)


def pending(at_ns: int, ops: int) -> Pending:
    return Pending(start_ns=at_ns, end_ns=at_ns, thread=MAIN, site=None, ops=ops)


def counted(at_ns: int, counts: Mapping[str, int]) -> Counted:
    return Counted(start_ns=at_ns, end_ns=at_ns, thread=MAIN, site=None, counts=counts)


def staged(start_ns: int, end_ns: int, phase: str = "compile", **fields: object) -> Staged:
    event = Staged(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(6), phase="trace", function="step")
    why = Cause(kind="unknown") if phase == "compile" else None
    return replace(event, **{"phase": phase, "cause": why, **fields})


def started(start_ns: int, end_ns: int, **fields: object) -> Started:
    return replace(Started(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(5)), **fields)


def program(name: str = "jit(step)", **fields: object) -> Program:
    """A program that somebody looked at."""
    memory = Memory(argument_bytes=2048, output_bytes=1024, alias_bytes=0, temporary_bytes=12 * 2**20, code_bytes=0)
    cost = Cost(flops=1_200_000_000, transcendentals=4096, bytes_accessed=34 * 2**20)
    return replace(Program(name=name, cost=cost, memory=memory), **fields)


def sized(at_ns: int, **fields: object) -> Sized:
    lines = (LineSize(site=site(5), ops=2_000, passes=1_000), LineSize(site=site(6), ops=7, passes=1))
    return replace(Sized(start_ns=at_ns, end_ns=at_ns, thread=MAIN, site=site(6), function="train", ops=2_007, lines=lines), **fields)


def collected(start_ns: int, end_ns: int, **fields: object) -> Collected:
    return replace(Collected(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=None, generation=2, collected=40), **fields)


def dispatched(start_ns: int, end_ns: int, **fields: object) -> Dispatched:
    return replace(Dispatched(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(7), ops=5_000, each_ns=6_000, op="sin"), **fields)


def waited(start_ns: int, end_ns: int, **fields: object) -> Waited:
    return replace(Waited(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(9), how=".result()"), **fields)


def throttled(start_ns: int, end_ns: int, **fields: object) -> Throttled:
    return replace(Throttled(start_ns=start_ns, end_ns=end_ns, thread=MAIN, site=site(8), function="step"), **fields)


def operation(own_ns: int, **fields: object) -> Operation:
    made = Operation(program="jit_step", instruction="fusion", opcode="fusion", op="dot_general", site=site(7), times=1, total_ns=own_ns, own_ns=own_ns)
    return replace(made, **fields)


def profiled(start_ns: int, end_ns: int, *operations: Operation, **fields: object) -> Profiled:
    busy_ns = sum(one.own_ns for one in operations)
    event = Profiled(start_ns=start_ns, end_ns=end_ns, thread=OTHER, site=None, operations=operations, busy_ns=busy_ns, records=40, reading_ns=2 * MS)
    return replace(event, **fields)


def device(array_bytes: int, arrays: int = 1, name: str = "CPU:0", **fields: object) -> Device:
    return replace(Device(name=name, array_bytes=array_bytes, arrays=arrays), **fields)


def holding(size_bytes: int, count: int = 1, line: int | None = 7, **fields: object) -> Holding:
    made = Holding(device="CPU:0", kind="array", count=count, size_bytes=size_bytes, site=None if line is None else site(line))
    return replace(made, **fields)


def pinned(size_bytes: int, **fields: object) -> Pinned:
    return replace(Pinned(function="step", argument="self", type_name="Model", objects=3, arrays=12, size_bytes=size_bytes, site=site(2)), **fields)


def sampled(at_ns: int, *devices: Device, **fields: object) -> Sampled:
    return replace(Sampled(start_ns=at_ns, end_ns=at_ns, thread=OTHER, site=None, devices=devices), **fields)


def held(at_ns: int, moment: str, *holdings: Holding, **fields: object) -> Held:
    untold = "No accelerator: utilisation is not known."
    event = Held(start_ns=at_ns, end_ns=at_ns, thread=OTHER, site=None, moment="end", holdings=holdings, untold=untold)
    return replace(event, **{"moment": moment, **fields})


def weighed(*moments: tuple[int, str, tuple[Holding, ...]]) -> list[Event]:
    """What is told at some moments, each of them by line, too; all of it on one device."""
    made: list[Event] = []
    for at_ns, moment, holdings in moments:
        arrays = [one for one in holdings if one.kind == "array"]
        size_bytes, count = sum(one.size_bytes for one in arrays), sum(one.count for one in arrays)
        made += [sampled(at_ns, device(size_bytes, count)), held(at_ns, moment, *holdings)]
    return made


def capture(*events: Event, end_ns: int = 100 * MS, body_end_ns: int | None = None, **fields: object) -> Capture:
    made = Capture(
        name="",
        start_ns=0,
        body_end_ns=end_ns if body_end_ns is None else body_end_ns,
        end_ns=end_ns,
        thread=MAIN,
        cpu_ns=end_ns,
        events=events,
        environment=ENVIRONMENT,
        error=None,
    )
    return replace(made, **fields)
