"""``%x10graph``: what programs compute, and where two part."""

import argparse
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.display import display

from x10_jupyter.base import errors
from x10_jupyter.magics.arguments import Arguments, check_variable
from x10_jupyter.magics.tracing import LAST
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cuts import Cuts, by_graph
from x10_jupyter.records.graph import Graph
from x10_jupyter.tracelog.parting import diff_graphs
from x10_jupyter.tracelog.reading import load_graph
from x10_jupyter.views.drawn import drawn
from x10_jupyter.views.graphs import excerpt, head, listed, parted
from x10_jupyter.views.markup import element, join

COMMAND = "%x10graph"
FORMATS = ("svg", "text", "dot", "hlo", "stablehlo", "jaxpr")
"""The first, a picture with its table, is meant where nothing is said; its text is what a terminal shows."""


@magics_class
class GraphMagics(Magics):
    """The magic of graphs."""

    def __init__(self, shell: InteractiveShell) -> None:
        """Prepare.

        Args:
            shell: Where it will be registered.
        """
        super().__init__(shell)
        self.home = shell

    @no_var_expand
    @line_magic
    def x10graph(self, line: str) -> None:
        """Show what programs compute: the graphs of a capture, one of them, or where two part.

            %x10graph                                  those of the last capture; if there is one, it
            %x10graph ID                               one of them: its number in that list, or the beginning of its id
            %x10graph VAR, %x10graph VAR:ID            of a capture in a variable; or a graph, or text of a trace log
            %x10graph --diff A B                       where two part; each is an ID, a VAR or a VAR:ID
            %x10graph [...] --format FORMAT --out VAR  in another form; bound to a variable

        A capture has graphs if it was made by ``%%x10trace --graph`` or ``x10.capture(graphs=True)``.
        """
        asked = parse(line)
        if asked.wants_help:
            print(parser().format_help())  # noqa: T201 - help is what the user asked to see
            return
        try:
            shown, result = self.compared(*asked.diff) if asked.diff else self.found(asked.which, asked.format)
        except errors.UsageError as error:
            raise UsageError(str(error)) from None
        if asked.out:
            self.home.user_ns[asked.out] = result
        display(shown, raw=True)

    def found(self, which: str, form: str) -> tuple[dict[str, str], Graph | tuple[Graph, ...]]:
        """What to show of the graphs that are meant, by MIME type, and those."""
        meant = self.meant(which)
        one, *others = meant
        if others:
            return {"text/plain": listed(meant)}, tuple(each.graph for each in meant)
        text = f"{head(one)}\n{excerpt(written(one, form), 'what --out binds')}"
        picture = {"text/html": join(element("div", head(one)), *drawn(one.graph))} if form == "svg" else {}
        return {**picture, "text/plain": text}, one.graph

    def compared(self, a: str, b: str) -> tuple[dict[str, str], Any]:
        """Where two graphs part, as text and as a record."""
        difference = diff_graphs(self.one(a), self.one(b))
        return {"text/plain": parted(difference)}, difference

    def one(self, which: str) -> Graph:
        """The graph that is meant.

        Raises:
            UsageError: There are several.
        """
        meant = self.meant(which)
        if len(meant) > 1:
            raise UsageError(f"{COMMAND} compares two graphs; `{which}` has {len(meant)}. Say which, as in `--diff {which}:1 {which}:2`.")
        return next(iter(meant)).graph

    def meant(self, which: str) -> tuple[Cuts, ...]:
        """The graphs that some words mean; at least one.

        Args:
            which: A variable, an id, or both with a colon between; the last capture when empty.

        Raises:
            UsageError: There is none.
        """
        name, colon, number = which.partition(":")
        if not colon and name not in self.home.user_ns:
            name, number = LAST, name
        name = name or LAST
        graphs = graphs_of(name, self.home.user_ns.get(name))
        return (chosen(graphs, number),) if number else graphs

    def complete(self, line: str) -> list[str]:
        """What may be typed at the end of a line: options, graphs of the last capture, and variables that have some."""
        names = [name for name, value in self.home.user_ns.items() if isinstance(value, Graph | Capture) and not name.startswith("_")]
        capture = self.home.user_ns.get(LAST)
        ids = [each.graph.id[:8] for each in by_graph(capture.events)] if isinstance(capture, Capture) else []
        return parser().complete(line, [*names, *ids])


