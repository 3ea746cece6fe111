"""The cut: what something still refers to is computed by one program, found at this place of the trie or compiled."""

import sys
from collections import deque
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import jax

from x10_jupyter.base.config import config
from x10_jupyter.base.errors import LostValueError, gist
from x10_jupyter.base.frames import user_frame
from x10_jupyter.jax_gate.entered import entered
from x10_jupyter.lazy import causes, differences
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.core import COUNT, Failure, State, Trace
from x10_jupyter.lazy.culprit import culprits, lost_message, spoiled, what_happened
from x10_jupyter.lazy.donation import DEAD, choose
from x10_jupyter.lazy.graph import Graph, bits, canonical, path_to
from x10_jupyter.lazy.line import line_of
from x10_jupyter.lazy.persistent import listening_to_cache
from x10_jupyter.lazy.places import free, grouped, part, places_of, settle
from x10_jupyter.lazy.producer import CLOCK, EVENTS, WATCHER, happened, site_of
from x10_jupyter.lazy.program import Executable, Origin, Program, Store, body, makers, module_name, parameters, program_name
from x10_jupyter.lazy.prune import prune
from x10_jupyter.lazy.watcher import Launch
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Compiled, Cut, Failed, Rejoined, Traced

PHASES = ("trace", "lower", "compile")
Why = Literal["barrier", "read", "fallback", "limit", "config", "device"]
UNASKED = ("limit", "config", "device")
"""Cuts that happen on the way to an operation, which has nothing to do with what may be lost: that is told where it is read."""

STORE = Store(config.now.compilation_cache_size)
config.listen("compilation_cache_size", STORE.resize)
MANY_LIVE_SETS = 2
"""So many different live sets at one cut are compiled one by one; after that, one program computes all of them."""

MOST_LIVE_SETS = 64
"""So many live sets at one cut are remembered, each with the program that serves it."""


LAUNCHED: "deque[jax.Array]" = deque(maxlen=256)
"""Completion tokens of what was launched last, by all threads; JAX lets fewer programs than this wait for a device."""


class Asked:
    """Who asked for a cut."""

    __slots__ = ("frame", "how", "line", "why")

    def __init__(self, why: Why, how: str) -> None:
        self.why: Why = why
        self.how = how
        self.frame = user_frame()
        self.line = line_of(self.frame)


def cut(trace: Trace, why: Why, how: str) -> None:
    """End the trace and compute every value that something besides the trace still refers to.

    Raises:
        LostValueError: The program could not be compiled or launched, and somebody asked for it; the values are lost, and say so whenever they are read.
    """
    if trace.state.parent is None:
        return
    trace.write_tape()  # what going back needs is live, too
    live = tuple([i for i, n in enumerate(map(sys.getrefcount, trace.tensors)) if n > DEAD])
    asked = Asked(why, how)
    start_ns = CLOCK.now_ns()
    began_ns = trace.start_ns
    ops = trace.state.depth - len(trace.leaves)
    program = None
    try:
        if live or trace.effects:
            with settings_of(trace):
                program = find(trace, live, asked)
                launch(trace, program, asked)
    except BaseException as error:
        message = lose(trace, live, program, asked, error)
        if not isinstance(error, Exception):
            raise
        message = save_others(trace, live, program, asked, error) or message
        if why not in UNASKED:
            raise LostValueError(message) from error
    finally:
        turn_over(trace, program, asked)
    if EVENTS:
        report(asked, (began_ns, start_ns), ops, len(live), program)
    if COUNT.states > COUNT.most:
        prune(STORE)


def report(asked: Asked, times: tuple[int, int], ops: int, live: int, program: Program | None) -> None:
    """Tell of a trace and its cut: when the first began, and when the second did."""
    began_ns, start_ns = times
    EVENTS.emit(Traced(ops=ops, **happened(asked.line, began_ns, start_ns)))
    name = program and program.executable.name
    EVENTS.emit(Cut(why=asked.why, how=asked.how, ops=ops, live=live, program=name, **happened(asked.line, start_ns)))


def settings_of(trace: Trace) -> AbstractContextManager[None]:
    """JAX's settings as they were when the trace was recorded."""
    return nullcontext() if current() is trace.context else entered(trace.context.settings, trace.context.mesh)


def turn_over(trace: Trace, program: Program | None, asked: Asked) -> None:
    """Begin a new trace."""
    # other code than was traced first, such as an edited cell, took the same path: the new trace notes its lines
    trace.relearn = program is not None and program.is_new_at(asked.line)
    trace.last_cut = (asked.how, asked.line)
    trace.restart()


def find(trace: Trace, live: tuple[int, ...], asked: Asked) -> Program:
    """The program for these live values at the trace's place; compiled if it is not known."""
    state = trace.state
    if state.programs is None:
        state.programs = {}
    program = state.programs.get(live)
    if program is None:
        wider = [p for p in state.programs.values() if set(live) < set(p.wanted)]
        if wider:  # a known program computes more: use it and drop the rest
            program = min(wider, key=lambda p: len(p.wanted))
            if len(state.programs) < MOST_LIVE_SETS:
                state.programs[live] = program
                program.executable.bind(state, live)
    if program is None:
        sets = {frozenset(p.wanted) for p in state.programs.values()}
        wanted = set(live).union(*sets) if len(sets) >= MANY_LIVE_SETS else set(live)
        return build(trace, live, wanted, asked, None)
    return revised(trace, live, program, asked)


