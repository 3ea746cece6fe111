"""The program for a trace that is cut: known at its place, known from another path, revised, or compiled."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple
from weakref import ref

from x10_jupyter.base.config import config
from x10_jupyter.base.frames import user_frame
from x10_jupyter.lazy import causes, differences
from x10_jupyter.lazy.abandoned import abandoned
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.culprit import lost_message
from x10_jupyter.lazy.donation import Choice, choose, other_choices
from x10_jupyter.lazy.dumps import dumping
from x10_jupyter.lazy.graph import Graph, Numbers, bits, canonical, mesh_of, path_to
from x10_jupyter.lazy.line import line_of
from x10_jupyter.lazy.persistent import listening_to_cache
from x10_jupyter.lazy.places import free, grouped, part, places_of, settle
from x10_jupyter.lazy.producer import CENSUS, CLOCK, CPU_CLOCK, EVENTS, QUEUE_CLOCK, happened
from x10_jupyter.lazy.program import Executable, Origin, Program, Store, makers, module_name, parameters, program_name
from x10_jupyter.lazy.sizing import tell_size
from x10_jupyter.lazy.staging import settled, staged
from x10_jupyter.lazy.taken import taken
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.value import Failure, Value
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.runtime_events import Compiled, Compiling, Rejoined

PHASES = ("trace", "lower", "compile")
Why = Literal["barrier", "read", "fallback", "limit", "config", "device"]

STORE = Store(config.now.compilation_cache_size)
config.listen("compilation_cache_size", STORE.resize)
MANY_LIVE_SETS = 2
"""So many different live sets at one cut are compiled one by one; after that, one program computes all of them."""

MOST_LIVE_SETS = 64
"""So many live sets at one cut are remembered, each with the program that serves it."""


class Asked:
    """Who asked for a cut."""

    __slots__ = ("cause", "compiled", "compiling", "free", "graph", "how", "line", "outlive", "program", "why")

    def __init__(self, why: Why, how: str) -> None:
        self.why: Why = why
        self.how = how
        self.program: Program | None = None
        """What serves it, once that is known."""
        self.free: tuple[int, ...] = ()
        """The leaves that nobody can see, once somebody has looked."""
        self.cause: Cause | None = None
        """Why that was compiled, if it was, or was to be."""
        self.graph: Graph | None = None
        """What was compiled, or was to be."""
        self.compiled: Compiled | None = None
        """The event of that, if somebody listens."""
        self.compiling: Callable[[Asked, Graph, Any, Any], None] | None = None
        """Called before XLA compiles, with the graph and what JAX traced and lowered it to, if somebody asks for graphs."""
        self.outlive: list[ref[Value]] | None = None
        """The values that outlive the trace, until they are counted; None if nobody counts."""
        self.line = line_of(user_frame())


def find(trace: Trace, live: tuple[int, ...], asked: Asked) -> Program | None:
    """The program for these live values at the trace's place, compiled if it is not known; None if there is nothing to compute."""
    program = known(trace.state, live)
    if program is not None:
        return revised(trace, live, program, asked)
    left = abandoned(trace.tensors, live)
    if left:
        give_up(trace, left, asked)
        return find(trace, tuple([i for i in live if i not in left]), asked)
    if not live and not trace.effects:
        return None
    sets = {frozenset(p.wanted) for p in trace.state.programs.values()} if trace.state.programs else set[frozenset[int]]()
    wanted = set(live).union(*sets) if len(sets) >= MANY_LIVE_SETS else set(live)
    return build(trace, live, wanted, asked, None)


def known(state: State, live: tuple[int, ...]) -> Program | None:
    """A program of this place for these live values, or for more."""
    programs = state.programs
    if programs is None:
        return None
    program = programs.get(live)
    if program is None:
        wider = [p for p in programs.values() if set(live) < set(p.wanted)]
        if wider:  # a known program computes more: use it and drop the rest
            program = min(wider, key=lambda p: len(p.wanted))
            if len(programs) < MOST_LIVE_SETS:
                programs[live] = program
                program.executable.bind(state, live)
    return program


