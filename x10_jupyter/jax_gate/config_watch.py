"""Hears at once of a change to one of the settings that JAX gives functions their meaning by."""

import logging
from collections.abc import Callable, Iterable

from x10_jupyter.jax_gate.context import trace_context_names
from x10_jupyter.jax_gate.settings import USER_CONTEXT, Settings

Changed = Callable[[str, bool], object]
"""Called with the name of a setting and whether it was changed for every thread, not only for the current one."""

LOG = logging.getLogger(__name__)


class ConfigWatch:
    """Calls back whenever a setting in ``trace_context()`` changes, so that nobody has to compare contexts before each operation.

    It covers flags (``with jax.enable_x64(True)``, ``jax.config.update``, the setters themselves) and the settings that are no flags: meshes,
    axis names, ``compute_on``, XLA metadata, user contexts, those made later too. Setting one costs 0.1 µs more; reading one, or calling a
    compiled function, nothing.

    A call is a reason to compare, not proof of a difference: JAX changes some settings for a moment itself (axis names under ``vmap``; all
    that an equation carries while it is evaluated), and leaving a ``with`` is a change too.

    Not covered:

    * a setting that is not in the trace context, such as ``jax_debug_nans`` or ``jax_default_prng_impl``, unless it is named in ``also``;
    * a setting that a module of JAX brings which is imported after ``install`` (on jax 0.12.0.1 ``jax.experimental.pallas`` brings some that
      only its own kernels see); ``added`` names it;
    * a setting that compiled code changes without calling its setter; none is known.

    Tried on jax 0.10.2 and 0.12.0.1; where JAX's settings cannot be made to tell, ``install`` returns False and changes nothing.
    """

    installed: "tuple[ConfigWatch, ...]" = ()
    """All watches at work: replaced, never altered, so that telling needs no lock."""

    def __init__(self, changed: Changed, also: Iterable[str] = ()) -> None:
        """Make a watch that is not yet installed.

        Args:
            changed: Called after the change on the thread that made it, with the setting's name and whether every thread sees it. What it
                raises is logged, not raised.
            also: Names of further settings to watch.
        """
        self.changed = changed
        self.also = frozenset(also)
        self.context_names: tuple[str, ...] = ()

    def install(self) -> bool:
        """Start watching; when already at work, include the settings added since.

        Returns:
            Whether every setting of the trace context and of ``also`` is watched now. If not, none is, and contexts have to be compared.
        """
        with SETTINGS.lock:
            self.context_names = trace_context_names()
            try:
                missed = SETTINGS.adopt({*self.context_names, *self.also})
            except (ImportError, AttributeError, TypeError) as error:
                missed = [str(error)]
            if missed not in ([], [USER_CONTEXT]):
                LOG.warning("JAX's settings cannot be watched: %s", ", ".join(missed))
                self.uninstall()
                return False
            if self not in ConfigWatch.installed:
                ConfigWatch.installed = (*ConfigWatch.installed, self)
            return True

    def uninstall(self) -> None:
        """Stop watching, and leave JAX as it was when no other watch is at work; harmless when not installed."""
        with SETTINGS.lock:
            ConfigWatch.installed = tuple(watch for watch in ConfigWatch.installed if watch is not self)
            if not ConfigWatch.installed:
                SETTINGS.release()

    def added(self) -> tuple[str, ...]:
        """The names of settings that came into the trace context since ``install``; 2 µs. Those called ``user_context`` are watched all the same."""
        return trace_context_names()[len(self.context_names) :]

    def tell(self, name: str, every_thread: bool) -> None:  # noqa: FBT001 - as the callback takes it
        """Call back if this watch is for the setting, and keep what that raises from the user's code."""
        if name in self.also or name in self.context_names or name == USER_CONTEXT:
            try:
                self.changed(name, every_thread)
            except Exception:
                LOG.exception("What listens for changes of JAX's settings failed at %s", name)


def tell_all(name: str, every_thread: bool) -> None:  # noqa: FBT001 - as the callback takes it
    """Tell every watch at work of a change."""
    for watch in ConfigWatch.installed:
        watch.tell(name, every_thread)


SETTINGS = Settings(tell_all)
