"""Captures as one page to keep or to send: what they ran on, and of each the code and the view."""

from collections.abc import Sequence
from dataclasses import dataclass

from x10_jupyter.base.units import count, duration, size
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.environment import Environment
from x10_jupyter.records.wire import embedded
from x10_jupyter.views.aggregated import shared
from x10_jupyter.views.document import document
from x10_jupyter.views.markup import Markup, element, join, safe
from x10_jupyter.views.phrases import NO_DEVICE, recording, shorten
from x10_jupyter.views.theme import QUIET

MOST_LINES = 40
"""Lines of code that are shown at once; more are folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One capture of a report."""

    capture: Capture

    view: str
    """It as HTML, for a notebook."""

    answer: str
    """It in one line."""

    cell: int | None = None
    """The number of the cell that was captured; None if it was none, or is not known."""

    document: object = None
    """It as JSON, from which it can be read again; None if there is none."""


def report(sections: Sequence[Section], title: str = "") -> str:
    """A page.

    Args:
        sections: Its captures, in order; at least one.
        title: What stands above; what the captures are called if empty.
    """
    title = title or " · ".join(dict.fromkeys(name_of(section) for section in sections))
    body = [
        element("h1", shorten(title, 200)),
        overview(sections) if len(sections) > 1 else Markup(),
        *(chapter(section, number) for number, section in enumerate(sections, start=1)),
        together(sections) if len(sections) > 1 else Markup(),
        environments([section.capture.environment for section in sections]),
        data([section.document for section in sections if section.document is not None]),
    ]
    return document(shorten(title, 200), join(*body))


def name_of(section: Section) -> str:
    """What a capture is called; by its cell if it has no name."""
    return section.capture.name or (f"cell [{section.cell}]" if section.cell is not None else "capture")


def overview(sections: Sequence[Section]) -> Markup:
    """A line for each capture that leads to it."""
    rows = [
        element(
            "tr",
            element("td", Markup(f'<a href="#{number}">{safe(shorten(name_of(section)))}</a>')),
            element("td", section.answer.removeprefix(f"{shorten(section.capture.name)}: ")),
        )
        for number, section in enumerate(sections, start=1)
    ]
    together = duration(sum(section.capture.wall_ns for section in sections))
    return join(element("p", f"{count(len(sections), 'capture')}, {together} together."), element("table", *rows))


def together(sections: Sequence[Section]) -> Markup:
    """What was compiled in all captures, each compile once; nothing if nothing was."""
    compiles = {(one.program, one.start_ns, one.thread): one for section in sections for one in section.capture.compiles}
    made = shared(list(compiles.values()))
    return join(Markup("<h2>Compiles of all captures</h2>"), made) if made else Markup()


def chapter(section: Section, number: int) -> Markup:
    """One capture: what was run, and what came of it."""
    cell = f" · cell [{section.cell}]" if section.capture.name and section.cell is not None else ""
    heading = Markup(f'<h2 id="{number}">{safe(name_of(section) + cell)}</h2>')
    return join(heading, code(section.capture.source or ""), Markup(section.view))


def code(source: str) -> Markup:
    """Code as it was written."""
    if not source.strip():
        return Markup()
    lines = source.count("\n") + 1
    opened = " open" if lines <= MOST_LINES else ""
    return Markup(f"<details{opened}><summary>{count(lines, 'line')} of code</summary><pre>{safe(source)}</pre></details>")


def environments(found: Sequence[Environment]) -> Markup:
    """What the captures ran on; more than one if they were made on several machines."""
    tables = [element("table", *(element("tr", element("th", name), element("td", value)) for name, value in rows_of(one))) for one in dict.fromkeys(found)]
    return join(Markup("<h2>Ran on</h2>"), *tables)


def data(documents: Sequence[object]) -> Markup:
    """The captures themselves, which nothing shows and nothing runs, and how to read them."""
    if not documents:
        return Markup()
    hint = 'This page holds its data: x10_jupyter.load_capture("FILE.html") reads it.'
    return join(element("p", hint, opacity=QUIET), Markup("\n".join(["", *map(embedded, documents)])))


def rows_of(one: Environment) -> list[tuple[str, str]]:
    """Names and values."""
    memory = [size(most) if most else "" for most in (one.device_memory_bytes, one.host_memory_bytes)]
    found = [
        ("device", ", ".join(filter(None, (f"{one.device_count} × {one.device_kind} ({one.platform})" if one.device_count else NO_DEVICE, memory[0])))),
        ("host", ", ".join(filter(None, (count(one.cpu_count, "core"), memory[1])))),
        ("JAX", f"{one.jax}, jaxlib {one.jaxlib}"),
        ("Python", one.python),
        ("lazy tensors", recording(one)),
        ("with", ", ".join(f"{name} {version}" for name, version in one.packages)),
    ]
    return [row for row in found if row[1]]
