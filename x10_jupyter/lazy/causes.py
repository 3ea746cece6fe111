"""Why a program is not among the known ones: where the trace left the known paths, and what it left them for."""

import logging
import sys
from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import replace
from itertools import takewhile
from types import FrameType
from typing import NamedTuple

from x10_jupyter.base.settings import x10_name
from x10_jupyter.base.units import count
from x10_jupyter.jax_gate.context import context_difference
from x10_jupyter.lazy.autodiff import is_seed
from x10_jupyter.lazy.context import Switches
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.differences import between, other_operation
from x10_jupyter.lazy.graph import operations, path_to
from x10_jupyter.lazy.holders import holders
from x10_jupyter.lazy.line import Line, comes_after, encloses, runs_once
from x10_jupyter.lazy.names import named
from x10_jupyter.lazy.nearest import TELLING_PREFIX, Known, candidates, is_mostly_shared, is_version, nearest
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.program import Program, Store
from x10_jupyter.lazy.trie import State
from x10_jupyter.records.cause import Cause

LOG = logging.getLogger(__name__)
MOVED = "Put `x10.barrier()` at the end of each step, such as the loop's body, and read values after it, always at the same place."
BEFORE = "Put `x10.barrier()` before the loop, so that its first step is like the others{}."
BODY_TOO = ", and at the end of its body if there is none"
LEFT_OVER = "Put `x10.barrier()` {}at the end of the loop's body, and read values after it, so that no step begins with the rest of the one before."
BEFORE_TOO = "before the loop and "
UNSURE = "Record the same at each step; or, if {} is from before the loop, put `x10.barrier()` before the loop."
PENDING = "what had not run yet when the step began"
NOTHING = "nothing"
APART = "identity"
"""What a gradient records to have its arguments apart."""


def explain(store: Store, trace: Trace, live: tuple[int, ...], steps: list[State], *, was_evicted: bool, line: Line, how: str, frame: FrameType) -> Cause:
    """The cause of a program that is missing.

    Args:
        store: The known programs.
        trace: The trace that is cut.
        live: The values that something holds.
        steps: The trace's path.
        was_evicted: Whether this very program was known once, and had to go.
        line: The line that asks for the cut.
        how: What asks for it, in the user's words.
        frame: The user's frame.
    """
    try:
        return cause_of(store, trace, live, steps, was_evicted=was_evicted, line=line, how=how, frame=frame)
    except Exception:
        # an explanation that fails must not cost the user the program
        LOG.exception("The cause of a compile could not be found")
        return Cause(kind="unknown", site=site_of(line))


def cause_of(store: Store, trace: Trace, live: tuple[int, ...], steps: list[State], *, was_evicted: bool, line: Line, how: str, frame: FrameType) -> Cause:
    """As ``explain``, which it may fail."""
    if was_evicted:
        return Cause(
            kind="evicted",
            where="the compile cache",
            old=f"room for {count(store.size, 'program')}",
            new="evicted",
            fix="Raise XLA_COMPILATION_CACHE_SIZE.",
            site=site_of(line),
        )
    known = nearest(store, steps, line, fresh_from(trace))
    if known is None:
        return first(trace, steps, line)
    name = known.program.executable.name
    if not known.old and not known.new:
        cause = other_configuration(known, trace) or other_live_values(trace, known.program, live, steps, frame)
    elif not known.old or not known.new or is_read_between(known, line, how):
        cause = moved_or_shorter(known, steps, line, how)
    else:
        cause = compare(store, known, trace, steps, line, how)
    if cause.kind in {"structure", "cut_moved"} and is_in_another_part(known.program, line):
        return first(trace, steps, line)
    return replace(cause, nearest=name)


def is_in_another_part(program: Program, line: Line) -> bool:
    """Whether a cut is in another part of the cell that a program was made for, which runs once: what it does otherwise is no change of anything."""
    cut = program.cut_line
    return line not in program.cut_lines and cut.file == line.file and cut.function == line.function == "<module>" and not encloses(line)


def is_read_between(known: Known, line: Line, how: str) -> bool:
    """Whether a read was put into the code of a known trace: what is new is what the value was made of. Other code has its cut at another line, too."""
    cut = known.program.cut_line
    return not how.startswith("barrier") and cut != line and (cut.file, cut.function) == (line.file, line.function) and is_mostly_shared(known)


