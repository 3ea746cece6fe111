"""``%x10report``: captures of this kernel as one page to keep or to send."""

import argparse

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand

from x10_jupyter.base import errors
from x10_jupyter.base.units import count, size
from x10_jupyter.magics.arguments import Arguments
from x10_jupyter.session.kept import KEPT
from x10_jupyter.session.result import write_report

COMMAND = "%x10report"
CELLS = "--cells"


@magics_class
class ReportMagics(Magics):
    """The magic of reports."""

    @no_var_expand
    @line_magic
    def x10report(self, line: str) -> None:
        """Write captures of this kernel to one page, which needs nothing else: of each the code and the view, and what it ran on.

            %x10report FILE.html [--cells CELL ...] [--title TITLE] [-h]

        A ``CELL`` is the number of one (``3``), some in a row (``3-7``), or the name of a capture. Without ``--cells`` all are shown.
        """
        asked = parse(line)
        if asked.wants_help:
            print(parser().format_help())  # noqa: T201 - help is what the user asked to see
            return
        try:
            entries = KEPT.chosen(asked.cells)
            path = write_report(entries, asked.file, title=" ".join(asked.title))
        except errors.UsageError as error:
            raise UsageError(str(error)) from None
        print(f"{path}: {count(len(entries), 'capture')}, {size(path.stat().st_size)}")  # noqa: T201 - says what was done


def parser() -> Arguments:
    """What may stand behind the magic, with its help."""
    made = Arguments(COMMAND, "Write captures of this kernel to one page that needs nothing else.")
    made.add_argument("file", nargs="?", default="", metavar="FILE.html", help="where; a file that is there is replaced")
    made.add_argument(CELLS, nargs="+", default=[], metavar="CELL", help="only these: a number (3), some in a row (3-7), or the name of a capture")
    made.add_argument("--title", nargs="+", default=[], metavar="TITLE", help="what stands above")
    made.add_argument("-h", "--help", action="store_true", dest="wants_help", help="show this help")
    return made


def parse(line: str) -> argparse.Namespace:
    """What the user asked for.

    Raises:
        UsageError: The line cannot be read, or names no file.
    """
    found = parser().read(line)
    if not found.file and not found.wants_help:
        raise UsageError(f"{COMMAND} writes to a file; got none. Name one, as in `{COMMAND} training.html`.")
    return found


def complete(line: str) -> list[str]:
    """What may be typed at the end of a line: options, and behind ``--cells`` what captures can be chosen by.

    Args:
        line: What stands behind the magic so far.
    """
    options = [word for word in line.split(" ")[:-1] if word.startswith("--")]
    words = KEPT.names() if options[-1:] == [CELLS] else []
    return [*words, *parser().complete("", ())]
