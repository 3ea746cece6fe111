"""The cut: what something still refers to is computed by one program, found at this place of the trie or compiled."""

from collections import deque
from contextlib import nullcontext, suppress
from threading import get_ident
from typing import Any, Literal
from weakref import ref

import jax

from x10_jupyter.base.errors import BrokenChainError, LostValueError, gist
from x10_jupyter.lazy.chain import is_chained, run_chain
from x10_jupyter.lazy.context import in_force
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.counts import held
from x10_jupyter.lazy.culprit import culprits, lost_message, spoiled, what_happened
from x10_jupyter.lazy.donation import free_leaves
from x10_jupyter.lazy.finding import STORE, Asked, Why, build, find
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.graphed import look, tell
from x10_jupyter.lazy.interrupts import HeldBack
from x10_jupyter.lazy.producer import CENSUS, CLOCK, EVENTS, WATCHER, happened, site_of
from x10_jupyter.lazy.program import Executable, Origin, Program, content_of, makers
from x10_jupyter.lazy.prune import prune
from x10_jupyter.lazy.taken import taken
from x10_jupyter.lazy.trie import COUNT, State
from x10_jupyter.lazy.value import OURS, Failure, Value
from x10_jupyter.lazy.watcher import Launch
from x10_jupyter.records.runtime_events import Cut, Failed, Traced

UNASKED = ("limit", "config", "device", "interrupted")
"""Cuts that happen on the way to an operation, which has nothing to do with what may be lost: that is told where it is read."""

LAUNCHED: "deque[jax.Array]" = deque(maxlen=256)
"""Completion tokens of what was launched last, by all threads; JAX lets fewer programs than this wait for a device."""


def cut(trace: Trace, why: Why | Literal["interrupted"], how: str) -> None:
    """End the trace and compute every value that something besides the trace still refers to.

    If it is interrupted before the program is launched, all stays as it was, and the next operation or read cuts first.

    Raises:
        LostValueError: The program could not be compiled or launched, and somebody asked for it; the values are lost, and say so whenever they are read.
    """
    if trace.state.parent is None:
        return
    trace.write_tape()  # what going back needs is live, too
    tensors = trace.tensors
    live = held(tensors)
    asked = trace.owed if why == "interrupted" else Asked(why, how)
    state, began_ns, start_ns = trace.state, trace.start_ns, CLOCK.now_ns()
    ops = state.depth - len(trace.leaves)
    seen = look(trace, live, asked, start_ns)
    asked.outlive = outliving(tensors, live)
    try:
        run(trace, live, asked)
    except Exception as error:  # noqa: BLE001 - raised again, or told where the values are read
        tell(seen, asked, failed=True)
        found = found_for(asked, state)
        message = fail(trace, live, asked, error)
        report(asked, found, (began_ns, start_ns), ops, len(live))
        if why not in UNASKED:
            raise lost_by(error, message)  # noqa: B904 - it has its cause
    except BaseException:
        put_off(trace, asked)
        raise
    else:
        report(asked, found_for(asked, state), (began_ns, start_ns), ops, len(live))
        tell(seen, asked)
    if COUNT.states > COUNT.most:
        prune(STORE)


def outliving(tensors: list[Any], live: tuple[int, ...]) -> "list[ref[Value]] | None":
    """The values that a trace leaves behind, to be counted; None if nobody listens. Looks, too, which programs have finished meanwhile."""
    if not EVENTS:
        return None
    WATCHER.look()
    return [ref(tensors[i]) for i in live]


def run(trace: Trace, live: tuple[int, ...], asked: Asked) -> None:
    """Find the program and launch it, if there is something to compute; then a new trace begins."""
    if live or trace.effects:
        with nullcontext() if trace.is_settled() else in_force(trace.context):
            if is_chained(asked.why):
                chain(trace, live, asked)
                return
            asked.free = free_leaves(trace.leaves)
            program = asked.program = find(trace, live, asked)
            if program is not None:
                launch(trace, program, asked)
                return
    turn_over(trace, None, asked)


