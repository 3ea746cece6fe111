"""Why a program is not among the known ones: where the trace left the known paths, and what it left them for."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from types import FrameType
from typing import Any

from x10_jupyter.base.units import count
from x10_jupyter.jax_gate.context import context_difference
from x10_jupyter.lazy.avals import Aval
from x10_jupyter.lazy.core import State, Trace, Value
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.holders import holders
from x10_jupyter.lazy.line import Line, source
from x10_jupyter.lazy.names import input_name, marked, number_name
from x10_jupyter.lazy.nearest import Known, is_version, nearest
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.program import Program, Store
from x10_jupyter.lazy.reads import Nested, Same
from x10_jupyter.records.cause import Cause

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


def named(state: State) -> str:
    """An operation and its line."""
    return f"`{state.op.call.name}` at {site_of(state.site)}"


def moved_or_shorter(known: Known, steps: list[State], line: Line, how: str) -> Cause:
    """The same operations up to where one of the two traces was cut: the cut has moved, or a loop made more or fewer passes."""
    cut, old = known.program.cut_line, path_to(known.program.state)
    if cut != line:
        return Cause(
            kind="cut_moved", where=f"{how} at {site_of(line)}", old=f"cut at {site_of(cut)}", new=f"cut at {site_of(line)}", site=site_of(line),
            fix=MOVED,
        )  # fmt: skip
    return passes(old, steps) or Cause(
        kind="structure", where=f"the operations before {site_of(line)}", old=count(operation_count(old), "operation"), new=count(operation_count(steps), "operation"),
        site=site_of(line),
    )  # fmt: skip


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
            kind="structure", where=f"the loop around {site_of(site)}", old=f"{before[site] // period} passes", new=f"{now[site] // period} passes", site=site_of(site),
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
    resumed = begins_elsewhere(known, trace)
    if resumed is not None:
        return resumed
    before, now = known.old[0], known.new[0]
    site = site_of(now.site)
    a, b = before.op.call, now.op.call
    if a.base == b.base and a.tree == b.tree and a.marks == b.marks and len(before.op.ins) == len(now.op.ins):
        if before.op.ins == now.op.ins:
            configured = other_configuration(known, trace)
            if configured:
                return configured
        return other_inputs(before, now)
    if a.base == b.base and a.tree != b.tree and a.marks:
        return other_tree(before, now)
    if a.base == b.base and a.marks != b.marks:
        found = other_mark(before, now)
        if found is not None:
            return found
    if a.name == b.name and a.base != b.base and b.is_users:
        return Cause(kind="function_rebuilt", where=a.name, old="a function", new="another function of that name", site=site)
    looped = passes(path_to(known.program.state), steps)
    if looped:
        return looped
    return Cause(kind="structure", where=str(site), old=f"{a.name}({shapes(before)})", new=f"{b.name}({shapes(now)})", site=site)


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


def shapes(state: State) -> str:
    """The avals of an operation's inputs."""
    return ", ".join(map(repr, state.op.ins))


def other_inputs(before: State, now: State) -> Cause:
    """The same call on other inputs."""
    site = site_of(now.site)
    for which, (x, y) in enumerate(zip(before.op.ins, now.op.ins, strict=True)):
        if x is not y:
            where = input_name(now, which)
            return Cause(kind=difference(x, y), where=where, old=repr(x), new=repr(y), site=site, fix=cure(x, y, where))
    which = next((i for i, (x, y) in enumerate(zip(before.key[1:], now.key[1:], strict=True)) if x != y), 0)
    where = f"{input_name(now, which)} of `{now.op.call.name}`"
    return Cause(kind="structure", where=where, old=origin(before, which), new=origin(now, which), site=site)


def origin(state: State, which: int) -> str:
    """Where an operand of an operation comes from."""
    ref = state.key[1 + which]
    if ref < 0:
        return f"input {-1 - ref} of the trace"
    maker = next((s for s in path_to(state) if s.op is not None and s.ref <= ref < s.ref + len(s.op.outs)), None)
    return named(maker) if maker is not None else "another value"


def difference(old: Aval, new: Aval) -> Any:
    """What differs between two avals."""
    return "shape" if old.shape != new.shape else "dtype" if old.dtype != new.dtype else "weak_type"


