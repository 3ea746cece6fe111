"""Why a program is not among the known ones: where the trace left the known paths, and what it left them for."""

import logging
from collections import Counter
from dataclasses import replace
from types import FrameType

from x10_jupyter.base.units import count
from x10_jupyter.jax_gate.context import context_difference
from x10_jupyter.lazy.core import State, Trace
from x10_jupyter.lazy.differences import between, other_operation
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.holders import holders
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.names import named
from x10_jupyter.lazy.nearest import Known, is_version, nearest
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.program import Program, Store
from x10_jupyter.records.cause import Cause

LOG = logging.getLogger(__name__)
MOVED = "Read values after the barrier, always at the same place."


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
        return Cause(kind="evicted", where="the compile cache", old=f"{store.size} programs kept", fix="Raise XLA_COMPILATION_CACHE_SIZE.", site=site_of(line))
    known = nearest(store, steps, line)
    if known is None:
        return first(trace, steps, line)
    name = known.program.executable.name
    if not known.old and not known.new:
        cause = other_configuration(known, trace) or other_live_values(trace, known.program, live, steps, frame)
    elif not known.old or not known.new:
        cause = moved_or_shorter(known, steps, line, how)
    else:
        cause = compare(known, trace, steps)
    return replace(cause, nearest=name)


def is_same_code(program: Program, steps: list[State], line: Line) -> bool:
    """Whether a cut that reached a program's place comes from a version of the code that the program was made for."""
    return is_version(Known(program, operation_count(steps), [], [], 0), line)


def first(trace: Trace, steps: list[State], line: Line) -> Cause:
    """Nothing like it was compiled before. Its line is that of the first operation seen here for the first time; other lines may be those of other code."""
    parted = trace.parted
    new = [s.site for s in steps if s.op is not None and parted is not None and s.depth >= parted.depth]
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
    if cut != line:
        return Cause(
            kind="cut_moved", where=f"{how} at {site_of(line)}", old=f"cut at {site_of(cut)}", new=f"cut at {site_of(line)}", site=site_of(line),
            fix=MOVED,
        )  # fmt: skip
    before, now = [count(operation_count(path), "operation") for path in (old, steps)]
    return passes(old, steps) or Cause(kind="structure", where=f"the operations before {site_of(line)}", old=before, new=now, site=site_of(line))


def operation_count(steps: list[State]) -> int:
    """Operations of a path."""
    return sum(s.op is not None for s in steps)


def passes(old: list[State], new: list[State]) -> Cause | None:
    """A loop that made more or fewer passes, if that is the difference."""
    before, now = [Counter(s.site for s in steps if s.op is not None) for steps in (old, new)]
    for site in now:
        if site is None or not before[site] or before[site] == now[site]:
            continue
        names = [s.op.call.name for s in new if s.op is not None and s.site == site]
        period = next((p for p in range(1, len(names) + 1) if names[p:] == names[:-p] and before[site] % p == 0 and len(names) % p == 0), 1)
        return Cause(
            kind="structure", where=f"the loop around {site_of(site)}", old=count(before[site] // period, "pass", "passes"),
            new=count(now[site] // period, "pass", "passes"), site=site_of(site),
            fix="Make the same number of passes each time, or put a barrier inside the loop.",
        )  # fmt: skip
    return None


def other_configuration(known: Known, trace: Trace) -> Cause | None:
    """JAX's configuration is another one than the known trace had."""
    steps = path_to(known.program.state)
    context = next(s.op.context for s in steps if s.op is not None)
    changes = context_difference(context.settings, trace.context.settings)
    if context is trace.context or not changes:
        return None
    name, old, new = changes[0]
    return Cause(kind="config", where=name, old=old, new=new, site=site_of(known.program.cut_line), fix=f"Set {name} once, before the first step.")


def compare(known: Known, trace: Trace, steps: list[State]) -> Cause:
    """The first difference between two versions of a trace."""
    before, now = known.old[0], known.new[0]
    is_alike = before.op.key == now.op.key
    return (
        begins_elsewhere(known, trace)
        or (other_configuration(known, trace) if is_alike else None)
        or between(before, now)
        or passes(path_to(known.program.state), steps)
        or other_operation(before, now)
    )


def begins_elsewhere(known: Known, trace: Trace) -> Cause | None:
    """One of the two traces is the end of the other: the cut before it has moved."""
    if known.shared or len(known.old) == len(known.new):
        return None
    shorter, longer = sorted((known.old, known.new), key=len)
    if [(s.site, s.op.call.base) for s in shorter] != [(s.site, s.op.call.base) for s in longer[-len(shorter) :]]:
        return None
    start, missing = site_of(shorter[0].site), site_of(longer[0].site)
    how, line = trace.last_cut or ("a cut", None)
    if shorter is known.new:
        where, old, new = f"{how} at {site_of(line)}", f"begins at {missing}", f"begins at {start}"
    else:
        where, old, new = f"the cut before {start}", f"begins at {start}", f"begins at {missing}"
    return Cause(kind="cut_moved", where=where, old=old, new=new, site=site_of(line) if shorter is known.new else start, fix=MOVED)
