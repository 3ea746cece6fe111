"""What may stand behind ``%%x10trace``."""

import argparse
import os
import re
from dataclasses import dataclass
from pathlib import Path

from IPython.core.error import UsageError

from x10_jupyter.magics.arguments import Arguments, check_variable
from x10_jupyter.records.sink import FORMS, Form

CELL, LINE = "%%x10trace", "%x10trace"
VALUE = r"""(?:"[^"]*"|'[^']*'|\S+)"""
OPTION = re.compile(rf"\s*(?:(?:-o|--out|--save|--graph-format|--max-recompiles)\s+{VALUE}|-o\S+|--?[\w-]+(?:={VALUE})?)(?=\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user asked for."""

    name: str = ""
    """What to call the capture; empty when not given."""

    out: str = ""
    """Variable to bind the capture to; empty when not given."""

    quiet: bool = False
    """Whether to show nothing."""

    no_live: bool = False
    """Whether to show nothing while the cell runs."""

    save: str = ""
    """File to write the capture to; empty when not given."""

    graphs: bool | tuple[Form, ...] = False
    """Whether to record what each cut computes; in which forms, too, beside the graph itself."""

    lazy: bool = False
    """Whether plain ``jax.numpy`` code is to run on lazy tensors."""

    ops: bool = False
    """Whether to record what each operation takes."""

    memory: bool = True
    """Whether to look at what the devices hold."""

    max_recompiles: int | None = None
    """How many programs may be compiled again; any number if None."""

    wants_help: bool = False
    """Whether to show help and run nothing."""


def parser() -> Arguments:
    """The options, with their help."""
    made = Arguments(CELL, "Run this cell and show what XLA did: compiles and why, steps, time.")
    made.add_argument("name", nargs="*", metavar="NAME", help="what to call the capture; may have several words")
    made.add_argument("-o", "--out", default="", metavar="VAR", help="bind the capture to this variable; `_x10` is always the last one")
    made.add_argument("--quiet", action="store_true", help="show nothing")
    made.add_argument("--no-live", action="store_true", help="show nothing until the cell has ended")
    made.add_argument("--save", default="", metavar="FILE", help="write the capture to this file as JSON; x10.load_capture reads it")
    made.add_argument("--lazy", action="store_true", help="run plain jax.numpy code on lazy tensors: operations are recorded and run together as few programs")
    made.add_argument("--graph", action="store_true", help="record what each cut computes, too; %%x10graph shows it")
    made.add_argument("--graph-format", action="append", choices=FORMS, default=[], metavar="FORM", help=f"and in this form, too: {', '.join(FORMS)}")
    made.add_argument("--ops", action="store_true", help="record what each operation takes, by line, with JAX's profiler; slows the cell a little")
    made.add_argument("--no-memory", action="store_false", dest="memory", help="do not look at what the devices hold, which takes 1 µs for each array")
    made.add_argument(
        "--max-recompiles",
        type=number,
        default=None,
        metavar="N",
        help="an error, once the view is shown, if functions and lazy traces are compiled again more than N times; operations that run at once do not count",
    )
    made.add_argument("-h", "--help", action="store_true", dest="wants_help", help="show this help and do not run the cell")
    return made


def number(text: str) -> int:
    """A number from 0 on.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 on; got `{text}`")
    return int(text)


def help_text() -> str:
    """How to use the magic."""
    return f"{parser().format_help()}\nIn one line, options come first: %x10trace -o first train(5)"


def parse(line: str) -> Options:
    """The options of a line.

    Raises:
        UsageError: An option is unknown or lacks its value, a variable's name is none, or a file cannot be written where it is to be.
    """
    found = vars(parser().read(line))
    check_variable(found["out"], CELL, "the capture")
    forms = tuple(dict.fromkeys(found.pop("graph_format")))
    found["graphs"] = forms or found["graph"]
    del found["graph"]
    found["save"] = str(Path(found["save"]).expanduser()) if found["save"] else ""
    return Options(**{**found, "name": " ".join(found["name"])})


def check_file(path: str) -> None:
    """Refuse a file that could not be written when the cell has ended, which may be hours later.

    Args:
        path: It; empty for none.

    Raises:
        UsageError: It lies in no folder, is one, or may not be written.
    """
    folder = Path(path).absolute().parent
    if not path:
        return
    if not folder.is_dir():
        raise UsageError(f"{CELL} writes the capture to a file in a folder that exists; got `--save {path}`. Make {folder} first.")
    if Path(path).is_dir() or not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise UsageError(f"{CELL} writes the capture to a file that may be written; got `--save {path}`.")


def asks_for_help(line: str) -> bool:
    """Whether a cell's options ask for help, so that its body must not run; false when they cannot be read."""
    try:
        return parse(line).wants_help
    except UsageError:
        return False


def asks_for_lazy(line: str) -> bool:
    """Whether a cell's options ask for lazy tensors; false when they cannot be read."""
    try:
        return parse(line).lazy
    except UsageError:
        return False


def part(line: str) -> tuple[str, str]:
    """Split a line of the one-line form into its options and the statement, which may hold quotes and dashes of its own."""
    end = 0
    while found := OPTION.match(line, end):
        end = found.end()
    return line[:end].strip(), line[end:].strip()


def complete_cell(line: str) -> list[str]:
    """What may be typed at the end of a line behind ``%%x10trace``."""
    return parser().complete(line)


def complete_line(line: str) -> list[str]:
    """What may be typed at the end of a line behind ``%x10trace``: options, until the statement begins."""
    word = line.rpartition(" ")[2]
    return parser().complete(line) if word.startswith("-") and part(line)[1] in {"", word} else []