def parser() -> Arguments:
    """What may stand behind the magic, with its help."""
    made = Arguments(COMMAND, "Show what programs compute: the graphs of the last capture, one of them, or where two part.")
    made.add_argument(
        "which",
        nargs="?",
        default="",
        metavar="ID|VAR",
        help="a graph of the last capture by its number or the beginning of its id; a variable; VAR:ID for both",
    )
    made.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="the form it is shown in; a picture if nothing is said")
    made.add_argument("--diff", nargs=2, metavar=("A", "B"), help="where two graphs part")
    made.add_argument("-o", "--out", default="", metavar="VAR", help="bind the graph, the graphs, or where they part, to this variable")
    made.add_argument("-h", "--help", action="store_true", dest="wants_help", help="show this help")
    return made


def parse(line: str) -> argparse.Namespace:
    """What the user asked for.

    Raises:
        UsageError: The line cannot be read.
    """
    found = parser().read(line)
    check_variable(found.out, COMMAND, "what it shows")
    if found.diff and found.which:
        raise UsageError(f"{COMMAND} --diff takes two graphs and nothing else; got `{found.which}`, too.")
    return found


def graphs_of(name: str, value: object) -> tuple[Cuts, ...]:
    """The graphs that a value has; at least one.

    Args:
        name: The variable that holds it.
        value: A capture, a graph, several of these, or text.

    Raises:
        UsageError: It has none.
    """
    match value:
        case None if name == LAST:
            raise UsageError("There is no capture yet. Put `%%x10trace --graph` on a cell and run it.")
        case Capture():
            found = by_graph(value.events)
            if not found:
                fix = "Capture with `%%x10trace --graph`, or with `x10.capture(graphs=True)`, and something that is computed."
                raise UsageError(f"The capture `{name}` holds no graph. {fix}")
            return found
        case Graph():
            return (Cuts(graph=value),)
        case str():
            return (Cuts(graph=load_graph(value)),)
        case list() | tuple() if value:
            return tuple(one for each in value for one in graphs_of(name, each))
        case _:
            raise UsageError(f"`{name}` is no capture, graph or text of a graph; got {type(value).__name__}.")


def chosen(graphs: tuple[Cuts, ...], which: str) -> Cuts:
    """One of several graphs.

    Args:
        graphs: At least one.
        which: Its number from 1, or the beginning of its id.

    Raises:
        UsageError: There is no such graph, or several are.
    """
    if which.isdecimal() and 1 <= int(which) <= len(graphs):
        return graphs[int(which) - 1]
    found = [each for each in graphs if each.graph.id.startswith(which.lower())]
    if len(found) == 1:
        return found[0]
    wrong = f"{len(found)} graphs have an id that begins with" if found else "There is no graph or variable"
    raise UsageError(f"{wrong} `{which}`. There are these:\n{listed(graphs)}")


def written(one: Cuts, form: str) -> str:
    """A graph in some form.

    Raises:
        UsageError: That was not recorded.
    """
    if form in {"svg", "text", "dot"}:
        return one.graph.to_dot() if form == "dot" else one.graph.to_text()
    if form not in one.texts:
        fix = f"Capture with `%%x10trace --graph-format {form}`, or with `x10.capture(graphs=['{form}'])`." if one.cuts else "It has `svg`, `text` and `dot`."
        raise UsageError(f"Of graph {one.graph.id[:8]} there is no `{form}`. {fix}")
    return one.texts[form]
