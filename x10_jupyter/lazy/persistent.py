"""JAX's persistent compile cache: set by the settings, and what it says of a compile."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import jax
import jax.monitoring
from jax.experimental.compilation_cache.compilation_cache import reset_cache

from x10_jupyter.base.config import config
from x10_jupyter.base.errors import UnsupportedJaxError, UsageError, gist
from x10_jupyter.jax_gate.compile_cache import CarefulCaches

LOG = logging.getLogger(__name__)
Said = Literal["none", "hit", "miss"]
HIT = "/jax/compilation_cache/cache_hits"
FOLDER, ENABLED = "jax_compilation_cache_dir", "jax_enable_compilation_cache"
THRESHOLDS = {"jax_persistent_cache_min_compile_time_secs": (1.0, 0.0), "jax_persistent_cache_min_entry_size_bytes": (0, -1)}
"""What JAX keeps unless told otherwise, and what is kept here: everything.

JAX leaves out what compiled in less than a second, which is most steps of a model that is being debugged, and all that a notebook does beside
them. On two cores the smallest programs compile in 28 ms and are read in 2 ms, with 4 kB each. A threshold that the user has set stays.
"""


class Persistent:
    """The folder in use, and what was there before."""

    def __init__(self) -> None:
        """Begin without one."""
        self._before: dict[str, Any] = {}
        self._ours: dict[str, Any] = {}
        self._careful: CarefulCaches | None = None
        self._told: set[str] = set()

    def use(self, folder: str | None) -> None:
        """Keep programs in a folder and find them there; None for what JAX was told before.

        Raises:
            UsageError: The folder cannot be made.
        """
        if folder is not None:
            make(folder)
        self._put_back()
        if folder is not None:
            self._put_in(folder)

    def _put_in(self, folder: str) -> None:
        wanted: dict[str, Any] = {FOLDER: folder}
        wanted |= {name: ours for name, (default, ours) in THRESHOLDS.items() if getattr(jax.config, name) == default}
        self._before = {name: getattr(jax.config, name) for name in wanted}
        self._ours = wanted
        self._told = set()
        try:
            self._careful = CarefulCaches(self._trouble)
            self._careful.put()
        except UnsupportedJaxError:  # then JAX's own warnings tell of what fails
            self._careful = None
        update(wanted)

    def _put_back(self) -> None:
        if self._careful is not None:
            self._careful.undo()
            self._careful = None
        if self._ours:  # what the user has changed since stays
            update({name: value for name, value in self._before.items() if getattr(jax.config, name) == self._ours[name]})
            self._ours = {}

    def _trouble(self, what: Literal["read", "write", "damaged"], error: Exception) -> None:
        if what not in self._told:
            self._told.add(what)
            LOG.warning(TROUBLE[what], getattr(jax.config, FOLDER), f"{type(error).__name__}: {gist(error)}")


OTHER = "Programs are compiled as without it. Choose another folder: x10.config.update(XLA_PERSISTENT_CACHE_PATH=...)."
TROUBLE = {
    "write": f"The compile cache in %s cannot be written (%s), so the next process will not find what this one compiles. {OTHER}",
    "read": f"The compile cache in %s cannot be read (%s). {OTHER}",
    "damaged": "The compile cache in %s has a damaged entry (%s). It is removed, and its program compiled again.",
}
"""Each is told once."""


def make(folder: str) -> None:
    """Make a folder, unless it is there or is not a local one.

    Raises:
        UsageError: That is not possible.
    """
    if "://" in folder:
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fix = f"{gist(error)}. Choose another folder, or None for no cache."
        raise UsageError("XLA_PERSISTENT_CACHE_PATH must be a folder, or a path where one can be made", got=folder, fix=fix) from error


def update(wanted: dict[str, Any]) -> None:
    """Give JAX settings of its cache; it opens a cache once and then no longer looks at them."""
    for name, value in wanted.items():
        jax.config.update(name, value)
    reset_cache()


PERSISTENT = Persistent()
config.listen("persistent_cache_path", PERSISTENT.use)


def start() -> None:
    """Use the folder that the settings name. A training run is not to fail for want of a cache, so that a folder of no use is only told."""
    try:
        PERSISTENT.use(config.now.persistent_cache_path)
    except UsageError as error:
        LOG.warning("Programs are not kept for the next process: %s", error)


def stop() -> None:
    """Leave JAX's cache as it was."""
    PERSISTENT.use(None)


class Cache:
    """What was heard so far."""

    said: Said = "none"


@contextmanager
def listening_to_cache() -> Iterator[Cache]:
    """Listen while the block compiles something on this thread.

    Yields:
        Its ``said`` is ``none`` when no cache is set up, ``hit`` when the program came from it, ``miss`` when XLA compiled.
    """
    cache = Cache()
    if not getattr(jax.config, FOLDER) or not getattr(jax.config, ENABLED):
        yield cache
        return
    cache.said = "miss"
    thread = threading.get_ident()

    def hear(event: str, **_: Any) -> None:
        if event == HIT and threading.get_ident() == thread:
            cache.said = "hit"

    jax.monitoring.register_event_listener(hear)
    try:
        yield cache
    finally:
        jax.monitoring.unregister_event_listener(hear)
