"""``%x10config``: see the settings, and change them while the kernel runs."""

from collections.abc import Mapping
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.display import display

from x10_jupyter.base import errors
from x10_jupyter.base.config import FIELDS, config, field_of
from x10_jupyter.base.settings import TABLE, x10_name
from x10_jupyter.magics.arguments import Arguments
from x10_jupyter.views.settings import settings_html, settings_text

COMMAND = "%x10config"


@magics_class
class ConfigMagics(Magics):
    """The magic of settings."""

    @no_var_expand
    @line_magic
    def x10config(self, line: str) -> None:
        """Show settings, or change them for the whole process: what the troubleshooting page of X10 sets in the environment.

            %x10config                                 all: name, value, where it came from, what it does
            %x10config NAME ...                        these
            %x10config NAME=VALUE ...                  changes them at once, all or none; a value with blanks in quotes, and nothing for none
            %x10config -h

        A name is that of the environment variable, such as ``XLA_SAVE_TENSORS_FMT``, or that of ``x10.config``.
        """
        found = parse(line)
        if found is None:
            print(parser().format_help())  # noqa: T201 - help is what the user asked to see
            return
        shown, changes = found
        try:
            entries = config.entries(*shown, *changes)
            config.update(**changes)
            entries = config.entries(*shown, *changes) if shown or changes else entries
        except errors.UsageError as error:
            raise UsageError(str(error)) from None
        display({"text/plain": settings_text(entries), "text/html": settings_html(entries)}, raw=True)


def parser() -> Arguments:
    """What may stand behind the magic, with its help."""
    made = Arguments(COMMAND, "Show the settings of x10_jupyter, or change them for the whole process.")
    made.add_argument("settings", nargs="*", metavar="NAME[=VALUE]", help="show this one, or change it; all are shown where nothing is named")
    made.add_argument("-h", "--help", action="store_true", dest="wants_help", help="show this help")
    return made


def parse(line: str) -> tuple[list[str], Mapping[str, Any]] | None:
    """The settings to show, and those to change with their values as text; None if help is wanted.

    Raises:
        UsageError: The line cannot be read, or a setting is changed twice.
    """
    found = vars(parser().read(line))
    if found["wants_help"]:
        return None
    shown, changes = list[str](), dict[str, str]()
    for one in found["settings"]:
        name, given, value = one.partition("=")
        if given and not name:
            raise UsageError(f"{COMMAND} takes NAME=VALUE without blanks around `=`; got `{line.strip()}`.")
        if given and name in changes:
            raise UsageError(f"{COMMAND} takes one value for a setting; got `{name}` twice.")
        if given:
            changes[name] = value
        else:
            shown.append(name)
    return shown, changes


def complete(line: str) -> list[str]:
    """What may be typed at the end of a line: names, and behind one and ``=`` the values that it may have.

    Args:
        line: What stands behind the magic so far.
    """
    name, given, _ = line.rpartition(" ")[2].partition("=")
    if given:
        return [f"{name}={each}" for each in TABLE[field_of(name)].metadata["rule"].words] if name in FIELDS else []
    return parser().complete(line, [f"{x10_name(each)}=" for each in TABLE] + [f"{each}=" for each in FIELDS if each in TABLE])
