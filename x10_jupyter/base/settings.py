"""What can be switched, and the only reader of the environment."""

import os
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from operator import index
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex, TypeVar

from x10_jupyter.base.errors import UsageError

Value = TypeVar("Value")


class Rule(NamedTuple):
    """What a setting may be."""

    says: str
    """In words, after "must be"."""

    read: Callable[[object], object]
    """Makes a value of what a user or the environment gives; raises ValueError or TypeError if that is none."""


def whole_number(given: object) -> int:
    """A whole number above zero."""
    number = int(given) if isinstance(given, str) and given.isdecimal() else given
    if isinstance(number, bool) or not isinstance(number, SupportsIndex) or index(number) < 1:
        raise ValueError(given)
    return index(number)


WORDS = {"1": True, "true": True, "on": True, "yes": True, "0": False, "false": False, "off": False, "no": False}


def switch(given: object) -> bool:
    """On or off, as a truth value, a number or a word."""
    word = given.strip().lower() if isinstance(given, str) else str(index(given)) if isinstance(given, SupportsIndex) else ""
    if word not in WORDS:
        raise ValueError(given)
    return WORDS[word]


def folder(given: object) -> str | None:
    """A folder, which need not exist; None or nothing for none. What has a protocol, such as ``gs://``, stays as it is."""
    path = str(given) if isinstance(given, Path) else given
    if not isinstance(path, str | None):
        raise TypeError(given)
    return None if not path else path if "://" in path else str(Path(path).expanduser().absolute())


WHOLE_NUMBER = Rule("a whole number above zero", whole_number)
SWITCH = Rule("on or off (True or False, 1 or 0)", switch)
FOLDER = Rule("the path of a folder, or None", folder)


def setting(default: Value, rule: Rule, about: str, *, x10: str = "") -> Value:
    """A field of the table.

    Args:
        default: Its value when nobody says otherwise.
        rule: What it may be.
        about: What it does, in a few words.
        x10: Its name in X10, when that is not ``XLA_`` and the field's name in capitals.
    """
    return field(default=default, metadata={"rule": rule, "about": about, "x10": x10})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The table of settings. One more is one more field, and whatever it switches reads it or listens for it (``config``)."""

    trim_graph_size: int = setting(10_000, WHOLE_NUMBER, "operations after which a trace is cut")
    """X10 allowed ten times as many; XLA takes time by the square for a chain of element-wise operations (21 s for 10,000 on two cores), and a chain of
    40,000 ends the process (jax 0.10.2, CPU)."""

    compilation_cache_size: int = setting(1024, WHOLE_NUMBER, "programs kept; the least recently used goes first")

    persistent_cache_path: str | None = setting(None, FOLDER, "folder that keeps compiled programs for the next process")
    """PyTorch/XLA's name. The cache is JAX's own."""

    donate: bool = setting(default=True, rule=SWITCH, about="whether a program may overwrite inputs that nobody can see", x10="XLA_ENABLE_PARAM_ALIASING")
    """Off in X10, which did not know whether somebody could see them."""

    gc_freeze: bool = setting(default=True, rule=SWITCH, about="whether Python's collector looks at old objects seldom, and so is quick")


TABLE: dict[str, Field[Any]] = {each.name: each for each in fields(Settings)}


def x10_name(name: str) -> str:
    """What X10 and the environment call a setting."""
    return TABLE[name].metadata["x10"] or f"XLA_{name.upper()}"


def checked(name: str, given: object, called: str) -> object:
    """What a setting becomes when it is given a value.

    Args:
        name: Its field.
        given: The value.
        called: The name that the user called it by.

    Raises:
        UsageError: It cannot be that.
    """
    rule: Rule = TABLE[name].metadata["rule"]
    try:
        return rule.read(given)
    except (TypeError, ValueError) as error:
        default = TABLE[name].default
        fix = f"Unset it or set it to, say, {'/tmp/programs' if default is None else default}."
        raise UsageError(f"{called} must be {rule.says}", got=given, fix=fix) from error


def from_environment(environment: Mapping[str, str] = os.environ) -> tuple[Settings, frozenset[str]]:
    """The defaults, with what environment variables of X10's names say instead; and the fields of which they said it.

    Raises:
        UsageError: A variable has a value that its setting cannot have.
    """
    found: dict[str, Any] = {name: checked(name, text, x10_name(name)) for name in TABLE if (text := environment.get(x10_name(name)))}
    return replace(Settings(), **found), frozenset(found)
