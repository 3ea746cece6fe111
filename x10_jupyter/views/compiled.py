"""What was compiled and why, those of one cause at one place in one row, the costliest first."""

from collections.abc import Mapping

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis import words
from x10_jupyter.diagnosis.eager import origin, place_of
from x10_jupyter.diagnosis.folding import fold, same_origin
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.views import phrases
from x10_jupyter.views.aggregated import aggregated_html
from x10_jupyter.views.markup import Markup, element, folded, join, section, table
from x10_jupyter.views.programs import costs, gist
from x10_jupyter.views.theme import QUIET

OPEN = 5
"""Rows that are always shown; more would push the rest of the view off the screen."""

MOST = 60
"""Rows in all; what is beyond costs little, since the costliest come first, and is only counted."""


def compiled(capture: Capture) -> Markup:
    """The whole section; nothing if nothing was compiled."""
    groups = fold(capture.compiles, same_origin)
    known = {one.name: gist(one) for one in capture.known_programs}
    rest = groups[OPEN:MOST]
    more = folded(f"{count(len(groups) - OPEN, 'other cause')}, {took(groups[OPEN:])}", rows(rest, known, capture), uncounted(groups[MOST:])) if rest else ""
    by_function = folded("by function", aggregated_html(capture.compiles, "function")) if rest else ""
    beside = phrases.added_up(capture)
    note = element("div", f"{beside[:1].upper()}{beside[1:]}, and {duration(capture.compile_ns)} went by.", opacity=QUIET) if beside else ""
    return section("Compiles", rows(groups[:OPEN], known, capture), note, more, by_function, costs(capture.known_programs)) if groups else Markup()


def rows(groups: list[list[Compile]], known: Mapping[str, str], capture: Capture) -> Markup:
    """A table of folded compiles.

    Args:
        groups: They.
        known: By name of a program what a run of it costs, as far as it is known.
        capture: Theirs.
    """
    header = ["program", "times", "time", "where", "why, and what to do"]
    made = [row(group, known, phrases.elsewhere(capture, group)) for group in groups]
    return table(made, header=header, align={1: "right", 2: "right"}, wraps={0: "8em", 3: "8em"})


def row(group: list[Compile], known: Mapping[str, str], elsewhere: str) -> list[str]:
    """What, how often, how long, at which line, and why, with what to do about it beneath.

    Args:
        group: They.
        known: As `rows` has it.
        elsewhere: That they were those of another thread; empty if they were not.
    """
    last = group[-1]
    if phrases.operations(group):
        return storm(group, elsewhere)
    names = list(dict.fromkeys(one.program for one in group))
    called = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
    size = "" if last.ops is None else f", {count(last.ops, 'operation')}"
    defined = f", defined at {last.definition_site}" if last.maker == "jax" and last.definition_site else ""
    program = element("div", f"{words.shorten(called)}{size}{defined}", opacity=QUIET, margin_top="2px")
    cost = known.get(last.program, "")
    costing = element("div", f"{cost}{' (the last)' if len(names) > 1 else ''}", opacity=QUIET, margin_top="2px") if cost else ""
    site = words.line_of(last)
    beneath = [element("div", text, opacity=QUIET, margin_top="2px") for text in (last.cause.fix, phrases.found(group), elsewhere) if text]
    why = join(words.cause(last.cause), *beneath)
    return [join(words.called(last).strip("`"), program, costing), f"{len(group):,}", took([group]), str(site) if site else "line not known", why]


def storm(group: list[Compile], elsewhere: str) -> list[str]:
    """Operations that ran at once in one function of the user's; as `row`."""
    site = place_of(group)
    beneath = [element("div", text, opacity=QUIET, margin_top="2px") for text in (phrases.operations(group), phrases.found(group), elsewhere) if text]
    why = join("ran at once, each a program of its own", *beneath)
    called = join("one-operation programs", element("div", origin(group).strip(), opacity=QUIET, margin_top="2px"))
    return [called, f"{len(group):,}", took([group]), str(site) if site else "line not known", why]


def took(groups: list[list[Compile]]) -> str:
    """How long some compiles took together."""
    return duration(sum(one.seconds for group in groups for one in group) * 1e9)


def uncounted(groups: list[list[Compile]]) -> Markup:
    """What is not shown."""
    return element("div", f"and {count(len(groups), 'other cause')}, {took(groups)}", opacity=QUIET) if groups else Markup()
