"""The known trace that a new one is another version of, if there is one: the nearest, not the first ever seen and not the last."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from x10_jupyter.jax_gate.context import context_difference
from x10_jupyter.lazy.graph import operations, path_to
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.program import Program, Store
from x10_jupyter.lazy.trie import State

MOST_CANDIDATES = 64
"""Programs compared with, the most recently used ones."""
MOST_OPS = 2000
"""Operations compared."""
FAR = 4
"""What an operation counts that has no counterpart; a difference of shape, dtype or weak type counts 1."""
TELLING_PREFIX = 3
"""So many equal operations at the beginning are no accident."""


class Known(NamedTuple):
    """A known trace, compared with a new one."""

    program: Program
    shared: int
    """Operations that both begin with."""
    old: list[State]
    """The known trace's operations from where the two part."""
    new: list[State]
    """The new trace's."""
    distance: int
    """How much differs."""


def nearest(store: Store, steps: list[State], line: Line, fresh_from: int) -> Known | None:
    """The nearest known trace of which this one is another version; None if there is none.

    Args:
        store: The known programs.
        steps: The new trace's path.
        line: Where it is cut.
        fresh_from: The depth from which its places were first seen now. Those before it may have been noted when other code passed there.
    """
    new = operations(steps)
    best: Known | None = None
    best_rank: tuple[int, int, int] = (0, 0, 0)
    for program in candidates(store):
        path = path_to(program.state)
        old, shared = operations(path), common(path, steps)
        known = Known(program, shared, old[shared:], new[shared:], distance(old[shared:], new[shared:]))
        # of equally near ones it is the one that ran most often, as a full batch does, and of those the last used
        rank = (known.distance, settings_between(path, steps), -program.executable.runs)
        if (best is None or rank < best_rank) and is_version(known, line, fresh_from):
            best, best_rank = known, rank
    return best


def settings_between(old: list[State], new: list[State]) -> int:
    """How many settings two traces differ in."""
    a, b = [next((s.op.context for s in steps if s.op is not None), None) for steps in (old, new)]
    if a is b or a is None or b is None:
        return 0
    return len(context_difference(a.settings, b.settings)) + sum(x != y for x, y in zip(a.switches, b.switches, strict=True))


def candidates(store: Store) -> Iterable[Program]:
    """The programs used last, each at every place of the trie that still has it."""
    for executable in store.all()[:MOST_CANDIDATES]:
        programs = [(state.programs or {}).get(live) for state, live in executable.bindings()]
        yield from {id(p): p for p in programs if p is not None}.values()


def common(old: list[State], new: list[State]) -> int:
    """How many operations two paths begin with alike.

    They are alike if they are the same place of the trie, or do the same with data that lies in the same places, under another configuration or in
    another thread.
    """
    old_leaves, new_leaves = [[s.key for s in steps if s.op is None] for steps in (old, new)]
    count = 0
    for a, b in zip(operations(old), operations(new), strict=False):
        refs = b.key[1:]
        if a is not b and (a.op.key != b.op.key or a.key[1:] != refs or any(old_leaves[-1 - r] != new_leaves[-1 - r] for r in refs if r < 0)):
            break
        count += 1
    return count


def distance(old: list[State], new: list[State]) -> int:
    """How much two paths differ from where they part."""
    total = FAR * abs(len(old) - len(new))
    for a, b in zip(old[:MOST_OPS], new[:MOST_OPS], strict=False):
        x, y = a.op.call, b.op.call
        if x.base != y.base or len(a.op.ins) != len(b.op.ins):
            total += FAR
        else:
            total += (x.marks != y.marks) + (a.key[1:] != b.key[1:])
            total += sum((i.shape != j.shape) + (i.held_as != j.held_as) + (i.weak_type != j.weak_type) for i, j in zip(a.op.ins, b.op.ins, strict=True))
    return total


def is_version(known: Known, line: Line, fresh_from: int) -> bool:
    """Whether two traces are versions of one piece of code.

    They have to be cut in one function, or in cells. Then they are if, after they part, the new one still visits places of the known one: any of them
    if both are cut at the same place, half of all otherwise. Where one ends before they part, or nearly, it is enough that both are cut in one function.
    """
    cut = known.program.cut_line
    is_same_function = cut.function == line.function and (cut.file == line.file or line.function != "<module>")
    if not known.old or not known.new:
        return is_same_function or known.shared >= TELLING_PREFIX
    if not is_same_function and not cut.function == line.function == "<module>":
        return False
    if is_same_function and is_mostly_shared(known):
        return True
    fresh = [s for s in known.new if s.depth >= fresh_from]
    if not fresh:
        return cut == line
    places, old_places = {s.site for s in fresh}, {s.site for s in known.old}
    meanings, old_meanings = {meaning(s) for s in fresh}, {meaning(s) for s in known.old}
    is_edited = {p.file for p in places if p} != {p.file for p in old_places if p}
    kept = meanings & old_meanings if is_edited else {s.op.call.base for s in known.old if s.op.call.is_users} & meanings
    if (cut == line and (places & old_places or kept)) or (is_mostly_shared(known) and places & old_places):
        return True
    return 2 * max(len(places & old_places) / max(len(places), len(old_places)), len(kept) / max(len(meanings), len(old_meanings))) >= 1


def is_mostly_shared(known: Known) -> bool:
    """Whether the new trace parts from the known one in its second half."""
    return known.shared > 0 and known.shared >= len(known.new)


def meaning(state: State) -> Hashable:
    """What an edit does not move: the user's own function that an operation is, or the function of the user's that it stands in."""
    call, site = state.op.call, state.site
    if call.is_users or site is None or site.function == "<module>":
        return call.base if call.is_users else state
    return (site.function, call.base)
