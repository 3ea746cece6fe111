"""How this package takes hold of something private in JAX, and what it says when that is gone."""

from importlib import import_module
from typing import Any, TypeAlias

import jax

from x10_jupyter.base.errors import UnsupportedJaxError

Private: TypeAlias = Any
"""Whatever JAX keeps private has no type that could be relied on."""


def private(module: str, name: str, *, fix: str) -> Private:
    """The attribute of a private module of JAX.

    Args:
        module: Its full name.
        name: The attribute; dots reach into a class.
        fix: What someone whose JAX lacks it can do.

    Raises:
        UnsupportedJaxError: The installed JAX has no such module or attribute.
    """
    try:
        value: Private = import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError) as error:
        raise missing(f"{module}.{name}", fix) from error
    return value


def missing(what: str, fix: str) -> UnsupportedJaxError:
    """The error for something that the installed JAX does not have."""
    return UnsupportedJaxError(f"This needs {what}, which the installed JAX does not have", got=f"jax {jax.__version__}", fix=fix)
