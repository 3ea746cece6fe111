"""Facts as words, for findings and views."""

from collections.abc import Sequence

from x10_jupyter.base.units import count, duration, share, size
from x10_jupyter.records.cause import Cause, Change, Kind
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.findings import Finding
from x10_jupyter.records.site import Site

KINDS = {"first": "first time", "unknown": "why is not known", "function_rebuilt": "made anew", "evicted": "forgotten"}
"""Kinds of causes that are no change of anything."""

OF_STEPS: dict[Kind, str] = {"structure": "another operation", "live_outputs": "other values are kept", "donation": "other values are overwritten"}
"""Kinds of causes of which what changed says most, and the kind only where that is a single name: it is told before a colon."""

ALSO = 2
"""Changes beside the cause that are told; the rest is counted."""

LONGEST = 60
"""Characters of a value that is shown; a shape is shorter, a pytree may have no end."""


def cause(why: Cause) -> str:
    """What changed, from what to what, and what changed beside it: ```x` shape f32[32,64] → f32[17,64]; also `y` shape``."""
    where = "" if why.where == str(why.site) else quoted(why.where)
    if why.kind == "unknown" and where:
        return f"{kind(why.kind)}: {where}"
    if why.kind == "evicted" and where:
        return forgotten(why) + also(why.also)
    if why.kind == "cut_moved" and where:
        return ended_elsewhere(why)
    change = " ".join(part for part in (shorten(why.old), "→", shorten(why.new)) if part) if why.old or why.new else ""
    if why.kind in OF_STEPS and change:
        return f"{where if len(where.split()) > 1 else OF_STEPS[why.kind]}: {change}"
    of = "" if change and where and why.kind == "function_rebuilt" else kind(why.kind)  # it may be what the function reads, which nobody made anew
    return " ".join(part for part in (where, of, change) if part) + also(why.also)


def ended_elsewhere(why: Cause) -> str:
    """What ends a step at another line than before, or comes in the middle of one: ``the step ends with float() at cell [3] line 4, and so far at …``."""
    where = shorten(why.where)
    if why.new.startswith("begins "):
        return f"{where} ended a step in its middle: what is left of it {shorten(why.new)}"
    return f"the step ends with {where}" + (f", and so far ended at {shorten(why.old)}" if why.old else "")


def forgotten(why: Cause) -> str:
    """Who knows a program no more, and since when: ```jax.clear_caches()` made JAX forget what it compiled at cell [6] line 2``."""
    if why.old.startswith("room for"):
        return f"dropped from {why.where}, which has {why.old}"
    what = f"what it {why.old}" if " at " in why.old else "what it had compiled"
    return f"JAX has forgotten {what}" if why.where == "JAX's caches" else f"{quoted(why.where)} made JAX forget {what}"


def also(changes: Sequence[Change]) -> str:
    """What else changed, as far as there is room for it; to be read behind a cause."""
    told = [f"{quoted(one.where)} {kind(one.kind)}".strip() for one in changes[:ALSO]]
    rest = [f"{len(changes) - ALSO} more"] if len(changes) > ALSO else []
    return f"; also {' and '.join([*told, *rest])}" if told else ""


def quoted(where: str) -> str:
    """What changed, in one line; a name looks like code, unless it does so already."""
    told = shorten(where)
    return f"`{told}`" if told and len(told.split()) == 1 and not told.startswith("`") else told


def kind(of: Kind) -> str:
    """A kind of cause in words."""
    return KINDS.get(of, of.replace("_", " "))


def cause_at(one: Compile) -> str:
    """What changed and on which line."""
    return told_at(one.cause, line_of(one)) + defined(one)


def told_at(why: Cause, site: Site | None) -> str:
    """The same of a cause and a line; the line only once, if what changed is told by it."""
    told = cause(why)
    again = "; needed again" if why.kind == "evicted" and site is not None else ""  # it may tell a line already, and that is another one
    return told if str(site) in told else told + again + at(site)


def defined(one: Compile) -> str:
    """Where a function is defined of which no line of the user's asked for it, as one that was handed to a pool of threads; with a blank before it."""
    return f" ({called(one)} is defined at {place(one)})" if line_of(one) is None and place(one) else ""


def place(one: Compile) -> Site | None:
    """The line to go to: `line_of`, or where a function is defined that JAX compiles, and of which no line of the user's asked for it."""
    return line_of(one) or (one.definition_site if one.maker == "jax" else None)


def line_of(one: Compile) -> Site | None:
    """The line at which a program ceased to be a known one, or else the one that asked for it."""
    return one.cause.site or one.call_site


def at(site: Site | None) -> str:
    """Where it happened, with a blank before it; empty when that could not be told."""
    return f" at {site}" if site else ""


def inside(site: Site | None, function: str = "") -> str:
    """Where to change something, to begin a sentence with: ``In `train`, at cell [3] line 4``; the function is that of the line unless another is given."""
    its_own = "" if site is None else function_of(site)
    name = its_own if function in ("", "<module>") else function
    told = [f"in `{shorten(name)}`" if name else "", f"at {site}" if site else ""]
    words = ", ".join(filter(None, told))
    return words[:1].upper() + words[1:]


def place_of(one: Compile) -> str:
    """Where to change something about a compile, to begin a sentence with.

    What the lazy runtime compiles is called by the function that cuts the trace, and the line may be one of another function's.
    """
    return inside(place(one), users_own(one))


def users_own(one: Compile) -> str:
    """The user's function that JAX compiled; empty if it is one of JAX's own, in which the user can change nothing, or what compiled it is the lazy runtime."""
    return one.function if one.maker == "jax" and one.definition_site is not None else ""


def function_of(site: Site) -> str:
    """The function that a line stands in, as its author calls it: without the functions around it, and without comprehensions in it; empty outside any."""
    return next((part for part in reversed(site.function.split(".<locals>.")) if not part.startswith("<")), "")


def called(one: Compile) -> str:
    """What a compile was of, as code."""
    return named(one.function, one.call_site)


def named(function: str, site: Site | None) -> str:
    """What was compiled, as code; what stands in no function by its cell or file: ``cell [10]``.

    Args:
        function: What the compile says.
        site: The line that asked for it.
    """
    if function != "<module>" or site is None:
        return f"`{shorten(function)}`"
    return f"cell [{site.cell}]" if site.cell is not None else f"`{shorten(site.file.rpartition('/')[2])}`"


def part(one: Finding) -> str:
    """The share of a finding: ``51 %``; if it is about memory, ``73 % of memory``."""
    return share(one.share) if one.size_bytes is None else f"{share(one.share)} of memory"


def took(one: Finding) -> str:
    """The same as time, or as bytes."""
    return seconds(one.seconds) if one.size_bytes is None else size(one.size_bytes)


def times(number: int) -> str:
    """How often, with a comma before it: ``, 3 times``; empty for once."""
    return f", {count(number, 'time')}" if number > 1 else ""


def shorten(text: str, longest: int = LONGEST) -> str:
    """One line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def seconds(several: float) -> str:
    """Seconds as text."""
    return duration(several * 1e9)
