"""``%x10graph``: what programs compute, and where two part."""

import argparse
from collections.abc import Sequence
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.display import display

from x10_jupyter.base import errors
from x10_jupyter.diagnosis.words import shorten
from x10_jupyter.magics.arguments import Arguments, check_variable
from x10_jupyter.magics.meant import Meant, both, meant
from x10_jupyter.magics.tracing import LAST
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.cuts import Cuts, by_graph
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.program import LEVELS, Level
from x10_jupyter.tracelog.parting import diff_graphs, tally
from x10_jupyter.views.drawn import drawn
from x10_jupyter.views.graphs import called, excerpt, head, listed, parted, program_head
from x10_jupyter.views.markup import element, join
from x10_jupyter.views.programs import details, gist

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
        """Show what programs compute: the graphs and programs of a capture, one of them, or where two part.

            %x10graph                                  those of the last capture; if there is one, it
            %x10graph ID                               one of them: its number in that list, its name (step.2), or the beginning of its id
            %x10graph VAR, %x10graph VAR:ID            of a capture in a variable; or a graph, or text of a trace log
            %x10graph --diff A B                       where two part; each is an ID, a VAR or a VAR:ID
            %x10graph [...] --format FORMAT --out VAR  in another form; bound to a variable
            %x10graph [...] --level LEVEL              of a program that JAX compiled: jaxpr, stablehlo, or hlo, as XLA runs it

        A capture has the programs that JAX compiled, as long as they are alive. It has graphs of lazy tensors if it was made by ``%%x10trace --graph`` or
        ``x10.capture(graphs=True)``, which also keeps those of the costliest programs.
        """
        asked = parse(line)
        if asked.wants_help:
            print(parser().format_help())  # noqa: T201 - help is what the user asked to see
            return
        try:
            shown, result = self.compared(asked.diff, asked.level) if asked.diff else self.found(asked)
        except errors.UsageError as error:
            raise UsageError(str(error)) from None
        if asked.out:
            self.home.user_ns[asked.out] = result
        display(shown, raw=True)

    def found(self, asked: argparse.Namespace) -> tuple[dict[str, str], Graph | tuple[Graph, ...] | None]:
        """What to show of the graphs that are meant, by MIME type, and those."""
        found = meant(asked.which, self.home.user_ns)
        one, *others = found
        if others:
            # what is not bound need not be read off the programs
            bound = tuple(each.graph(asked.level) for each in found) if asked.out else None
            return {"text/plain": listed([each.one for each in found])}, bound
        graph, text = written(one, asked.format, asked.level)
        title = head(one.one) if isinstance(one.one, Cuts) else program_head(one.one, graph)
        costs = [] if isinstance(one.one, Cuts) else told_costs(one)
        shown = "\n".join([title, *costs, excerpt(text, "what --out binds")])
        picture = {"text/html": join(*[element("div", line) for line in (title, *costs)], *drawn(graph))} if asked.format == "svg" else {}
        return {**picture, "text/plain": shown}, graph

    def compared(self, which: Sequence[str], level: Level | None) -> tuple[dict[str, str], Any]:
        """Where two graphs part, as text and as a record."""
        first, second = map(self.one, which)
        old, new = both(first, second, level)
        difference = diff_graphs(old, new)
        names = [each.one.program for each in (first, second) if isinstance(each.one, Compile)]
        title = [f"{' and '.join(map(shorten, names))} as {old.level}"] if names else []
        told = "\n".join([*title, parted(difference, tally(old, new) if difference is not None else "")])
        return {"text/plain": told}, difference

    def one(self, which: str) -> Meant:
        """The graph or program that is meant.

        Raises:
            UsageError: There are several.
        """
        found = meant(which, self.home.user_ns)
        one, *others = found
        if not others:
            return one
        say = f"Say which, as in `--diff {which}:1 {which}:2`."
        if all(isinstance(each.one, Compile) and each.one.function == which for each in found):
            say = f"Say which:\n{listed([each.one for each in found])}"
        raise errors.UsageError(f"{COMMAND} compares two graphs; `{which}` has {len(found)}", fix=say)

    def complete(self, line: str) -> list[str]:
        """What may be typed at the end of a line: options, graphs of the last capture, and variables that have some."""
        names = [name for name, value in self.home.user_ns.items() if isinstance(value, Graph | Capture) and not name.startswith("_")]
        capture = self.home.user_ns.get(LAST)
        ids = [] if not isinstance(capture, Capture) else [each.graph.id[:8] for each in by_graph(capture.events)]
        ids += [called(each) for each in capture.compiles if each.maker == "jax" and not each.is_eager] if isinstance(capture, Capture) else []
        return parser().complete(line, [*names, *ids])


def parser() -> Arguments:
    """What may stand behind the magic, with its help."""
    made = Arguments(COMMAND, "Show what programs compute: the graphs of the last capture, one of them, or where two part.")
    made.add_argument(
        "which",
        nargs="?",
        default="",
        metavar="ID|VAR",
        help="a graph or program of the last capture by its number, its name or the beginning of its id; a variable; VAR:ID for both",
    )
    made.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="the form it is shown in; a picture if nothing is said")
    made.add_argument("--level", choices=LEVELS, default=None, help="of a program that JAX compiled: as it is traced, as XLA is given it, or as XLA runs it")
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


def told_costs(one: Meant) -> list[str]:
    """What a program costs, in lines; none if that is not known."""
    program = one.program()
    return [line for line in (gist(program), details(program)) if line]


def written(one: Meant, form: str, level: Level | None) -> tuple[Graph, str]:
    """A graph, and its text in some form.

    Args:
        one: It.
        form: One of `FORMATS`.
        level: Of a program that JAX compiled, where it is looked at.

    Raises:
        UsageError: It can't be had.
    """
    if isinstance(one.one, Compile) and form in LEVELS:
        graph, program = one.graph(form), one.program(form)
        if form not in program.texts:
            raise errors.UsageError(f"Of {program.name} there is no text of `{form}`", fix=program.missing.get(form, ""))
        return graph, program.texts[form]
    graph = one.graph(level)
    if form in {"svg", "text", "dot"}:
        return graph, graph.to_dot() if form == "dot" else graph.to_text()
    assert isinstance(one.one, Cuts)
    if form not in one.one.texts:
        fix = (
            f"Capture with `%%x10trace --graph-format {form}`, or with `x10.capture(graphs=['{form}'])`." if one.one.cuts else "It has `svg`, `text` and `dot`."
        )
        raise errors.UsageError(f"Of graph {graph.id[:8]} there is no `{form}`", fix=fix)
    return graph, one.one.texts[form]
