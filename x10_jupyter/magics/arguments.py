"""What may stand behind a magic: one parser for all, whose errors name what is near and which knows what may be typed."""

import argparse
import shlex
from collections.abc import Iterable
from difflib import get_close_matches
from keyword import iskeyword
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.magic_arguments import MagicArgumentParser

UNKNOWN = "unrecognized arguments: "
"""What argparse's message begins with."""

ALIKE = 0.7
"""How alike an option that there is not and one that there is must be, from 0 to 1, for the one to be meant."""


class Arguments(MagicArgumentParser):
    """The names and options that a magic takes."""

    def __init__(self, command: str, description: str) -> None:
        """Begin with none; each magic adds its own, ``-h`` last.

        Args:
            command: The magic, with its ``%``.
            description: What it does, in one sentence.
        """
        super().__init__(command, add_help=False, description=description)
        self.formatter_class = argparse.HelpFormatter  # IPython's own writes the markup of a docstring, and one % more
        self.command = command
        self.options: dict[str, argparse.Action] = {}
        """By each of their names."""

    def add_argument(self, *names: Any, **about: Any) -> argparse.Action:  # noqa: ANN401 - argparse's
        """Take one more; as argparse has it."""
        action = super().add_argument(*names, **about)
        self.options |= dict.fromkeys(action.option_strings, action)
        return action

    def read(self, line: str) -> argparse.Namespace:
        """What a line asks for.

        Raises:
            UsageError: It cannot be read, an option is unknown or has no such value, or what is to be a variable's name is none.
        """
        try:
            found, rest = self.parse_known_args(shlex.split(line))
        except ValueError as error:
            raise UsageError(f"{self.command} cannot read `{line}`: {error}.") from None
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found

    def error(self, message: str) -> NoReturn:
        """Refuse a line.

        Args:
            message: What is wrong with it; if options are unknown, those that are near are named.

        Raises:
            UsageError: Always.
        """
        unknown = message.removeprefix(UNKNOWN).split() if message.startswith(UNKNOWN) else []
        near = [other for one in unknown for other in get_close_matches(one.partition("=")[0], self.options, n=2, cutoff=ALIKE)]
        fix = f". Did you mean {' or '.join(dict.fromkeys(near))}?" if near else f". There is {', '.join(self.options)}." if unknown else ""
        raise UsageError(f"{message}{fix}")

    def complete(self, line: str, words: Iterable[str] = ()) -> list[str]:
        """What may be typed at the end of a line: options, or the values of the one before.

        Args:
            line: What stands behind the magic so far.
            words: What may stand there beside options.
        """
        *before, word = line.split(" ")
        name, given, _ = word.partition("=")
        option = self.options.get(name if given else before[-1] if before else "")
        if option is not None and option.nargs != 0:
            return [f"{name}={each}" if given else str(each) for each in option.choices or ()]
        return [*words, *(each for each in self.options if each.startswith("--"))]


def check_variable(name: str, command: str, what: str) -> None:
    """Refuse what cannot be a variable's name; none is asked for where it is empty.

    Args:
        name: What stands behind ``-o``.
        command: The magic, with its ``%``.
        what: What it would bind, with its article.

    Raises:
        UsageError: It cannot be one.
    """
    if name and (not name.isidentifier() or iskeyword(name)):
        raise UsageError(f"{command} binds {what} to a variable; got `-o {name}`. Write a name, as in `-o first`.")
