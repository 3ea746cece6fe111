"""What JAX calls after each call of a compiled function that it makes without Python, on one thread; it has a place for that, in which it looks for nans."""

import threading
from collections.abc import Callable

from x10_jupyter.jax_gate.private import Private, private

FIX = "Operations of JAX that run one by one are not told; upgrade x10_jupyter."
SETTINGS = ("debug_nans", "debug_infs")
"""JAX's settings that put its own function there, or take it away; some of JAX's operations switch them off for themselves."""
UPDATES = ("_update_global_hook", "_update_thread_local_hook")

Hook = Callable[[Private, Private, Private, Private], None]
"""Is given the function, its arguments, and its result, and must not raise. Costs each call 0.2 µs."""


class CallHook:
    """Puts a function there and takes it away, both on the same thread; never while JAX looks for nans, and where it begins to, JAX's function comes first.

    Tried on jax 0.10.2 and 0.12.0.1. It is gone: UnsupportedJaxError.
    """

    def __init__(self) -> None:
        """Find all of it, so that nothing is changed if something is missing."""
        self.state: Private = private("jax._src.api", "_post_hook_state", fix=FIX)
        for name in ("get_local", "set_local", "get_global"):
            private("jax._src.api", f"_post_hook_state.{name}", fix=FIX)
        self.settings: list[Private] = [private("jax._src.config", name, fix=FIX) for name in SETTINGS]
        self.updates = [
            (setting, name, private("jax._src.config", f"{setting_name}.{name}", fix=FIX))
            for setting, setting_name in zip(self.settings, SETTINGS, strict=True)
            for name in UPDATES
        ]
        self.hook: Hook | None = None
        self.before: Private = None
        self.thread = 0

    @property
    def is_put(self) -> bool:
        """Whether the function is there, on the calling thread."""
        return self.hook is not None and self.state.get_local() is self.hook

    def put(self, hook: Hook) -> None:
        """Have JAX call a function on this thread."""
        self.hook, self.thread = hook, threading.get_ident()
        for setting, name, update in self.updates:
            setattr(setting, name, self.around(update))
        self.arm()

    def arm(self) -> None:
        """Put the function there, if JAX has nothing of its own there."""
        local = self.state.get_local()
        if not callable(local) and self.state.get_global() is None:
            self.before = local
            self.state.set_local(self.hook)

    def around(self, update: Callable[[Private], None]) -> Callable[[Private], None]:
        """What happens where one of JAX's settings changes: as without us, and then we are there again if there is room."""

        def updated(value: Private) -> None:
            if self.thread != threading.get_ident():
                update(value)
                return
            if self.is_put:
                self.state.set_local(self.before)
            try:
                update(value)
            finally:
                if self.hook is not None:
                    self.arm()

        return updated

    def undo(self) -> None:
        """Leave it as JAX has it; on another thread than the function's that cannot be done, and it goes on to be called."""
        is_put, self.hook = self.is_put, None
        if is_put:
            self.state.set_local(self.before)
        for setting, name, update in self.updates:
            setattr(setting, name, update)