def chain(trace: Trace, live: tuple[int, ...], asked: Asked) -> None:
    """Compute the live values op by op, and begin a new trace.

    Raises:
        BrokenChainError: An operation failed, and somebody asked for its value. What needs it is lost; everything else is computed.
    """
    results = run_chain(trace, live, asked.line)
    made = makers(trace.state)
    error, message = None, ""
    with HeldBack():
        for i in live:
            t = trace.tensors[i]
            if i in results.values:
                t.held, t.origin = results.values[i], Origin(*made[i], asked.line)
            else:
                place, error = results.blamed[i]
                message = lost_message(what_happened(error, compiled=True), Origin(place.op.call.name, place.site, asked.line))
                t.held = Failure(message)
            t.serial = 0
        turn_over(trace, None, asked)
    if error is not None and EVENTS:
        now_ns = CLOCK.now_ns()
        EVENTS.emit(Failed(program="", phase="execute", message=gist(error) or type(error).__name__, **happened(asked.line, now_ns, now_ns)))
    if error is not None and asked.why not in UNASKED:
        raise BrokenChainError(message) from error


def fail(trace: Trace, live: tuple[int, ...], asked: Asked, error: Exception) -> str:
    """What could not be computed is lost, what can be without it is computed, and a new trace begins; returns what to tell."""
    if isinstance(error, BrokenChainError):  # all that is done
        return str(error)
    message = lose(trace, live, asked, error)
    message = save_others(trace, live, asked, error) or message
    turn_over(trace, None, asked)
    return message


def lost_by(error: Exception, message: str) -> LostValueError:
    """The error that tells that values are lost, and by which other."""
    if isinstance(error, BrokenChainError):
        return error
    made = LostValueError(message)
    made.__cause__ = error
    return made


def found_for(asked: Asked, state: State) -> dict[str, Any]:
    """What was found for a trace, as its cut tells of it; nothing if nobody listens."""
    if not EVENTS:
        return {}
    program = asked.program
    name, content = (None, content_of(state, asked.graph)) if program is None else (program.executable.name, program.content)
    return {"program": name, "is_known": asked.cause is None, "content": content}


def report(asked: Asked, found: dict[str, Any], times: tuple[int, int], ops: int, live: int) -> None:
    """Tell of a trace and its cut, whether or not its program failed: when the first began, and when the second did."""
    if not found:
        return
    began_ns, start_ns = times
    site, thread = site_of(asked.line), get_ident()
    EVENTS.emit(Traced(ops=ops, start_ns=began_ns, end_ns=start_ns, thread=thread, site=site))
    EVENTS.emit(Cut(why=asked.why, how=asked.how, ops=ops, live=live, start_ns=start_ns, end_ns=CLOCK.now_ns(), thread=thread, site=site, **found))


def turn_over(trace: Trace, program: Program | None, asked: Asked) -> None:
    """Begin a new trace."""
    if asked.outlive is not None:
        CENSUS.cut(len(trace.tensors), asked.outlive)
        asked.outlive = None
    # other code than was traced first, such as an edited cell, took the same path: the new trace notes its lines
    trace.relearn = program is not None and program.is_new_at(asked.line)
    trace.last_cut = (asked.how, asked.line)
    trace.restart()


def put_off(trace: Trace, asked: Asked) -> None:
    """Leave a cut that was interrupted for later; nothing is lost, since an interrupt waits while a program is launched."""
    if trace.state.parent is not None:  # else the new trace had begun
        asked.program = None
        trace.owed = asked
        trace.stale = trace.special = True


