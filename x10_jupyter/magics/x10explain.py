"""``%x10explain``: the last recompile in words, or all compiles added up."""

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.display import display

from x10_jupyter.diagnosis.aggregates import BY, aggregates
from x10_jupyter.magics.arguments import Arguments, check_variable
from x10_jupyter.magics.tracing import LAST
from x10_jupyter.records.compile import Compile
from x10_jupyter.session import HISTORY, Capture
from x10_jupyter.views.aggregated import aggregated_html, aggregated_text
from x10_jupyter.views.explained import explained, explained_html, is_of, recompiles

COMMAND = "%x10explain"


@magics_class
class ExplainMagics(Magics):
    """The magic that explains."""

    @no_var_expand
    @line_magic
    def x10explain(self, line: str) -> None:
        """Tell why XLA compiled again: what changed, where, from what to what, what that has cost so far, and what to write instead.

            %x10explain [NAME] [-n N] [--by WHAT] [--all] [-o VAR] [-h]

        It is told of the last capture (``_x10``); of this kernel where there is none, or nothing of the name in it, or with ``--all``. ``NAME`` is a function
        or a program, ``-n N`` tells
        the last ``N`` recompiles, and ``-o VAR`` or ``--out VAR`` binds their records to a variable. ``--by function``, ``line``, ``cell`` or ``cause`` shows
        instead how many programs were compiled for each, how long that took and why, the costliest first.
        """
        asked = parse(line)
        if asked["wants_help"]:
            print(parser().format_help())  # noqa: T201 - help is what the user asked to see
            return
        compiles = self.compiles("" if asked["by"] else asked["name"], of_all=asked["all"])
        if asked["by"]:
            self.add_up([one for one in compiles if is_of(one, asked["name"])], asked)
            return
        meant = {"of": asked["name"], "last": asked["count"]}
        display({"text/plain": explained(compiles, **meant), "text/html": str(explained_html(compiles, **meant))}, raw=True)
        if asked["out"] and self.shell is not None:
            self.shell.user_ns[asked["out"]] = tuple(reversed(recompiles(compiles, asked["name"])[-asked["count"] :]))

    def add_up(self, compiles: list[Compile], asked: dict[str, Any]) -> None:
        """Show compiles added up.

        Args:
            compiles: They.
            asked: The options.
        """
        note = "" if self.capture(of_all=asked["all"]) is not None else "in this kernel" if HISTORY.is_whole else "in this kernel, without the oldest ones"
        made = {"text/plain": aggregated_text(compiles, asked["by"], note), "text/html": str(aggregated_html(compiles, asked["by"], note))}
        display(made, raw=True)
        if asked["out"] and self.shell is not None:
            self.shell.user_ns[asked["out"]] = aggregates(compiles, asked["by"])

    def capture(self, *, of_all: bool) -> Capture | None:
        """The last capture, if it is meant and there is one."""
        found = None if of_all or self.shell is None else self.shell.user_ns.get(LAST)
        return found if isinstance(found, Capture) else None

    def compiles(self, name: str, *, of_all: bool) -> tuple[Compile, ...]:
        """What was compiled in the last capture; or in this kernel, as far as it is remembered, if that has nothing of the name."""
        capture = self.capture(of_all=of_all)
        is_there = capture is not None and (not name or any(is_of(one, name) for one in capture.compiles))
        return capture.compiles if capture is not None and is_there else HISTORY.compiles


def parser() -> Arguments:
    """What may stand behind the magic, with its help."""
    made = Arguments(COMMAND, "Tell why XLA compiled again, and what to write instead.")
    made.add_argument("name", nargs="?", default="", metavar="NAME", help="only recompiles of this function or program")
    made.add_argument("-n", dest="count", type=int, default=1, metavar="N", help="tell the last N recompiles instead of one")
    made.add_argument("--by", choices=BY, default="", metavar="WHAT", help=f"add all compiles up by {', '.join(BY)}")
    made.add_argument("--all", action="store_true", help="of this kernel, also where there is a capture")
    made.add_argument("-o", "--out", default="", metavar="VAR", help="bind the records of those that are told to this variable")
    made.add_argument("-h", "--help", action="store_true", dest="wants_help", help="show this help")
    return made


def parse(line: str) -> dict[str, Any]:
    """The options of a line.

    Raises:
        UsageError: An option is unknown or has no such value.
    """
    found = vars(parser().read(line))
    if found["count"] < 1:
        raise UsageError(f"{COMMAND} tells one recompile or more; got `-n {found['count']}`.")
    check_variable(found["out"], COMMAND, "its records")
    return found


def complete(line: str) -> list[str]:
    """What may be typed at the end of a line: options, and the functions that were compiled.

    Args:
        line: What stands behind the magic so far.
    """
    return parser().complete(line, {one.function for one in HISTORY.compiles})