def revised(trace: Trace, live: tuple[int, ...], program: Program, asked: Asked) -> Program:
    """The program, or another for the same values if what was decided when it was compiled no longer suits: baked numbers, shared parameters, donation."""
    wanted, numbers = set(program.wanted), trace.numbers
    if not program.fits(numbers):
        return build(trace, live, wanted, asked, promote(trace, program, asked))
    apart = program.parted(numbers)
    if apart:
        return build(trace, live, wanted, asked, untie(trace, program, apart, asked))
    donated = program.choice.revised(trace.leaves, trace.state, program.wanted)
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


def build(trace: Trace, live: tuple[int, ...], wanted: set[int], asked: Asked, cause: Cause | None, donated: dict[int, int] | None = None) -> Program:
    """A program for this place: one that is known from elsewhere, or a new one."""
    state, steps = trace.state, path_to(trace.state)
    places = places_of(steps)
    numbers = {i: trace.numbers[i] for i in range(len(places))}
    foreign = settle(steps, (asked.line.file, asked.line.function))
    groups = grouped(places, numbers, foreign if cause is None or cause.kind == "first" else frozenset())
    choice = choose(trace.leaves, steps, sorted(wanted), donated)
    graph = canonical(steps, sorted(wanted), numbers, groups, choice.pairs)
    baked = [i for i in numbers if i not in groups]
    executable = STORE.find(graph)
    start_ns = CLOCK.now_ns()
    if cause is None:
        cause = causes.explain(STORE, trace, live, steps, was_evicted=STORE.was_evicted(graph), line=asked.line, how=asked.how, frame=asked.frame)
    if executable is None:
        with STORE.turn(graph):  # threads that begin a step at once compile it once
            executable = STORE.find(graph)
            if executable is None:
                executable = compiled(trace, graph, cause, steps, asked, start_ns)
                STORE.add(executable)
    elif EVENTS:
        EVENTS.emit(Rejoined(program=executable.name, cause=cause, **happened(asked.line, start_ns)))
    program = Program(executable, graph, numbers, baked, asked.line, state, choice)
    know(state, live, wanted, program)
    return program


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
    times = [CLOCK.now_ns()]
    # jit's own cache is of no use here: every program is a new function
    with jax.disable_jit(disable=False):  # a trace may be cut where the user has switched it off
        traced = jax.jit(body(graph, module_name(function)), donate_argnums=graph.donated).trace(*arguments)
    times.append(CLOCK.now_ns())
    lowered = traced.lower()
    times.append(CLOCK.now_ns())
    with listening_to_cache() as cache:
        run = lowered.compile()
    times.append(CLOCK.now_ns())
    executable = Executable(name, graph, run)
    if EVENTS:
        phases = {name: end - start for name, (start, end) in zip(PHASES, pairwise(times), strict=True)}
        EVENTS.emit(
            Compiled(
                program=name, function=function, ops=len(graph.nodes), inputs=len(graph.leaves), outputs=len(graph.outputs), phases=phases, cause=cause,
                cache=cache.said, definition_site=causes.first(trace, steps, asked.line).site, **happened(asked.line, start_ns, times[-1]),
            )
        )  # fmt: skip
    return executable


def launch(trace: Trace, program: Program, asked: Asked) -> None:
    """Run the program; its results become the tensors' data, at once, though they may not be ready yet."""
    executable = program.executable
    STORE.use(executable)
    program.choice.copy_seen(trace.leaves)
    arguments = program.arguments(trace.leaves, trace.numbers)
    start_ns = CLOCK.now_ns()
    values, token = executable.run(*arguments)
    LAUNCHED.append(token)
    launched_ns = CLOCK.now_ns()
    tensors = trace.tensors
    if trace.relearn:
        program.note_origins(asked.line)
    for i, value, origin in zip(program.wanted, values, program.origins, strict=True):
        t = tensors[i]
        t.held = value
        t.serial = 0
        t.origin = origin
    if EVENTS:
        WATCHER.watch(Launch(token, executable.name, start_ns, launched_ns, site_of(asked.line)))


def lose(trace: Trace, live: tuple[int, ...], program: Program | None, asked: Asked, error: BaseException) -> str:
    """What was pending is lost: each of its tensors says why when it is read. What had been computed before stays."""
    said, kind = gist(error), type(error).__name__
    phase = "compile" if program is None else "execute"
    what = what_happened(error, compiled=program is not None)
    made = makers(trace.state)
    message = ""
    for i in live:
        t = trace.tensors[i]
        message = lost_message(what, Origin(*made[i], asked.line))
        t.held = Failure(message)
        t.serial = 0
    if EVENTS:
        now_ns = CLOCK.now_ns()
        name = program.executable.name if program is not None else ""
        EVENTS.emit(Failed(program=name, phase=phase, message=said or kind, **happened(asked.line, now_ns, now_ns)))
    return message or f"The program {what}, asked for at {site_of(asked.line)}"


def save_others(trace: Trace, live: tuple[int, ...], program: Program | None, asked: Asked, error: Exception) -> str:
    """Compute what does not depend on the operations that could not be compiled, and name these; returns what to tell, empty if there is none."""
    message = ""
    if program is not None:  # it could be compiled
        return message
    with settings_of(trace), suppress(Exception):  # what cannot be computed either stays lost
        blamed = spoiled(trace.state, culprits(trace.state))
        for i in [i for i in live if i in blamed]:
            culprit = blamed[i]
            message = lost_message(what_happened(error, compiled=False), Origin(culprit.op.call.name, culprit.site, asked.line))
            trace.tensors[i].held = Failure(message)
        rest = tuple([i for i in live if i not in blamed])
        if blamed and rest:
            launch(trace, find(trace, rest, asked), asked)
    return message