def revised(trace: Trace, live: tuple[int, ...], program: Program, asked: Asked) -> Program:
    """The program, or another for the same values if what was decided when it was compiled no longer suits: baked numbers, shared parameters, donation."""
    wanted, numbers = set(program.wanted), trace.numbers
    if not program.fits(numbers):
        return build(trace, live, wanted, asked, promote(trace, program, asked))
    apart = program.parted(numbers)
    if apart:
        return build(trace, live, wanted, asked, untie(trace, program, apart, asked))
    donated = program.choice.revised(trace.leaves, asked.free, trace.state, program.wanted)
    if donated is not None:
        return build(trace, live, wanted, asked, differences.other_donation(program, donated, asked.line), donated)
    return program


def promote(trace: Trace, program: Program, asked: Asked) -> Cause:
    """Numbers that were baked in have changed: they become parameters; at the second such event here, all that are left."""
    steps, numbers, state = path_to(trace.state), trace.numbers, trace.state
    places = places_of(steps)
    old = program.baked_values
    changed = [i for i in program.baked if bits(numbers, (i,)) != bits(old, (i,))]
    state.revisions += 1
    free(places, changed if state.revisions == 1 else program.baked)
    if not causes.is_same_code(program, steps, asked.line):
        return causes.first(trace, steps, asked.line)
    cause = differences.changed_number(places[changed[0]], old[changed[0]], numbers[changed[0]], len(changed), program.executable.name)
    # the places are those of the code that the program was made for: in other code, such as an edited cell, the line is not known
    return cause if asked.line in program.cut_lines else replace(cause, site=None)


def untie(trace: Trace, program: Program, apart: list[tuple[int, int]], asked: Asked) -> Cause:
    """Numbers that shared a parameter are no longer equal: each gets its own."""
    numbers = trace.numbers
    steps = path_to(trace.state)
    places = places_of(steps)
    part(places, [i for pair in apart for i in pair])
    i, j = apart[0]
    if not causes.is_same_code(program, steps, asked.line):
        return causes.first(trace, steps, asked.line)
    return differences.parted_number(places[i], numbers[j], numbers[i], program.executable.name)


class Plan(NamedTuple):
    """What a program for a path is like."""

    graph: Graph
    choice: Choice
    baked: list[int]


def plans(trace: Trace, steps: list[State], wanted: list[int], numbers: Numbers, foreign: frozenset[int], donated: dict[int, int] | None) -> Iterator[Plan]:
    """First the program that would be compiled; then others that would do as well, if one of them is known from another path.

    They take over other inputs, those that somebody holds being copied, or have parameters for all numbers.

    Args:
        trace: The trace.
        steps: Its path.
        wanted: The values to compute.
        numbers: The path's numbers.
        foreign: Those whose place was noted by other code.
        donated: The inputs that are taken over, if that is decided.
    """
    places = places_of(steps)
    first = choose(trace.leaves, steps, wanted, donated)
    alone = {i: i for i in numbers}  # each number is a parameter of its own
    foreigns = [None] if trace.context.switches.no_special_scalars else dict.fromkeys((foreign, frozenset(numbers)))
    for each in foreigns:
        groups = alone if each is None else grouped(places, numbers, each)
        baked = [i for i in numbers if i not in groups]
        for choice in (first, *other_choices(trace.leaves, steps, wanted, first)):
            yield Plan(canonical(steps, wanted, numbers, groups, choice.pairs), choice, baked)


