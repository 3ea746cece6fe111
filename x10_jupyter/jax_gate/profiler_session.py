"""JAX's profiler with its data in memory, and room for the user's own.

XLA has one session of the profiler in a process. A second one seems to begin, records nothing, and raises when it is to end.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.profiler

from x10_jupyter.jax_gate.private import Private, private

HOME, SESSION = "jax._src.lib", "_profiler.ProfilerSession"
FIX = "Without it there is no time of each operation."
STATE = "jax._src.profiler", "_profile_state"

NO_LINES = 0
"""Of Python nothing is recorded; its functions would be most of the events."""


def is_in_use() -> bool:
    """Whether the user's own session runs, begun by ``jax.profiler``.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: no; then it is seen at the end, by an error.
    """
    try:
        state = private(*STATE, fix=FIX)
    except ImportError:
        return False
    return any(getattr(state, name, None) is not None for name in ("profile_session", "session"))


@cache
def prepare() -> frozenset[type]:
    """Let XLA make the Python types that a profile is read with, where no filter of the user's makes an error of a warning; comes back with them.

    They are made when they are needed and nobody holds them any more, which from Python 3.13 on warns that they belong to no module. As an error that ends the
    whole process, so they are held from now on.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = begun()
        with jax.profiler.TraceAnnotation("x10_jupyter", prepares=1):
            pass
        profile = session.stop_and_get_profile_data()
        lines = [line for plane in profile.planes for line in plane.lines]
        events = [event for line in lines for event in line.events]
        walked = [profile.planes, *[plane.lines for plane in profile.planes], *[line.events for line in lines], *[event.stats for event in events]]
        return frozenset(kind for each in walked for kind in (type(each), type(iter(each))))


def begun() -> Private:
    """A session of XLA's that has begun.

    Raises:
        UnsupportedJaxError: The installed JAX has none.
    """
    options: Any = jax.profiler.ProfileOptions()
    options.python_tracer_level = NO_LINES
    options.enable_hlo_proto = False  # programs are looked at where they live
    return private(HOME, SESSION, fix=FIX)(options)


class ProfilerSession:
    """One session, from when it is made until it is stopped.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError.
    """

    def __init__(self) -> None:
        """Begin.

        Raises:
            UnsupportedJaxError: The installed JAX has no such session.
        """
        prepare()
        self._session: Private = begun()

    def stop(self) -> Any:  # noqa: ANN401 - a `jax.profiler.ProfileData`
        """End, and come back with what was recorded. Other threads run meanwhile.

        Raises:
            Exception: Another session ran, so that nothing was recorded.
        """
        return self._session.stop_and_get_profile_data()


class MakingRoom:
    """While it is in place, whoever is about to begin another session of the profiler is let in: what is asked to go ends its own first.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError.
    """

    def __init__(self) -> None:
        """Find what begins sessions.

        Raises:
            UnsupportedJaxError: The installed JAX has none.
        """
        self._home: Private = private(HOME, "_profiler", fix=FIX)
        self._original: Private = private(HOME, SESSION, fix=FIX)

    def put(self, go: Callable[[], None]) -> None:
        """From now on.

        Args:
            go: Called before a session begins; must not raise.
        """
        original = self._original

        def session(*args: Any, **kwargs: Any) -> Private:  # noqa: ANN401 - XLA's
            go()
            return original(*args, **kwargs)

        self._home.ProfilerSession = session

    def undo(self) -> None:
        """No longer."""
        self._home.ProfilerSession = self._original
