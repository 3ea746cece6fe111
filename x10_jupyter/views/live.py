"""What a cell is doing while it runs, small enough to be shown several times a second."""

from collections.abc import Iterator

from x10_jupyter.base.units import count, duration, size
from x10_jupyter.diagnosis import words
from x10_jupyter.diagnosis.unrolled import mostly, unrolled
from x10_jupyter.records.process_events import Read, Sized, Staged
from x10_jupyter.records.progress import Progress
from x10_jupyter.records.runtime_events import Compiled, Compiling, FellBack
from x10_jupyter.views.markup import element
from x10_jupyter.views.theme import COLOURS, LINE, QUIET

INDENT = 12
STAGED = {"trace": "traced", "lower": "lowered", "compile": "compiled"}
NOW_NS = 1_000_000_000
"""What ended less than so long ago is what the cell does now."""


def live_text(progress: Progress) -> str:
    """A running cell as plain text: first what it does now, then what it has done so far."""
    return "\n".join([now(progress), *(f"{title:{INDENT}}{said}" for title, said in lines(progress))])


def live_html(progress: Progress) -> str:
    """The same for a notebook; the colour at its edge tells compiling from everything else."""
    colour = LINE if progress.compiling is None and progress.large is None else COLOURS["compile"]
    parts = [element("div", now(progress), font_weight="600")]
    parts += [element("div", element("span", f"{title} ", opacity=QUIET), said) for title, said in lines(progress)]
    return element("div", *parts, font_size="13px", line_height="1.5", max_width="64em", padding="6px 0 2px 12px", border_left=f"3px solid {colour}")


def now(progress: Progress) -> str:
    """What the cell does at this moment, as far as it is known."""
    name = f"{words.shorten(progress.name)}: " if progress.name else ""
    return f"{name}Running for {duration(progress.elapsed_ns)}: {doing(progress)}"


def doing(progress: Progress) -> str:
    """What that is: a compile that has not ended, or what ended last."""
    if progress.compiling is not None:
        return compiling(progress.compiling, progress)
    if progress.large is not None:
        large = progress.large
        return f"compiling {words.named(large.function, large.site)}: {duration(progress.compiling_ns)}, {operations(large.ops, large)}"
    if progress.last is None:
        return "nothing recorded so far"
    if progress.quiet_ns >= NOW_NS:
        return f"nothing recorded for {duration(progress.quiet_ns)}{since(progress)}"
    return f"last seen{words.at(progress.last.site)}" if progress.last.site is not None else "Python"


def compiling(event: Compiling, progress: Progress) -> str:
    """Which program is being compiled, for how long already, and why."""
    why = "for the first time" if event.cause.kind == "first" else f"because {cause(event)}"
    what = f"program {progress.compiled + 1} ({words.named(event.function, event.site)}, {operations(event.ops, progress.large)})"
    return f"compiling {what}: {duration(progress.compiling_ns)}, {why}"


def operations(ops: int, large: Sized | None) -> str:
    """How many operations a program has, and of a large one where most of them are from.

    Args:
        ops: How many.
        large: What is known of its size before nothing was left out of it; None if it is not large.
    """
    found = unrolled(large) if large is not None else None
    return count(ops, "operation") + (f", {mostly(found)}" if found is not None and max(found.repeated, found.owned) <= ops else "")


def cause(event: Compiling | Compiled) -> str:
    """What changed, and on which line."""
    return words.told_at(event.cause, event.cause.site or event.site)


def since(progress: Progress) -> str:
    """What ended last, with a comma before it; its line alone, if no name of it says more."""
    match progress.last:
        case Read() as read:
            return f", since {words.shorten(read.how)} {words.shorten(read.aval)}{words.at(read.site)}"
        case FellBack() as fallback:
            return f", since `{words.shorten(fallback.op)}`{words.at(fallback.site)}"
        case Staged() as staged:
            told = f", since JAX {STAGED[staged.phase]} `{words.shorten(staged.function)}`{words.at(staged.site)}"
            # JAX tells of a compile when it has ended; what is only lowered is not compiled, so it can't be known.
            return f"{told}, which it most likely compiles now" if staged.phase == "lower" else told
        case event if event is not None and event.site is not None:
            return f", since{words.at(event.site)}"
        case _:
            return ""


def lines(progress: Progress) -> Iterator[tuple[str, str]]:
    """Title and text of each line below the first; none for what has not happened."""
    if progress.steps:
        lately = f", {rate(progress.rate)} a second" if progress.rate else ""
        yield "steps", f"{progress.steps:,}{lately}"
    if progress.last_compile is not None:
        last = progress.last_compile
        took = duration(last.end_ns - last.start_ns)
        yield (
            "compiled",
            f"{count(progress.compiled, 'program')} in {duration(progress.compile_ns)}; last {words.named(last.function, last.site)}, {took}: {cause(last)}",
        )
    if progress.jax_compiled:
        yield "by JAX", f"{count(progress.jax_compiled, 'program')} compiled in {duration(progress.jax_compile_ns)}"
    counted = [
        count(progress.runs, "program run", "programs run") if progress.runs else "",
        count(progress.reads, "read") if progress.reads else "",
        count(progress.waits, "wait for a value", "waits for values") if progress.waits else "",
        f"{count(progress.transfers, 'transfer')} of {size(progress.transferred_bytes)}" if progress.transfers else "",
        count(progress.fallbacks, "fallback") if progress.fallbacks else "",
    ]
    if any(counted):
        yield "counted", " · ".join(filter(None, counted))


def rate(a_second: float) -> str:
    """A rate with two significant digits or more: ``0.25``, ``7.5``, ``1,240``."""
    return f"{a_second:,.0f}" if a_second >= 9.95 else f"{a_second:.2g}"
