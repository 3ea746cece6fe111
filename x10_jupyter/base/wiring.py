"""What is called once the runtime is ready: so floors above the runtime attach themselves to it, and it imports none of them."""

from collections.abc import Callable


class Wiring:
    """Callables that wait for the runtime; each is called once."""

    def __init__(self) -> None:
        """Begin with nothing to call."""
        self._waiting: list[Callable[[], object]] = []
        self._is_ready = False

    def when_ready(self, call: Callable[[], object]) -> None:
        """Call something as soon as the runtime is ready, or now if it is."""
        if self._is_ready:
            call()
        else:
            self._waiting.append(call)

    def ready(self) -> None:
        """The runtime is ready: call what waits for it."""
        self._is_ready = True
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            call()


WIRING = Wiring()
"""Of this process."""
