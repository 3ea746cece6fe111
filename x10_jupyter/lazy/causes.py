"""Why a program is not among the known ones: where the trace left the known paths, and what it left them for."""

from collections import Counter, OrderedDict
from collections.abc import Hashable
from types import FrameType
from typing import Any

from x10_jupyter.base import settings
from x10_jupyter.jax_gate.context import context_difference
from x10_jupyter.lazy.avals import Aval
from x10_jupyter.lazy.core import State, Trace, Value
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.holders import holders
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.names import input_name, marked, number_name
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.reads import Nested, Same
from x10_jupyter.records.cause import Cause

LONGEST_WALK = 20_000
"""States looked at when an earlier trace is compared."""


class Remembered:
    """A cut that compiled something."""

    __slots__ = ("how", "line", "state")

    def __init__(self, state: State, line: Line, how: str) -> None:
        self.state, self.line, self.how = state, line, how


CUTS: "OrderedDict[Line, Remembered]" = OrderedDict()
"""The last compile at each place of the user's code."""


def remember(state: State, line: Line, how: str) -> None:
    """Note where a program was compiled, to compare the next one at this line with."""
    CUTS[line] = Remembered(state, line, how)
    CUTS.move_to_end(line)
    while len(CUTS) > 1024:  # noqa: PLR2004 - more lines than a notebook has
        CUTS.popitem(last=False)


def explain(trace: Trace, live: tuple[int, ...], steps: list[State], was_evicted: bool, line: Line, how: str, frame: FrameType) -> Cause:  # noqa: FBT001, PLR0913, PLR0917
    """The cause of a program that is missing.

    Args:
        trace: The trace that is cut.
        live: The values that something holds.
        steps: The trace's path.
        was_evicted: Whether this very program was known once, and had to go.
        line: The line that asks for the cut.
        how: What asks for it, in the user's words.
        frame: The user's frame.
    """
    if was_evicted:
        size = settings.CURRENT.compilation_cache_size
        return Cause(kind="evicted", where="the compile cache", old=f"{size} programs kept", fix="Raise XLA_COMPILATION_CACHE_SIZE.", site=site_of(line))
    state, last = trace.state, CUTS.get(line)
    parted = trace.parted
    if parted is None:
        if state.programs:
            return other_live_values(trace, live, steps, frame)
        known = first_cut_after(state)
        return first(steps) if known is None else moved_or_shorter(known, steps, line, how)
    parent = parted.parent
    assert parent is not None  # only a root has none, and a root is never new
    if parent.programs and (last is not None or same_place(parent, line)):
        known = last if last is not None and last.state is parent else cut_at(parent)
        if known is not None:
            return moved_or_shorter(known, steps, line, how)
    new = steps[parent.depth :]
    old = related(parent, new, last)
    if not old:
        return other_configuration(trace, steps) or first(steps)
    return compare(parent, old, new, last, steps)


def first(steps: list[State]) -> Cause:
    """Nothing like it was compiled before."""
    site = next((s.site for s in steps if s.op is not None), None)
    return Cause(kind="first", site=site_of(site))


def other_live_values(trace: Trace, live: tuple[int, ...], steps: list[State], frame: FrameType) -> Cause:
    """The same trace, but something else is held at the cut."""
    assert trace.state.programs is not None  # asked before
    other = min((p.wanted for p in trace.state.programs.values()), key=lambda w: len(set(w) ^ set(live)))
    made = {s.ref + i: s for s in steps if s.op is not None for i in range(len(s.op.outs))}
    more, fewer = sorted(set(live) - set(other)), sorted(set(other) - set(live))
    told = [f"result of {named(made[i])}, held by {holders(trace.tensors[i], trace, frame)}" for i in more]
    told += [f"result of {named(made[i])}, no longer held" for i in fewer] if not more else []
    site = made[(more or fewer)[0]].site
    return Cause(
        kind="live_outputs", where="; ".join(told[:3]), old=f"{len(other)} values", new=f"{len(live)} values", site=site_of(site),
        fix="Drop the reference (del, or a name inside the function) before the barrier." if more else "",
    )  # fmt: skip


def named(state: State) -> str:
    """An operation and its line."""
    return f"`{state.op.call.name}` at {site_of(state.site)}"


def cut_at(state: State) -> Remembered | None:
    """The cut that compiled a program at this very state."""
    for program in (state.programs or {}).values():
        return Remembered(state, program.cut_line, "the cut")
    return None


