"""Makes the objects that hold JAX's settings tell when they are set."""

import gc
import threading
from collections.abc import Callable, Iterable
from functools import cache, wraps

from x10_jupyter.base.thawed import thawed
from x10_jupyter.jax_gate.private import Private, private

FIX = "Without it settings cannot be watched; contexts have to be compared."
USER_CONTEXT = "user_context"
THIS_THREAD, EVERY_THREAD = False, True

Tell = Callable[[str, bool], None]
"""Called with the name of a setting and whether it was set for every thread, not only for the current one."""


@cache
def telling(original: Private, tell: Tell) -> type:
    """A subclass of a class of settings whose setters tell when they made the value another one.

    A setter is called in each ``with`` and each eager operation, so it compares no more than identities: an equal but new value counts as another.

    An interrupt may fall into what is told. Then a ``with`` is not entered, so its setting goes back, since nobody would leave it; and of a
    setting that was left it is told again.
    """
    swap_local, set_local, set_global = original.swap_local, original.set_local, original.set_global

    def telling_swap_local(self: Private, value: Private) -> Private:
        before = self.value
        previous = swap_local(self, value)
        if self.value is not before:
            try:
                tell(self.name, THIS_THREAD)
            except BaseException:
                set_local(self, previous)
                raise
        return previous

    def telling_set_local(self: Private, value: Private) -> None:
        before = self.value
        set_local(self, value)
        if self.value is not before:
            tell_surely(tell, self.name, THIS_THREAD)

    def telling_set_global(self: Private, value: Private) -> None:
        before = self.get_global()
        set_global(self, value)
        if self.get_global() is not before:
            tell_surely(tell, self.name, EVERY_THREAD)

    members = {"__slots__": (), "swap_local": telling_swap_local, "set_local": telling_set_local, "set_global": telling_set_global}
    return type(original)(f"Telling{original.__name__}", (original,), members)


def tell_surely(tell: Tell, name: str, every_thread: bool) -> None:  # noqa: FBT001 - as what is told takes it
    """Tell of a change that stays; once more, if that was interrupted."""
    try:
        tell(name, every_thread)
    except BaseException:
        tell(name, every_thread)
        raise


class Settings:
    """JAX's settings objects, some of which tell.

    Python lets an object's class be exchanged for a subclass of the same layout. That needs no change to JAX's own classes, reaches the settings
    that are no flags (meshes, axis names, XLA metadata, user contexts) by the same means, and leaves reading a setting as fast as it was.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: ``adopt`` raises UnsupportedJaxError, AttributeError or TypeError.
    """

    def __init__(self, tell: Tell) -> None:
        """Adopt nothing yet."""
        self.tell = tell
        self.lock = threading.RLock()
        self.adopted: list[Private] = []
        self.user_config: Private = None
        self.own_init: Private = None

    def adopt(self, names: Iterable[str]) -> list[str]:
        """Make all settings of these names tell, and every user context made from now on.

        JAX keeps no list of those that are no flags, so Python's collector is asked: 20 ms for 100,000 objects.

        Returns:
            The names of which no object was found. The objects of user contexts that are no longer used are gone, though their names stay.
        """
        base = private("jaxlib._jax", "config.Config", fix=FIX)
        wanted = frozenset(names)
        with thawed():
            found = [each for each in gc.get_objects() if issubclass(type(each), base) and each.name in wanted]
        with self.lock:
            for setting in found:
                self.adopt_one(setting)
            self.adopt_user_contexts()
        return sorted(wanted - {setting.name for setting in found})

    def adopt_one(self, setting: Private) -> None:
        """Exchange one object's class."""
        if not any(setting is each for each in self.adopted):
            setting.__class__ = telling(type(setting), self.tell)
            self.adopted.append(setting)

    def adopt_user_contexts(self) -> None:
        """Have those that ``jax.make_user_context`` will make adopted as they are made, which is a change itself: the trace context becomes longer."""
        if self.user_config is not None:
            return
        user_config = private("jax._src.config", "UserConfig", fix=FIX)
        own_init = user_config.__init__

        @wraps(own_init)
        def adopting_init(context: Private, *args: Private, **kwargs: Private) -> None:
            own_init(context, *args, **kwargs)
            with self.lock:
                self.adopt_one(context._obj)  # noqa: SLF001 - its only way in
            self.tell(USER_CONTEXT, EVERY_THREAD)

        user_config.__init__ = adopting_init
        self.user_config, self.own_init = user_config, own_init

    def release(self) -> None:
        """Give every object its own class back."""
        with self.lock:
            for setting in self.adopted:
                setting.__class__ = type(setting).__base__
            self.adopted.clear()
            if self.user_config is not None:
                self.user_config.__init__ = self.own_init
                self.user_config = self.own_init = None