def cure(old: Aval, new: Aval, where: str) -> str:
    """What to write instead."""
    if old.shape == new.shape:
        kind = "from the start" if old.dtype == new.dtype else "before it is used"
        return f"Convert `{where}` to {old.dtype} {kind}."
    if old.shape[1:] == new.shape[1:] and len(old.shape) == len(new.shape) and new.shape[0] < old.shape[0]:
        return f"Pad `{where}` to {old.shape[0]} rows, or drop the last, smaller batch."
    return f"Keep the shape of `{where}`: pad it to a few fixed sizes."


def other_tree(before: State, now: State) -> Cause:
    """The same function, called with another structure of arguments."""
    old, new = described(before), described(now)
    gone, come = [p for p in old if p not in new], [p for p in new if p not in old]
    where = (come or gone or [now.op.call.name])[0]
    top = where.partition("[")[0].partition(".")[0]
    missing = "None" if top == where else "absent"
    return Cause(
        kind="pytree", where=where, old=old.get(where, missing), new=new.get(where, missing), site=site_of(now.site),
        fix=f"Give `{top}` the same structure at each call.",
    )  # fmt: skip


def described(state: State) -> dict[str, str]:
    """The leaves of an operation's arguments as text: an aval, a number, a value."""
    ins = iter(state.op.ins)
    return {path: repr(next(ins)) if mark is Value else text(mark) for path, mark in marked(state.op.call)}


def other_mark(before: State, now: State) -> Cause | None:
    """The same function and structure, but something static is another."""
    a, b, site = before.op.call, now.op.call, site_of(now.site)
    edited = edited_function(a.marks[0], b.marks[0], b.name) if a.marks and b.marks else None
    if edited is not None:
        return Cause(
            kind="function_rebuilt", where=edited, old="as it was", new="edited", site=site, fix="Nothing: an edited function has to be compiled once."
        )
    old, new = marked(a), marked(b)
    own = own_count(b)
    for place, ((_, x), (path, y)) in enumerate(zip(old, new, strict=False)):
        if x != y:
            kind: Any = "constant" if place < own else "static_argument"
            return Cause(
                kind=kind, where=path or b.name, old=text(x), new=text(y), site=site, fix=f"Keep `{path}` the same, or call with few different values."
            )
    return None


def edited_function(a: Hashable, b: Hashable, name: str) -> str | None:
    """The function whose code is another, among a function and those it refers to; None if all are the same."""
    if not isinstance(a, Nested) or not isinstance(b, Nested):
        return name if isinstance(a, Same) and isinstance(b, Same) and a != b else None
    if a.names == b.names:
        for part, x, y in zip(a.names, a.marks, b.marks, strict=True):
            found = edited_function(x, y, part) if isinstance(x, (Nested, Same)) and isinstance(y, (Nested, Same)) else None
            if found is not None:
                return found
    return name if a.key != b.key or a.names != b.names else None


def own_count(call: Call) -> int:
    """How many leaves the function itself reads."""
    return len(marked(call)) - sum(1 for _ in call.paths)


def text(mark: Hashable) -> str:
    """A mark as the user would write the value."""
    if mark is Value:
        return "a tensor"
    if isinstance(mark, type):
        return mark.__name__
    if isinstance(mark, tuple) and len(mark) >= 2 and isinstance(mark[0], type):
        return repr(mark[1])
    return repr(mark)


def changed_number(place: tuple[Call, int, Any], old: Any, new: Any, numbers: int, nearest: str) -> Cause:
    """A number that was baked into a program has another value."""
    more = f" and {numbers - 1} more" if numbers > 1 else ""
    fix = "Nothing: it is a parameter of the program from now on."
    return Cause(kind="constant", where=number_at(place) + more, old=repr(old), new=repr(new), site=site_of(place[2]), nearest=nearest, fix=fix)


def parted_number(place: tuple[Call, int, Any], old: Any, new: Any, nearest: str) -> Cause:
    """Two numbers of one line were equal so far, and no longer are."""
    where = f"{number_at(place)}, which had one value at all passes"
    fix = "Nothing: it has a parameter for each pass from now on."
    return Cause(kind="constant", where=where, old=repr(old), new=repr(new), site=site_of(place[2]), nearest=nearest, fix=fix)


def number_at(place: tuple[Call, int, Any]) -> str:
    """What the user calls a number: its argument's name, or the expression it stands in."""
    call, which, line = place
    return number_name(call, which) or f"the number in `{source(line) or call.name}`"