def same_place(state: State, line: Line) -> bool:
    """Whether a program cut at a state was cut in the same function or cell as this line."""
    return any(p.cut_line.file == line.file for p in (state.programs or {}).values())


def first_cut_after(state: State) -> Remembered | None:
    """The nearest known cut further along the known paths."""
    waiting, seen = [state], 0
    while waiting and seen < LONGEST_WALK:
        place = waiting.pop(0)
        seen += 1
        if place.programs and place is not state:
            return cut_at(place)
        waiting.extend(reversed(place.next.values()))
    return None


def moved_or_shorter(known: Remembered, steps: list[State], line: Line, how: str) -> Cause:
    """The same operations up to where one of the two traces was cut: the cut has moved, or a loop made more or fewer passes."""
    if known.line != line:
        return Cause(
            kind="cut_moved", where=f"{how} at {site_of(line)}", old=f"cut at {site_of(known.line)}", new=f"cut at {site_of(line)}", site=site_of(line),
            fix="Read values after the barrier, always at the same place.",
        )  # fmt: skip
    return passes(path_to(known.state), steps) or Cause(
        kind="structure", where=f"the operations before {site_of(line)}", old=f"{operation_count(path_to(known.state))} operations", new=f"{operation_count(steps)} operations",
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


def spots(steps: list[State]) -> tuple[set[Line], set[tuple[str, str]]]:
    """The places that a path visits, and its operations by function, which an edit does not move."""
    lines = {s.site for s in steps if s.op is not None and s.site is not None}
    inside = {(s.site.function, s.op.call.name) for s in steps if s.op is not None and s.site is not None and s.site.function != "<module>"}
    return lines, inside


def related(parent: State, new: list[State], last: Remembered | None) -> list[State]:
    """The known trace that this one is another version of, from where they part; empty if there is none.

    It is another version if it still visits lines of the other: any, of the trace last cut at this line; half of its lines, of any other.
    """
    mine, mine_inside = spots(new)
    if last is not None:
        old = path_to(last.state)
        if parent.depth == 0 or (len(old) >= parent.depth and old[parent.depth - 1] is parent):
            rest = old[parent.depth :]
            lines, inside = spots(rest)
            if rest and (lines & mine or inside & mine_inside):
                return rest
    best: list[State] = []
    score = 0.0
    for branch in reversed(parent.next.values()):
        if branch is not new[0]:
            path = newest_path(branch)
            lines, inside = spots(path)
            part = max(len(lines & mine) / max(len(mine), 1), len(inside & mine_inside) / max(len(mine_inside), 1))
            if part > score:
                best, score = path, part
    return best if score >= (0.5 if last is None else 1e-9) else []


def newest_path(branch: State) -> list[State]:
    """The path that was followed most recently from a state on."""
    path = [branch]
    while path[-1].next and len(path) < LONGEST_WALK:
        path.append(next(reversed(path[-1].next.values())))
    return path


def other_configuration(trace: Trace, steps: list[State]) -> Cause | None:
    """JAX's configuration has changed, if the same operations are known under another one."""
    calls = [s.op.call.key for s in steps if s.op is not None]
    for context, root in trace.roots.items():
        if context is not trace.context and follows(root, calls):
            changes = context_difference(context.key, trace.context.key)
            if changes:
                name, old, new = changes[0]
                return Cause(kind="config", where=name, old=old, new=new, site=site_of(steps[-1].site), fix=f"Set {name} once, before the first step.")
    return None


def follows(root: State, calls: list[Hashable]) -> bool:
    """Whether a path with these operations, in this order, begins at a root."""
    states, seen = [root], 0
    for call in calls:
        reached = []
        while states and seen < LONGEST_WALK:
            seen += 1
            for following in states.pop().next.values():
                if following.op is None:
                    states.append(following)
                elif following.op.call.key == call:
                    reached.append(following)
        states = reached
    return bool(states)


def compare(parent: State, old: list[State], new: list[State], last: Remembered | None, steps: list[State]) -> Cause:
    """The first difference between two versions of a trace."""
    before = next((s for s in old if s.op is not None), None)
    now = next((s for s in new if s.op is not None), None)
    if now is None or before is None:
        return Cause(kind="structure", where="the end of the trace", site=site_of(steps[-1].site))
    site = site_of(now.site)
    a, b = before.op.call, now.op.call
    if a.key == b.key:
        return other_inputs(before, now)
    if a.base == b.base and a.tree != b.tree and a.marks:
        return other_tree(a, b, now)
    if a.base == b.base and a.marks != b.marks:
        found = other_mark(a, b, now)
        if found is not None:
            return found
    if a.name == b.name and a.base != b.base and before.site == now.site:
        return Cause(kind="function_rebuilt", where=a.name, old="a function", new="another function of that name", site=site)
    looped = last and passes(path_to(last.state), steps)
    if looped:
        return looped
    return Cause(kind="structure", where=str(site), old=f"{a.name}({shapes(before)})", new=f"{b.name}({shapes(now)})", site=site)


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


def difference(old: Aval, new: Aval) -> Any:  # noqa: ANN401 - one of the kinds of causes
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


def other_tree(a: Call, b: Call, now: State) -> Cause:
    """The same function, called with another structure of arguments."""
    old, new = dict(marked(a)), dict(marked(b))
    gone, come = [p for p in old if p not in new], [p for p in new if p not in old]
    where = (come or gone or [b.name])[0]
    top = where.partition("[")[0].partition(".")[0]
    return Cause(
        kind="pytree", where=where, old=text(old[where]) if where in old else "None" if top == where else "absent", new=text(new[where]) if where in new else "absent",
        site=site_of(now.site), fix=f"Give `{top}` the same structure at each call.",
    )  # fmt: skip


def other_mark(a: Call, b: Call, now: State) -> Cause | None:
    """The same function and structure, but something static is another."""
    site = site_of(now.site)
    if function_code(a) != function_code(b):
        return Cause(kind="function_rebuilt", where=b.name, old="the function as it was", new="the function as edited", site=site)
    old, new = marked(a), marked(b)
    own = own_count(b)
    for place, ((_, x), (path, y)) in enumerate(zip(old, new, strict=False)):
        if x != y:
            kind: Any = "constant" if place < own else "static_argument"
            fix = f"Pass `{path}` as a tensor if it is to change." if isinstance(y, tuple) and y and y[0] in {int, float} else f"Keep `{path}` the same, or call with few different values."
            return Cause(kind=kind, where=path or b.name, old=text(x), new=text(y), site=site, fix=fix)
    return None


def own_count(call: Call) -> int:
    """How many leaves the function itself reads."""
    return len(marked(call)) - sum(1 for _ in call.paths)


def function_code(call: Call) -> Hashable:
    """What a call's function does, apart from what it reads."""
    own = call.marks[0] if call.marks else None
    return skeleton(own)


def skeleton(mark: Hashable) -> Hashable:
    """The code in a mark, with that of the functions it refers to."""
    if isinstance(mark, Nested):
        return (mark.key, tuple([skeleton(m) for m in mark.marks if isinstance(m, Nested)]))
    return mark if isinstance(mark, Same) else None


def text(mark: Hashable) -> str:
    """A mark as the user would write the value."""
    if mark is Value:
        return "a tensor"
    if isinstance(mark, type):
        return mark.__name__
    if isinstance(mark, tuple) and len(mark) >= 2 and isinstance(mark[0], type):  # noqa: PLR2004 - (kind, value, …)
        return repr(mark[1])
    return repr(mark)


def changed_number(place: tuple[Call, int, Any], old: Any, new: Any, count: int, nearest: str) -> Cause:  # noqa: ANN401
    """A number that was baked into a program has another value."""
    call, which, line = place
    where = number_name(call, which) or f"the number at `{call.name}`"
    more = f" and {count - 1} more" if count > 1 else ""
    return Cause(kind="constant", where=where + more, old=repr(old), new=repr(new), site=site_of(line), nearest=nearest, fix="Nothing: it is a parameter of the program from now on.")


def parted_number(place: tuple[Call, int, Any], old: Any, new: Any, nearest: str) -> Cause:  # noqa: ANN401
    """Two numbers of one line were equal so far, and no longer are."""
    call, which, line = place
    where = number_name(call, which) or f"the number at `{call.name}`"
    return Cause(kind="constant", where=f"{where}, which had one value at all passes", old=repr(old), new=repr(new), site=site_of(line), nearest=nearest, fix="Nothing: it has a parameter for each pass from now on.")
