"""Which logs are written: the sinks that the settings ask for, put in and taken out while the process runs."""

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import jax

from x10_jupyter.base.config import Config
from x10_jupyter.base.settings import Settings, ordinal
from x10_jupyter.records.sink import Extra, FanOut, Sink
from x10_jupyter.tracelog.changes import ChangeLog
from x10_jupyter.tracelog.modules import FailedPrograms, SlowPrograms
from x10_jupyter.tracelog.writer import Writer


class Log(Sink, Protocol):
    """A sink that asks for more than the usual events."""

    @property
    def extras(self) -> tuple[Extra, ...]:
        """What for."""
        ...


CONCERNED = ("save_tensors_file", "save_tensors_fmt", "log_graph_changes", "save_hlo_file", "slow_compile_hlo_folder")
"""The settings that say which logs there are."""


class Logs:
    """The logs of a process."""

    def __init__(self, events: FanOut, config: Config) -> None:
        """Put in what the settings ask for, and follow them.

        Args:
            events: Where the logs listen.
            config: The settings.
        """
        self._events = events
        self._settings = config.now
        self._sinks: tuple[Sink, ...] = ()
        for name in CONCERNED:
            config.listen(name, partial(self._follow, name))
        self.start()

    def start(self) -> None:
        """Write the logs that the settings ask for."""
        self._use(logs(self._settings))

    def stop(self) -> None:
        """Write none, until they are started again or a setting is given."""
        self._use(())

    def _follow(self, name: str, value: Any) -> None:  # noqa: ANN401 - each setting has its own type
        self._settings = replace(self._settings, **{name: value})
        self.start()

    def _use(self, wanted: tuple[Log, ...]) -> None:
        for sink in self._sinks:
            self._events.remove(sink)
        for sink in wanted:
            self._events.add(sink, sink.extras)
        self._sinks = wanted


def logs(settings: Settings) -> tuple[Log, ...]:
    """The logs that the settings ask for."""
    found: list[Log] = []
    if settings.save_tensors_file:
        found.append(Writer(suffixed(settings.save_tensors_file), settings.save_tensors_fmt, with_changes=settings.log_graph_changes))
    if settings.log_graph_changes:
        found.append(ChangeLog())
    if settings.save_hlo_file:
        found.append(FailedPrograms(suffixed(settings.save_hlo_file)))
    if settings.slow_compile_hlo_folder:
        found.append(SlowPrograms(settings.slow_compile_hlo_folder))
    return tuple(found)


def suffixed(path: str) -> Callable[[], str]:
    """What tells a file's path in this process; not before it is needed, since JAX has to look for its devices to tell how many processes there are."""
    return lambda: path + suffix()


def suffix() -> str:
    """What tells the files of several processes apart: ``.0`` for the first; empty if there is one process.

    It is the number that X10's launcher gives, or JAX's; for a child of ``multiprocessing``, which has neither, its process id.
    """
    number = ordinal()
    if number is None and jax.process_count() > 1:
        number = jax.process_index()
    if number is None and multiprocessing.parent_process() is not None:
        number = os.getpid()
    return "" if number is None else f".{number}"
