"""What took the time for nothing, the largest share first: what it was, what to do, and behind a line how that is known."""

from collections.abc import Sequence

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis import engine, words
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.findings import Finding
from x10_jupyter.views.markup import Markup, element, folded, join, section, table

OPEN = 3
"""Findings that are always shown."""

MOST = 20
"""In all: none takes less than a twentieth."""

LONGEST = 400
"""Characters of a sentence; the user's names in it are shortened before."""


def findings(capture: Capture) -> Markup:
    """The whole section; nothing if nothing was found."""
    found = engine.findings(capture)[:MOST]
    rest = found[OPEN:]
    more = folded(count(len(rest), "smaller finding"), rows(rest)) if rest else ""
    return section("Findings", rows(found[:OPEN]), more) if found else Markup()


def rows(found: Sequence[Finding]) -> Markup:
    """A table of findings."""
    made = [[element("span", words.part(one), font_weight="600"), words.took(one), one.kind.replace("_", " "), told(one)] for one in found]
    return table(made, header=["share", "time", "kind", "what, and what to do"], align={0: "right", 1: "right"})


def told(one: Finding) -> Markup:
    """What it is, what to do, and what speaks for and against it."""
    evidence = [element("div", f"{sign} {words.shorten(text, LONGEST)}", padding_left="1.2em") for sign, text in signed(one)]
    title = words.shorten(one.title, LONGEST)
    return join(
        element("div", title[:1].upper() + title[1:]),
        element("div", words.shorten(one.advice, LONGEST)) if one.advice else "",
        folded("how this is known", *evidence),
    )


def signed(one: Finding) -> list[tuple[str, str]]:
    """Evidence with a sign before it: for or against."""
    return [*(("+", text) for text in one.evidence_for), *(("−", text) for text in one.evidence_against)]
