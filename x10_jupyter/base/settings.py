"""The switches, and the only reader of the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from x10_jupyter.base.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be switched. Names are X10's, without ``XLA_`` and in small letters."""

    trim_graph_size: int = 10_000
    """A trace of this many operations is cut. X10 allowed ten times as many; XLA takes time by the square for a chain of element-wise operations (21 s for
    10,000 on two cores), and a chain of 40,000 ends the process (jax 0.10.2, CPU)."""

    compilation_cache_size: int = 1024
    """Programs kept; the least recently used goes first."""


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The defaults, with what ``XLA_NAME`` variables say instead.

    Raises:
        UsageError: A variable that should be a whole number above zero is something else.
    """
    found = {}
    for field in fields(Settings):
        name = f"XLA_{field.name.upper()}"
        text = environment.get(name)
        if text:
            if not text.isdecimal() or int(text) < 1:
                raise UsageError(f"{name} must be a whole number above zero", got=text, fix=f"Unset it or set it to, say, {field.default}.")
            found[field.name] = int(text)
    return replace(Settings(), **found)


CURRENT = from_environment()
"""The settings in force."""