def is_same_code(program: Program, steps: list[State], line: Line) -> bool:
    """Whether a cut that reached a program's place comes from a version of the code that the program was made for."""
    return is_version(Known(program, len(operations(steps)), [], [], 0), line, 0)


def fresh_from(trace: Trace) -> int:
    """The depth from which a trace's places were first seen now."""
    return trace.parted.depth if trace.parted is not None else sys.maxsize


def first(trace: Trace, steps: list[State], line: Line) -> Cause:
    """Nothing like it was compiled before. Its line is that of the first operation seen here for the first time; other lines may be those of other code."""
    start = fresh_from(trace)
    new = [s.site for s in steps if s.op is not None and s.depth >= start]
    return Cause(kind="first", site=site_of(new[0] if new else line))


def other_live_values(trace: Trace, program: Program, live: tuple[int, ...], steps: list[State], frame: FrameType) -> Cause:
    """The same trace, but something else is held at the cut."""
    made = {s.ref + i: s for s in steps if s.op is not None for i in range(len(s.op.outs))}
    more, fewer = sorted(set(live) - set(program.wanted)), sorted(set(program.wanted) - set(live))
    told = [f"result of {named(made[i])}, held by {holders(trace.tensors[i], trace, frame)}" for i in more]
    told += [f"result of {named(made[i])}, no longer held" for i in fewer] if not more else []
    site = made[[*more, *fewer, *live][0]].site
    return Cause(
        kind="live_outputs", where="; ".join(told[:3]), old=count(len(program.wanted), "value"), new=count(len(live), "value"), site=site_of(site),
        fix="Drop the reference (del, or a name inside the function) before the barrier." if more else "",
    )  # fmt: skip


def moved_or_shorter(known: Known, steps: list[State], line: Line, how: str) -> Cause:
    """The same operations up to where one of the two traces was cut: the cut has moved, or a loop made more or fewer passes."""
    cut, old = known.program.cut_line, path_to(known.program.state)
    repeated = passes(old, steps) if cut == line or are_behind_loops(cut, line) else None
    if repeated is not None:
        return repeated
    if cut != line:
        return Cause(
            kind="cut_moved", where=f"{how} at {site_of(line)}", old=str(site_of(cut)), new=str(site_of(line)), site=site_of(line),
            fix=MOVED,
        )  # fmt: skip
    before, now = [count(len(operations(path)), "operation") for path in (old, steps)]
    return Cause(kind="structure", where=f"the operations before {site_of(line)}", old=before, new=now, site=site_of(line))


def are_behind_loops(cut: Line, line: Line) -> bool:
    """Whether two cuts are in no loop, as a read at the end of a cell: then it is no matter which of them it was, but how often a loop before it ran."""
    return cut.function == line.function and not encloses(cut) and not encloses(line)