def build(trace: Trace, live: tuple[int, ...], wanted: set[int], asked: Asked, cause: Cause | None, donated: dict[int, int] | None = None) -> Program:
    """A program for this place: one that is known from elsewhere, or a new one."""
    state, steps = trace.state, path_to(trace.state)
    foreign = settle(steps, (asked.line.file, asked.line.function))
    numbers = {i: trace.numbers[i] for i in range(len(places_of(steps)))}
    options = plans(trace, steps, sorted(wanted), numbers, foreign if cause is None or cause.kind == "first" else frozenset(), donated)
    plan = next(options)
    if cause is None and STORE.find(plan.graph) is None:
        plan = next((one for one in options if STORE.find(one.graph) is not None), plan)
    graph = plan.graph
    executable = STORE.find(graph)
    start_ns = CLOCK.now_ns()
    if cause is None:
        cause = causes.explain(STORE, trace, live, steps, was_evicted=STORE.was_evicted(graph), line=asked.line, how=asked.how, frame=user_frame())
    if executable is None:
        with STORE.turn(graph):  # threads that begin a step at once compile it once
            executable = STORE.find(graph)
            if executable is None:
                executable = compiled(trace, graph, cause, steps, asked, start_ns)
                STORE.add(executable)
    elif EVENTS:
        EVENTS.emit(Rejoined(program=executable.name, cause=cause, **happened(asked.line, start_ns)))
    program = Program(executable, graph, numbers, plan.baked, asked.line, state, plan.choice, taken(steps, plan.choice.pairs))
    know(state, live, wanted, program)
    return program


def give_up(trace: Trace, values: set[int], asked: Asked) -> None:
    """Do without some values; who reads them is told."""
    made = makers(trace.state)
    for i in values:
        trace.tensors[i].held = Failure(lost_message("was given up, since only the traceback of an error referred to its value", Origin(*made[i], asked.line)))
        trace.tensors[i].serial = 0


def know(state: State, live: tuple[int, ...], wanted: set[int], program: Program) -> None:
    """Let a place of the trie know a program, for these live values and for all that its predecessor served."""
    programs = state.programs = state.programs or {}
    for other, old in list(programs.items()):
        if set(old.wanted) == wanted:
            programs[other] = program
            program.executable.bind(state, other)
    if programs.get(live) is not program:
        programs[live] = program
        program.executable.bind(state, live)


def compiled(trace: Trace, graph: Graph, cause: Cause, steps: list[State], asked: Asked, start_ns: int) -> Executable:
    """Compile a graph and report it."""
    function = asked.line.function
    name = program_name(function)
    leaves = [trace.leaves[i] for i in graph.leaves]
    params = parameters(graph, trace.numbers)
    arguments = [*leaves, *[kind(trace.numbers[i]) for i, kind in params]]
    asked.cause, asked.graph = cause, graph
    tell_size(function, steps, asked.line, start_ns)
    if "begun" in EVENTS.wanted:
        EVENTS.emit(Compiling(program=name, function=function, ops=len(graph.nodes), cause=cause, **happened(asked.line, start_ns, start_ns)))
    times, cpu_start_ns, queue_start_ns = [CLOCK.now_ns()], CPU_CLOCK.now_ns(), QUEUE_CLOCK.now_ns()
    # jit's own cache is of no use here: every program is a new function
    with settled(mesh_of(steps)):
        traced = staged(graph, module_name(function)).trace(*arguments)
        times.append(CLOCK.now_ns())
        lowered = traced.lower()
        times.append(CLOCK.now_ns())
        if asked.compiling is not None:  # it may take long, or never end
            asked.compiling(asked, graph, traced, lowered)
        with dumping(lowered, asked.line), listening_to_cache() as cache:
            run = lowered.compile()
        times.append(CLOCK.now_ns())
    executable = Executable(name, graph, run)
    if EVENTS:
        CENSUS.program(executable)
        phases = {name: end - start for name, (start, end) in zip(PHASES, pairwise(times), strict=True)}
        asked.compiled = Compiled(
                program=name, function=function, ops=len(graph.nodes), inputs=len(graph.leaves), outputs=len(graph.outputs), phases=phases, cause=cause,
                cache=cache.said, aliases=len(graph.donated), definition_site=causes.first(trace, steps, asked.line).site,
                cpu_ns=CPU_CLOCK.now_ns() - cpu_start_ns, queued_ns=QUEUE_CLOCK.now_ns() - queue_start_ns,
                **happened(asked.line, start_ns, times[-1]),
        )  # fmt: skip
        EVENTS.emit(asked.compiled)
    return executable
