"""What may stand behind ``%%x10trace``."""

import argparse
import re
import shlex
from dataclasses import dataclass

from IPython.core.error import UsageError
from IPython.core.magic_arguments import MagicArgumentParser

OPTION = re.compile(r"\s*(?:(?P<value>-o|--out)\s+\S+|-o\S+|--?[\w-]+(?:=\S*)?)(?=\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user asked for."""

    name: str
    """What to call the capture; empty when not given."""

    out: str
    """Variable to bind the capture to; empty when not given."""

    quiet: bool
    """Whether to show nothing."""

    wants_help: bool
    """Whether to show help and run nothing."""


def parser() -> MagicArgumentParser:
    """The options, with their help."""
    made = MagicArgumentParser("%%x10trace", add_help=False, description="Run this cell and show what XLA did: compiles and why, steps, time.")
    made.formatter_class = argparse.HelpFormatter  # IPython's own writes the markup of a docstring, and one % more
    made.add_argument("name", nargs="*", metavar="NAME", help="what to call the capture; may have several words")
    made.add_argument("-o", "--out", default="", metavar="VAR", help="bind the capture to this variable; `_x10` is always the last one")
    made.add_argument("--quiet", action="store_true", help="show nothing")
    made.add_argument("-h", "--help", action="store_true", dest="wants_help", help="show this help and do not run the cell")
    return made


def help_text() -> str:
    """How to use the magic."""
    return f"{parser().format_help()}\nIn one line, options come first: %x10trace -o first train(5)"


def parse(line: str) -> Options:
    """The options of a line.

    Raises:
        UsageError: An option is unknown, lacks its value, or a variable's name is none.
    """
    try:
        found = vars(parser().parse_args(shlex.split(line)))
    except ValueError as error:
        raise UsageError(f"%%x10trace cannot read `{line}`: {error}.") from None
    if found["out"] and not found["out"].isidentifier():
        raise UsageError(f"%%x10trace binds the capture to a variable; got `-o {found['out']}`. Write a name, as in `-o first`.")
    return Options(**{**found, "name": " ".join(found["name"])})


def asks_for_help(line: str) -> bool:
    """Whether a cell's options ask for help, so that its body must not run; false when they cannot be read."""
    try:
        return parse(line).wants_help
    except UsageError:
        return False


def part(line: str) -> tuple[str, str]:
    """Split a line of the one-line form into its options and the statement, which may hold quotes and dashes of its own."""
    end = 0
    while found := OPTION.match(line, end):
        end = found.end()
    return line[:end].strip(), line[end:].strip()
