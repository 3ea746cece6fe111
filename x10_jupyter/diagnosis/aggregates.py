"""Compiles added up by what they have in common: the function, the line, the cell, or the cause."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from x10_jupyter.diagnosis.folding import fold, same_cause, total
from x10_jupyter.diagnosis.words import at, called, cause, cause_at, function_of, shorten
from x10_jupyter.records.compile import Compile

By = Literal["function", "line", "cell", "cause"]
BY: tuple[By, ...] = get_args(By)

UNKNOWN = "not known"
"""Where compiles stand whose line could not be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Compiles that belong together."""

    what: str
    """What they have in common, in words."""

    times: int
    """How many they are."""

    recompiles: int
    """How many of them were compiled again; the others are the first of their kind, or it is not known."""

    seconds: float
    """How long they took together, all phases."""

    causes: tuple[str, ...]
    """Why, each cause once with how often it came, the costliest first: ```x` shape f32[32] → f32[17], 9 times``."""


def function(one: Compile) -> str:
    """The function that was compiled, one without a name by its line; of operations that ran at once the one that ran them."""
    if not one.is_eager:
        return called(one) + (at(one.definition_site or one.call_site) if one.function.endswith("<lambda>") else "")
    around = function_of(one.call_site) if one.call_site else ""
    return f"one-operation programs{f' from `{shorten(around)}`' if around else ''}"


def line(one: Compile) -> str:
    """The line that asked for it."""
    return str(one.call_site) if one.call_site else UNKNOWN


def cell(one: Compile) -> str:
    """The notebook cell of that line, or else its file."""
    site = one.call_site
    if site is None:
        return UNKNOWN
    return site.file.rpartition("/")[2] if site.cell is None else f"cell [{site.cell}]"


def file_of(one: Compile) -> Hashable:
    """Tells apart what has the same name in two files; a cell that is run again is another one."""
    return one.call_site and (one.call_site.cell or one.call_site.file)


NAMES: dict[By, Callable[[Compile], str]] = {"function": function, "line": line, "cell": cell}
KEYS: dict[By, Callable[[Compile], Hashable]] = {
    "function": function,
    "line": lambda one: (file_of(one), line(one)),
    "cell": file_of,
}


def aggregates(compiles: Iterable[Compile], by: By) -> tuple[Group, ...]:
    """Compiles added up, the costliest group first.

    Args:
        compiles: In order.
        by: What those of a group have in common: ``function``, ``line`` or ``cell`` that asked for them, or ``cause``, which is the same kind of cause at the
            same place.
    """
    if by == "cause":
        return tuple([group(f"{called(alike[-1])}: {cause_at(alike[-1])}", alike) for alike in fold(compiles, same_cause)])
    return tuple([group(NAMES[by](alike[0]), alike) for alike in fold(compiles, KEYS[by])])


def group(what: str, compiles: Sequence[Compile]) -> Group:
    """Some compiles as one.

    Args:
        what: What they have in common.
        compiles: They, in order; at least one.
    """
    again = sum(one.is_recompile for one in compiles)
    return Group(what=what, times=len(compiles), recompiles=again, seconds=total(compiles), causes=tuple(map(told, fold(compiles, why))))


def why(one: Compile) -> str:
    """The cause in words, at whatever line."""
    return cause(one.cause)


def told(alike: Sequence[Compile]) -> str:
    """A cause, and how often it came."""
    return why(alike[-1]) + (f", {len(alike):,} times" if len(alike) > 1 else "")
