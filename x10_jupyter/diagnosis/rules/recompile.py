"""Programs that were compiled though something like them was there: what would not have happened if nothing had changed."""

from collections.abc import Sequence

from x10_jupyter.base.units import count, share
from x10_jupyter.diagnosis.claim import LEAST, Claim
from x10_jupyter.diagnosis.folding import beside, fold, from_cache, lasted, total
from x10_jupyter.diagnosis.growing import growing
from x10_jupyter.diagnosis.spent import making
from x10_jupyter.diagnosis.words import called, cause, cause_at, line_of, place, place_of, quoted, seconds, times
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Kind
from x10_jupyter.records.compile import Compile

CHANGES = 3
"""Changes that are told of those of one cause; the rest is counted."""

OVER = 0.5
"""If so much of the window came after the last of them, they may be over."""

NOTHING = "Nothing"
"""How advice begins where there is nothing to do; it then says why, which no line is needed for."""

INSTEAD: dict[Kind, str] = {
    "shape": "keep {where} at one shape: pad it, or drop what is smaller",
    "dtype": "give {where} the same dtype each time",
    "weak_type": "give {where} a dtype of its own, as `jnp.asarray(value, dtype)` does",
    "pytree": "build {where} of the same parts each time",
    "static_argument": "pass {where} as an array instead of a static value, or let it take few values",
    "constant": "pass {where} as an argument",
    "function_rebuilt": "define {where} once, outside the loop",
    "calling_convention": "pass {where} in the same way each time, by position or by name",
    "placement": "put {where} on the same devices each time",
    "config": "set {where} once, before the first call",
    "transform": "transform {where} once, outside the loop, and call what comes out",
    "structure": "let each step have the same operations",
    "cut_moved": "end each step at the same line, with `x10.barrier()`, and read values after it",
    "live_outputs": "let the same names hold values at each barrier: make the step a function",
    "donation": "hold the same values at each barrier: make the step a function",
    "evicted": "raise XLA_COMPILATION_CACHE_SIZE, and clear no caches",
}
"""What to do about a cause that brings no advice of its own."""


def claims(capture: Capture) -> list[Claim]:
    """One for each cause at one place; those that are too small for themselves together.

    Eager operations are left out unless something grows: each shape is a program of its own in any case, and it is that they are not one program that takes
    the time.
    """
    mine = capture.keeping
    again = [one for one in mine if one.is_recompile and not one.is_eager]
    groups = sorted(fold(again), key=lambda group: (-total(group), str(line_of(group[-1]))))  # of equals the same first, in whatever order they were told
    small = [group for group in groups if total(group) * 1e9 < LEAST * capture.wall_ns]
    large = [group for group in groups if total(group) * 1e9 >= LEAST * capture.wall_ns]
    grown = [grows(capture, group) for group in growing(mine)]
    return [*(alike(capture, group) for group in large), *grown, *([mixed(capture, small)] if len(small) > 1 else [])]


def alike(capture: Capture, group: Sequence[Compile]) -> Claim:
    """Compiles of one cause."""
    last = group[-1]
    title = f"compiling {called(last)} again{times(len(group))}: {cause_at(last)}"
    return claim(capture, group, last, title, f"{count(len(group), 'compile')} of {called(last)} came after its first")


def grows(capture: Capture, group: Sequence[Compile]) -> Claim:
    """Operations at one line, each compiled for each length of what grows there; the others follow the first of them."""
    last = [one for one in group if one.function == group[0].function][-1]
    names = list(dict.fromkeys(map(called, group)))
    rest = f" and {count(len(names) - 2, 'other')}" if len(names) > 2 else ""
    title = f"compiling {(', ' if rest else ' and ').join(names[:2])}{rest} again{times(len(group))}, for what grows: {cause_at(last)}"
    return claim(capture, group, last, title, f"{count(len(group), 'operation')} ran at once, each compiled for a length of its own")


def claim(capture: Capture, group: Sequence[Compile], last: Compile, title: str, counted: str) -> Claim:
    """A claim of compiles of which one is told for all.

    Args:
        capture: Where they were.
        group: They.
        last: The one that is told.
        title: What took the time.
        counted: How many there were of what, for the evidence.
    """
    return Claim(
        kind="recompile",
        title=title,
        advice=advice(last),
        evidence_for=(f"{counted}, {phases(group)}.", changes(group)),
        evidence_against=against(capture, group),
        site=place(last),
        spans=making(capture, group),
    )


def mixed(capture: Capture, groups: Sequence[Sequence[Compile]]) -> Claim:
    """Compiles of several causes, each of which took little; the costliest first."""
    all_of_them = sorted((one for group in groups for one in group), key=lambda one: one.start_ns)
    first = groups[0][-1]
    return Claim(
        kind="recompile",
        title=f"compiling {count(len(all_of_them), 'program')} again for {count(len(groups), 'cause')}, none of them large",
        advice=advice(first),
        evidence_for=tuple(f"{len(group)} × {called(group[-1])}, {seconds(total(group))}: {cause_at(group[-1])}." for group in groups[:CHANGES]),
        evidence_against=(f"No cause alone took {share(LEAST)} of the time.", *against(capture, all_of_them)),
        site=line_of(first),
        spans=making(capture, all_of_them),
    )


def advice(one: Compile) -> str:
    """What to do, and where."""
    why = one.cause
    where = quoted(why.where) if len(why.where.split()) == 1 else f"what {called(one)} is given"
    told = why.fix or INSTEAD.get(why.kind, "").format(where=where)
    if told.startswith(NOTHING):
        return told
    return f"{place_of(one)}: {told[:1].lower()}{told[1:].rstrip('.')}." if told else ""


def phases(group: Sequence[Compile]) -> str:
    """How long they took together, and in what."""
    parts = [(name, sum(one.phases.get(name, 0.0) for one in group)) for name in ("trace", "lower", "compile")]
    told = ", ".join(f"{name} {seconds(took)}" for name, took in parts if took)
    return f"{lasted(group)} together" + (f" ({told})" if told else "")


def changes(group: Sequence[Compile]) -> str:
    """What changed, each change once."""
    told = list(dict.fromkeys(cause(one.cause) for one in group))
    rest = f", and {count(len(told) - CHANGES, 'other change')}" if len(told) > CHANGES else ""
    return f"What changed: {'; '.join(told[:CHANGES])}{rest}."


def against(capture: Capture, group: Sequence[Compile]) -> tuple[str, ...]:
    """What speaks for less."""
    told: list[str] = []
    quiet_ns = capture.body_end_ns - group[-1].end_ns
    if quiet_ns >= OVER * capture.wall_ns:
        told.append(f"The last of them ended {seconds(quiet_ns / 1e9)} before the end, so they may be over.")
    told += [*from_cache(group), *beside(capture, group)]
    unknown = sum(one.cause.kind == "unknown" for one in group)
    if unknown:
        told.append(f"Why {count(unknown, 'program')} had to be compiled is not known.")
    return tuple(told)
