"""Packages that only some parts need; they come with the extras of this package, and are imported when such a part is used."""

from importlib import import_module
from typing import Any

from x10_jupyter.base.errors import MissingExtraError


def imported(module: str, *, extra: str, what: str) -> Any:  # noqa: ANN401 - a module, of which only its users know what is in it
    """A module that may not be installed.

    Args:
        module: Its full name.
        extra: The extra of this package that brings it.
        what: What needs it, to begin a sentence with.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{what} needs the package `{package}`, which cannot be imported here", got=str(error), fix=f"Run: pip install 'x10_jupyter[{extra}]'"
        ) from error