def passes(old: list[State], new: list[State]) -> Cause | None:
    """A loop that made more or fewer passes, if that is the difference: at some line the same operations come in both, again and again."""
    before, now = [by_site(operations(steps)) for steps in (old, new)]
    differ = [site for site, bases in now.items() if site is not None and len(bases) != len(before.get(site, bases))]
    for site in sorted(differ, key=lambda site: len(before[site])):  # of loops within each other the outermost
        turn = repeated(before[site])
        if turn and turn == repeated(now[site]):
            where, times = steps_of(old, new) or (site, [len(each[site]) // len(turn) for each in (before, now)])
            is_loop = encloses(where)
            what = f"the loop around {site_of(where)}" if is_loop else f"how often {site_of(where)} runs"
            counts = [count(each, "pass", "passes") if is_loop else count(each, "time") for each in times]
            fix = INSIDE if 0 < len(seeds(old)) == len(seeds(new)) else CUT if is_loop else CALLED
            return Cause(kind="structure", where=what, old=counts[0], new=counts[1], site=site_of(where), fix=fix)
    return None


def repeated(bases: list[Hashable]) -> list[Hashable]:
    """What comes again and again in a list that consists of that; all of it if nothing does."""
    sizes = [size for size in range(1, len(bases) + 1) if len(bases) % size == 0]
    return next((bases[:size] for size in sizes if bases[:size] * (len(bases) // size) == bases), [])


def steps_of(old: list[State], new: list[State]) -> tuple[Line, list[int]] | None:
    """Where a loop of training steps takes its gradients, and how often it did in each of two paths; None if that is not what differs."""
    before, now = seeds(old), seeds(new)
    lines = len(set(before))  # those that take one in each turn
    if not before or not now or len(before) == len(now) or now[-1] is None or len(before) % lines or len(now) % lines:
        return None
    return now[-1], [len(before) // lines, len(now) // lines]


CUT = "Put `x10.barrier()` at the end of the loop's body, or make the same number of passes each time."
CALLED = "If a loop calls it, put `x10.barrier()` at the end of the loop's body; else call it as often each time, since each number is a program of its own."
"""Where the line itself is in no loop: it is one of a function that is called again and again."""
INSIDE = "Each number of passes is a program of its own, as is each number of layers or parameters; a loop over data within a gradient can be `x10.lax.scan`."
"""Where as many gradients were taken as before the loop is within one, or over what it is taken by, and no barrier can stand there."""


def seeds(steps: list[State]) -> list[Line | None]:
    """The lines of the gradients that a path holds."""
    return [s.site for s in operations(steps) if is_seed(s.op.call)]


def by_site(ops: list[State]) -> dict[Line | None, list[Hashable]]:
    """What is done at each place, in order."""
    found: dict[Line | None, list[Hashable]] = {}
    for s in ops:
        found.setdefault(s.site, []).append(s.op.call.base)
    return found


def other_configuration(known: Known, trace: Trace) -> Cause | None:
    """JAX's configuration is another one than the known trace had."""
    steps = path_to(known.program.state)
    context = next(s.op.context for s in steps if s.op is not None)
    changes = context_difference(context.settings, trace.context.settings) + switched(context.switches, trace.context.switches)
    if context is trace.context or not changes:
        return None
    name, old, new = changes[0]
    return Cause(kind="config", where=name, old=old, new=new, site=site_of(known.program.cut_line), fix=f"Set {name} once, before the first step.")


def switched(old: Switches, new: Switches) -> list[tuple[str, str, str]]:
    """Which of our own settings differ: name, old and new value."""
    return [(x10_name(name), str(a), str(b)) for name, a, b in zip(Switches._fields, old, new, strict=True) if a != b]


def compare(store: Store, known: Known, trace: Trace, steps: list[State], line: Line, how: str) -> Cause:
    """The first difference between two versions of a trace."""
    before, now = known.old[0], known.new[0]
    if now.depth < fresh_from(trace):  # its line was noted when other code passed there
        now = copy(now)
        now.site = None
    repeated = passes(path_to(known.program.state), steps)
    is_alike = before.op.key == now.op.key or is_held_otherwise(before, now)
    start = fresh_from(trace)
    begun = other_beginning(known, line, how, start)
    return (
        begins_elsewhere(store, known, trace.last_cut, line, start)
        or (begun.cause if begun is not None and begun.is_whole and repeated is None else None)
        or (other_configuration(known, trace) if is_alike else None)
        or (None if are_apart(before, now) else between(before, now))
        or repeated
        or (begun.cause if begun is not None else None)
        or other_operation(before, now)
    )


def are_apart(before: State, now: State) -> bool:
    """Whether two operations are written at different places of the same code, so that neither is the other with something changed.

    A cell or a function that was edited is other code.
    """
    old, new = before.site, now.site
    return old is not None and new is not None and old != new and (old.file, old.function) == (new.file, new.function)


def is_held_otherwise(before: State, now: State) -> bool:
    """Whether two operations are one under settings of ours that change what the device holds: alike in all that they say."""
    a, b = before.op, now.op
    if a.context.switches == b.context.switches or a.call.base != b.call.base or len(a.ins) != len(b.ins):
        return False
    return all((x.shape, x.dtype, x.weak_type) == (y.shape, y.dtype, y.weak_type) for x, y in zip(a.ins, b.ins, strict=True))


class Beginning(NamedTuple):
    """How two traces begin that end alike."""

    cause: Cause
    is_whole: bool
    """Whether one of them is the end of the other."""


def begins_elsewhere(store: Store, known: Known, last_cut: tuple[str, Line] | None, line: Line, fresh_from: int) -> Cause | None:
    """The new trace is the end of the known one: a cut has come between, at another place than the one that ends it.

    Args:
        store: The known programs. The one that ran last is what came before the cut between, if there was one.
        known: The known trace.
        last_cut: What asked for the last cut, and where.
        line: Where the trace is cut.
        fresh_from: The depth from which its places were first seen now.
    """
    missing = len(known.old) - len(known.new)
    if known.shared or missing <= 0 or last_cut is None or last_cut[1] == line or not has_just_run(store, known.old[:missing]):
        return None
    for a, b in zip(known.old[missing:], known.new, strict=True):
        if a.op.call.base != b.op.call.base or (b.depth >= fresh_from and a.site != b.site):
            return None
    how, cut = last_cut
    home = (known.program.cut_line.file, known.program.cut_line.function)
    old, new = [f"begins at {site_of(s.site)}" if s.home == home else f"begins with `{s.op.call.name}`" for s in (known.old[0], known.old[missing])]
    return Cause(kind="cut_moved", where=f"{how} at {site_of(cut)}", old=old, new=new, site=site_of(cut), fix=MOVED)


def has_just_run(store: Store, part: Sequence[State]) -> bool:
    """Whether the program that ran last did some operations, in their order; what is read may have taken more."""
    last = next(iter(candidates(store)), None)
    did = iter([] if last is None else operations(path_to(last.state)))
    return all(any(a.op.call.base == b.op.call.base for a in did) for b in part)


def other_beginning(known: Known, line: Line, how: str, fresh_from: int) -> Beginning | None:
    """Two traces that end alike, and one or both of which begin with something else that was pending; None if that is not the difference.

    Args:
        known: The known trace, compared with the new one.
        line: Where the new one is cut.
        how: What asks for that, in the user's words.
        fresh_from: The depth from which its places were first seen now.
    """
    pairs = zip(reversed(known.old), reversed(known.new), strict=False)
    alike = 0 if known.shared else sum(1 for _ in takewhile(lambda pair: pair[0].op.key == pair[1].op.key, pairs))
    before, now = written_by_user(known.old[: len(known.old) - alike]), written_by_user(known.new[: len(known.new) - alike])
    is_whole = not before or not now
    is_left_over = any(part and all(comes_after(s.site, line) for s in part) for part in (now, before))
    if not alike or not (is_whole or (is_left_over and alike >= TELLING_PREFIX and 2 * alike >= len(known.new))):
        return None
    pending = now or before
    if not pending:  # they begin with other data
        return None
    lines = [None if s.depth < fresh_from and part is now else s.site for part in (before, now) for s in part]
    is_before = any(runs_once(site, line) for site in lines)
    if is_left_over:
        fix = LEFT_OVER.format(BEFORE_TOO if is_before else "")
    elif is_before:
        fix = BEFORE.format("" if how.startswith("barrier") and encloses(line) else BODY_TOO)
    else:
        fix = UNSURE.format(f"`{pending[-1].op.call.name}`")
    old, new = told(before, 0), told(now, fresh_from)
    site = next((site for site in reversed(lines) if site is not None), line)
    return Beginning(Cause(kind="structure", where=PENDING, old=old, new=new, site=site_of(site), fix=fix), is_whole)


def written_by_user(part: Sequence[State]) -> Sequence[State]:
    """Operations without those that a gradient records to have its arguments apart: nobody has written them."""
    return [s for s in part if s.op.call.base != APART]


def told(part: Sequence[State], fresh_from: int) -> str:
    """Operations in words: the last, after which the step begins, and how many are before it.

    Args:
        part: They.
        fresh_from: The depth from which their lines are those of this code.
    """
    if not part:
        return NOTHING
    last = part[-1]
    line = f" at {site_of(last.site)}" if last.site is not None and last.depth >= fresh_from else ""
    return f"`{last.op.call.name}`{line}" + (f" and {len(part) - 1} more" if len(part) > 1 else "")
