"""Recompiles in words: what changed, where, what it has cost so far, and what to write instead."""

from collections.abc import Sequence

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis import words
from x10_jupyter.diagnosis.folding import fold, same_cause
from x10_jupyter.records.cause import Kind
from x10_jupyter.records.compile import Compile
from x10_jupyter.views.markup import Markup, element, table
from x10_jupyter.views.theme import QUIET

MEANING: dict[Kind, str] = {
    "first": "Nothing like it was compiled before. Every program is compiled once; that is no recompile.",
    "shape": "XLA compiles for exact shapes, so each new shape is a new program.",
    "dtype": "XLA compiles for exact dtypes and precisions, so each new one is a new program.",
    "weak_type": "A Python number gives way to the dtypes it meets, an array of the same dtype does not; so they are different programs.",
    "pytree": "An argument is built of other parts, or under other names, and so is another argument.",
    "static_argument": "A value that the function has to know while it is traced is part of the program.",
    "constant": "A value that is written into the program has changed.",
    "function_rebuilt": "A function was made anew, or its code changed, and what it does could not be told to be the same.",
    "calling_convention": "The same arguments were passed in another way, by position instead of by name or the other way round.",
    "placement": "The data lies on other devices, or is spread over them in another way.",
    "config": "A setting that changes what operations mean has changed.",
    "transform": "The same function was used under another transformation, such as a gradient or a vmap.",
    "structure": "The step has other operations than the ones before, or more or fewer of them; each such step is a program of its own.",
    "cut_moved": "A step ends where a value is read, or at `x10.barrier()`. That was at another line, so the same operations fell into other programs.",
    "live_outputs": "Other values were still held by a name or a container when the step ended, so other ones had to be computed.",
    "donation": "An input that the program was to overwrite is seen by somebody, or no longer is.",
    "evicted": "It was known, and had to go: more programs are in use than XLA_COMPILATION_CACHE_SIZE allows, or JAX's caches were cleared.",
    "unknown": "What changed could not be told.",
}
"""Why a cause of each kind makes a program another one."""

INDENT = 12

MOST_AT_ONCE = 3
"""Causes that fit into one line."""


def recompiles(compiles: Sequence[Compile], of: str = "") -> list[Compile]:
    """Those that were not the first of their kind, in order.

    Args:
        compiles: In order.
        of: A function or a program; those of all when empty.
    """
    return [one for one in compiles if one.is_recompile and is_of(one, of)]


def is_of(one: Compile, name: str) -> bool:
    """Whether a program is that of a function, given by its name or the last part of it, or has this name itself."""
    return not name or name in {one.program, one.function, one.function.rpartition(".")[2]}


def told_at_once(again: Sequence[Compile]) -> str:
    """Recompiles in one line, those of the same cause together, the most frequent first."""
    ordered = sorted(fold(again), key=lambda group: -len(group))
    said = [f"{words.called(group[-1])}{f' {len(group)} times' if len(group) > 1 else ''}: {words.cause_at(group[-1])}" for group in ordered]
    rest = [f"and {count(len(said) - MOST_AT_ONCE, 'other cause')}"] if len(said) > MOST_AT_ONCE else []
    return "; ".join([*said[:MOST_AT_ONCE], *rest])


def explained(compiles: Sequence[Compile], *, of: str = "", last: int = 1) -> str:
    """The last recompiles, the newest first; or that there was none.

    Args:
        compiles: What was compiled, in order.
        of: A function or a program whose recompiles are meant; any when empty.
        last: How many to tell.
    """
    again = recompiles(compiles, of)
    if not again:
        return nothing(compiles, of)
    return "\n\n".join(explanation(one, again) for one in reversed(again[-last:]))


def explained_html(compiles: Sequence[Compile], *, of: str = "", last: int = 1) -> Markup:
    """The same for a notebook, in which long texts take several lines."""
    again = recompiles(compiles, of)
    if not again:
        return element("div", nothing(compiles, of), white_space="pre-wrap")
    return element("div", *[explanation_html(one, again) for one in reversed(again[-last:])], font_size="13px", line_height="1.5")


def explanation_html(one: Compile, again: Sequence[Compile]) -> Markup:
    """One recompile, as `explanation`."""
    said = element("div", was_compiled(one), font_weight="600", overflow_wrap="anywhere")
    return element(
        "div", said, table([[element("span", title, opacity=QUIET), text] for title, text in parts(one, again)], header=[], align={}), margin="0 0 10px"
    )


def explanation(one: Compile, again: Sequence[Compile]) -> str:
    """One recompile.

    Args:
        one: It.
        again: All recompiles, to tell what those of the same cause cost together.
    """
    return "\n".join([was_compiled(one), *[f"{title:{INDENT}}{text}" for title, text in parts(one, again)]])


def was_compiled(one: Compile) -> str:
    """That it was compiled again, and why."""
    return f"{words.called(one)} was compiled again: {words.cause_at(one)}"


def parts(one: Compile, again: Sequence[Compile]) -> list[tuple[str, str]]:
    """The rest of it: what a line is about, and the line. The arguments are those of `explanation`."""
    rows = [
        ("means", MEANING[one.cause.kind]),
        ("compared", f"with `{one.cause.nearest}`, the nearest known program" if one.cause.nearest else ""),
        ("asked for", f"at {one.call_site}" if one.call_site not in (None, words.line_of(one)) else ""),
        ("cost", cost(one, again)),
        ("instead", one.cause.fix),
    ]
    return [(title, text) for title, text in rows if text]


def cost(one: Compile, again: Sequence[Compile]) -> str:
    """What a recompile took, and with it all of the same cause."""
    alike = [each for each in again if same_cause(each) == same_cause(one)]
    took = duration(one.seconds * 1e9)
    took = f"{took}, read from the cache" if one.cache == "hit" else took
    return took if len(alike) == 1 else f"{took}; of this cause so far {count(len(alike), 'recompile')}, {duration(sum(each.seconds for each in alike) * 1e9)}"


def nothing(compiles: Sequence[Compile], of: str) -> str:
    """That nothing was compiled again."""
    concerned = [one for one in compiles if is_of(one, of)]
    if of and not concerned:
        known = sorted({one.function for one in compiles})
        return f"Nothing was compiled of the name `{of}`. " + (f"There is {', '.join(f'`{name}`' for name in known)}." if known else "Nothing was compiled.")
    if not concerned:
        return "Nothing was compiled again; nothing was compiled at all."
    took = duration(sum(one.seconds for one in concerned) * 1e9)
    return f"Nothing was compiled again. {count(len(concerned), 'program')} compiled for the first time, in {took}.\n{'first':{INDENT}}{MEANING['first']}"
