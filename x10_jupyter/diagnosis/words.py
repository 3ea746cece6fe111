"""Facts as words, for findings and views."""

from x10_jupyter.base.units import duration
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.site import Site

KINDS = {"first": "first time", "unknown": "why is not known"}
"""Kinds of causes that are no change of anything."""

LONGEST = 60
"""Characters of a value that is shown; a shape is shorter, a pytree may have no end."""


def cause(why: Cause) -> str:
    """What changed, from what to what: ```x` shape f32[32,64] → f32[17,64]``."""
    where = "" if why.where == str(why.site) else shorten(why.where)
    if where and len(where.split()) == 1:
        where = f"`{where}`"
    kind = KINDS.get(why.kind, why.kind.replace("_", " "))
    change = " ".join(part for part in (shorten(why.old), "→", shorten(why.new)) if part) if why.old or why.new else ""
    return " ".join(part for part in (where, kind, change) if part)


def cause_at(one: Compile) -> str:
    """What changed and on which line; the line only once, if what changed is told by it."""
    site = line_of(one)
    told = cause(one.cause)
    return told if str(site) in told else told + at(site)


def line_of(one: Compile) -> Site | None:
    """The line at which a program ceased to be a known one, or else the one that asked for it."""
    return one.cause.site or one.call_site


def at(site: Site | None) -> str:
    """Where it happened, with a blank before it; empty when that could not be told."""
    return f" at {site}" if site else ""


def inside(site: Site | None, function: str = "") -> str:
    """Where to change something, to begin a sentence with: ``In `train`, at cell [3] line 4``; the function is that of the line unless another is given."""
    name = function or ("" if site is None or site.function.startswith("<") else site.function)
    told = [f"in `{shorten(name)}`" if name else "", f"at {site}" if site else ""]
    words = ", ".join(filter(None, told))
    return words[:1].upper() + words[1:]


def shorten(text: str, longest: int = LONGEST) -> str:
    """One line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def seconds(several: float) -> str:
    """Seconds as text."""
    return duration(several * 1e9)