def launch(trace: Trace, program: Program, asked: Asked) -> None:
    """Run the program; its results become the tensors' data, at once, though they may not be ready yet. Then a new trace begins."""
    executable = program.executable
    STORE.use(executable)
    arguments = program.arguments(program.choice.given(trace.leaves, asked.free), trace.numbers)
    tensors = trace.tensors
    serial = OURS if trace.devices is None else 0
    if trace.relearn:
        program.taken = taken(path_to(program.state), program.choice.pairs)
        program.note_origins(asked.line)
    with HeldBack():
        start_ns = CLOCK.now_ns()
        values, token = started(executable, arguments)
        LAUNCHED.append(token)
        launched_ns = CLOCK.now_ns()
        for i, value, origin in zip(program.wanted, values, program.origins, strict=True):
            t = tensors[i]
            if t is None:  # the program computes more than there is to hold
                continue
            t.held = value
            t.serial = serial
            t.origin = origin
        if EVENTS:
            WATCHER.watch(Launch(token, executable.name, start_ns, launched_ns, site_of(asked.line)))
        turn_over(trace, program, asked)


def started(executable: Executable, arguments: list[Any]) -> tuple[list[Any], Any]:
    """A program's results and its completion token."""
    try:
        return executable.run(*arguments)
    except ValueError:
        if not getattr(jax.config, "jax_disable_jit"):  # noqa: B009 - unknown to type checkers
            raise
    with jax.disable_jit(disable=False):  # a trace may be cut where the user has switched it off
        return executable.run(*arguments)


def lose(trace: Trace, live: tuple[int, ...], asked: Asked, error: Exception) -> str:
    """What was pending is lost: each of its tensors says why when it is read. What had been computed before stays."""
    program = asked.program
    said, kind = gist(error), type(error).__name__
    phase = "compile" if program is None else "execute"
    what = what_happened(error, compiled=program is not None)
    made = makers(trace.state)
    gone = {} if program is None else {i: program.taken[i] for leaf, i in program.choice.pairs.items() if trace.leaves[leaf].is_deleted()}
    message = ""
    for i in live:
        t = trace.tensors[i]
        message = lost_message(what, Origin(*made[i], asked.line, gone.get(i, "")))
        t.held = Failure(message)
        t.serial = 0
    if EVENTS:
        now_ns = CLOCK.now_ns()
        name = program.executable.name if program is not None else ""
        EVENTS.emit(Failed(program=name, phase=phase, message=said or kind, **happened(asked.line, now_ns, now_ns)))
    return message or f"The program {what}, asked for at {site_of(asked.line)}"


def save_others(trace: Trace, live: tuple[int, ...], asked: Asked, error: Exception) -> str:
    """Compute what needs neither operations that could not be compiled nor data that is gone; returns what to tell of the former, empty if there are none."""
    message, gone = "", deleted_leaves(trace, asked.program)
    if asked.program is not None and not gone:  # it could be compiled
        return message
    asked.program = None
    with in_force(trace.context), suppress(Exception):  # what cannot be computed either stays lost
        blamed = spoiled(trace.state, gone or culprits(trace.state))
        for i in [i for i in live if i in blamed and not gone]:
            culprit = blamed[i]
            message = lost_message(what_happened(error, compiled=False), Origin(culprit.op.call.name, culprit.site, asked.line))
            trace.tensors[i].held = Failure(message)
        rest = tuple([i for i in live if i not in blamed])
        if blamed and rest:
            # a known program may compute more, and so read what is gone
            program = build(trace, rest, set(rest), asked, None) if gone else find(trace, rest, asked)
            if program is not None:
                launch(trace, program, asked)
    return message


def deleted_leaves(trace: Trace, program: Program | None) -> list[State]:
    """The leaves that somebody has deleted since they were recorded; those that the program itself took over do not count."""
    taken_over = () if program is None else program.choice.pairs
    leaves = [state for state in path_to(trace.state) if state.op is None]
    return [leaf for i, leaf in enumerate(leaves) if i not in taken_over and trace.leaves[i].is_deleted()]
