"""Programs that a thread is making, from one phase to the next."""

from typing import Any

from x10_jupyter.observe.making import Making

MOST = 32
"""Programs; each thread makes one at a time, and some are given up."""


class Underway:
    """What the phases of one thread belong to."""

    def __init__(self) -> None:
        self._calls: dict[tuple[int, ...], Making] = {}
        self._ahead: dict[str, list[Making]] = {}
        self._done: dict[str, list[Making]] = {}

    def of_call(self, key: tuple[int, ...]) -> Making | None:
        """What an earlier phase of a call belonged to."""
        return self._calls.get(key)

    def ahead(self, name: str) -> Making | None:
        """What was lowered ahead of time under a name, as ``Lowered.compile()`` has no call on the stack; of several nobody knows which it is."""
        found = self._ahead.get(name, [])
        return found[0] if len(found) == 1 else None

    def again(self, name: str) -> Making | None:
        """What was compiled ahead of time under a name, which JAX need not lower to compile it once more; of several nobody knows which it is."""
        found = self._done.get(name, [])
        return found[0] if len(found) == 1 else None

    def keep(self, name: str, made: Making) -> None:
        """A phase has ended, and another may follow."""
        if made.is_ahead:
            ahead = [one for one in self._ahead.get(name, []) if one.signature.sections() != made.signature.sections()]
            self._ahead.pop(name, None)
            self._ahead[name] = [*ahead, made]
            bounded(self._ahead)
        else:
            self._calls[made.key] = made
            bounded(self._calls)

    def drop(self, name: str, made: Making) -> None:
        """It is made, or was given up."""
        self._calls.pop(made.key, None)
        if made.is_ahead:
            done = [one for one in self._done.get(name, []) if one.function.token != made.function.token]
            self._done[name] = [*done, made]
            bounded(self._done)
        left = [one for one in self._ahead.pop(name, []) if one.key != made.key]
        if left:
            self._ahead[name] = left


def bounded(table: dict[Any, Any]) -> None:
    """Forget the oldest of a table if it has grown too long."""
    while len(table) > MOST:
        del table[next(iter(table))]
