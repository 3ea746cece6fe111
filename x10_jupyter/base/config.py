"""The settings in force: read, changed while the process runs, and put back."""

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

from x10_jupyter.base.errors import UnknownSettingError, UsageError
from x10_jupyter.base.settings import TABLE, Settings, checked, from_environment, written, x10_name

Origin = Literal["default", "environment", "update", "build"]
"""Who says what a setting is."""


class Entry(NamedTuple):
    """One setting as a reader sees it."""

    x10: str
    """Its name in X10 and in the environment."""

    name: str
    """Its name here."""

    value: str
    """What it is, as a user would write it."""

    origin: Origin
    """Who says so."""

    about: str
    """What it does."""


FIELDS = {called: name for name in TABLE for called in (name, x10_name(name), x10_name(name).removeprefix("XLA_").lower())}
"""From each name that a setting goes by to its field."""


class Config:
    """Settings of the whole process, for all threads.

    ``config.trim_graph_size`` reads one, ``config.update(trim_graph_size=500)`` changes it at once, and ``with config(trim_graph_size=500):``
    changes it until the block ends. A setting goes by its name here or in X10: ``trim_graph_size`` or ``XLA_TRIM_GRAPH_SIZE``.
    """

    __slots__ = ("_followers", "_listeners", "_lock", "_origins", "now")

    now: Settings
    """All settings as they are now; never altered, but replaced."""
    _listeners: list[tuple[str, Callable[[Any], None]]]
    _followers: list[tuple[str, Callable[[], object]]]
    _lock: threading.RLock
    _origins: dict[str, Origin]

    def __init__(self, settings: Settings, from_environment: frozenset[str] = frozenset()) -> None:
        """Begin with some settings.

        Args:
            settings: Their values.
            from_environment: The fields that environment variables gave.
        """
        put = object.__setattr__
        put(self, "now", settings)
        put(self, "_lock", threading.RLock())
        put(self, "_listeners", [])
        put(self, "_followers", [])
        put(self, "_origins", dict.fromkeys(from_environment, "environment"))

    def listen(self, name: str, apply: Callable[[Any], None]) -> None:
        """Call something with each new value of a setting, before it is in force. If that raises, the setting stays what it was.

        Args:
            name: The setting's field.
            apply: What makes the value take effect; may refuse it, and then has to leave all as it was.
        """
        self._listeners.append((name, apply))

    def follow(self, name: str, tell: Callable[[], object]) -> None:
        """Call something whenever a setting has changed and the new value is in force.

        Args:
            name: The setting's field.
            tell: Must not raise.
        """
        self._followers.append((name, tell))

    def update(self, **changes: object) -> None:
        """Change settings, all or none.

        Raises:
            UsageError: A setting cannot be that, or there is no such setting (``UnknownSettingError``).
        """
        wanted = values(changes)
        self._put(wanted, dict.fromkeys(wanted, "update"))

    def __call__(self, **changes: object) -> AbstractContextManager[None]:
        """Change settings until a ``with`` block ends; other threads see it, too.

        Raises:
            UsageError: A setting cannot be that, or there is no such setting (``UnknownSettingError``).
        """
        return self._changed(values(changes))

    @contextmanager
    def _changed(self, wanted: Mapping[str, Any]) -> Generator[None]:
        with self._lock:
            before = {name: getattr(self.now, name) for name in wanted}
            origins: dict[str, Origin] = {name: self._origins.get(name, "default") for name in wanted}
            self._put(wanted, dict.fromkeys(wanted, "update"))
        try:
            yield
        finally:
            self._put(before, origins)

    def _put(self, wanted: Mapping[str, Any], origins: Mapping[str, Origin]) -> None:
        with self._lock:
            before = self.now
            told: list[tuple[str, Callable[[Any], None]]] = []
            try:
                for name, apply in self._listeners:
                    if name in wanted and wanted[name] != getattr(before, name):
                        apply(wanted[name])
                        told.append((name, apply))
            except BaseException:
                for name, apply in told:
                    apply(getattr(before, name))
                raise
            object.__setattr__(self, "now", replace(before, **wanted))
            self._origins.update(origins)
            for name, tell in self._followers:
                if name in wanted and wanted[name] != getattr(before, name):
                    tell()

    def settle(self, name: str, *, value: object) -> None:
        """Note what a setting is, whatever was asked for: how the package was built leaves no choice.

        Args:
            name: The setting's field.
            value: What it is.
        """
        self._put({name: value}, {name: "build"})

    def __getattr__(self, called: str) -> Any:  # noqa: ANN401 - each has its own type
        return getattr(self.now, field_of(called))

    def __setattr__(self, called: str, value: object) -> None:
        raise UnknownSettingError("Settings are not assigned to", got=called, fix=f"Write config.update({called}={value!r}).")

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *FIELDS})

    def entries(self, *called: str) -> list[Entry]:
        """The settings of these names, or all, in the order of the table.

        Raises:
            UnknownSettingError: There is none of a name.
        """
        names = [field_of(each) for each in called] or TABLE
        now, origins = self.now, self._origins
        return [
            Entry(x10_name(name), name, written(name, getattr(now, name)), origins.get(name, "default"), str(TABLE[name].metadata["about"]))
            for name in TABLE
            if name in names
        ]

    def __repr__(self) -> str:
        rows = self.entries()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def field_of(called: str) -> str:
    """The field that a name means.

    Raises:
        UnknownSettingError: There is none; the error names those nearest.
    """
    name = FIELDS.get(called)
    if name is None:
        near = get_close_matches(called.lower().removeprefix("xla_"), TABLE, n=2, cutoff=0.6)
        fix = f"Did you mean {' or '.join(map(x10_name, near))}?" if near else f"Use one of {', '.join(map(x10_name, TABLE))}."
        raise UnknownSettingError("There is no setting of this name", got=called, fix=fix)
    return name


def values(changes: Mapping[str, object]) -> dict[str, Any]:
    """Checked values by field, of settings by any of their names.

    Raises:
        UsageError: A setting cannot be that, or is given twice, or there is none of this name.
    """
    wanted: dict[str, Any] = {}
    for called, given in changes.items():
        name = field_of(called)
        if name in wanted:
            raise UsageError("A setting is given by two of its names", got=called, fix=f"Give {x10_name(name)} alone.")
        wanted[name] = checked(name, given, called)
    return wanted


config = Config(*from_environment())
"""The settings in force."""
