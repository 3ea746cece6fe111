"""Programs that a thread is making, from one phase to the next."""

from typing import Any

from x10_jupyter.observe.causes import Making

MOST = 32
"""Programs; each thread makes one at a time, and some are given up."""


class Underway:
    """What the phases of one thread belong to."""

    def __init__(self) -> None:
        self._calls: dict[tuple[int, ...], Making] = {}
        self._ahead: dict[str, list[Making]] = {}

    def take(self, name: str, seen: Making | None) -> Making | None:
        """What a phase that begins is a part of.

        Args:
            name: The function's, as JAX calls it.
            seen: What its call on the stack says; None if there is none, as for ``Lowered.compile()``.
        """
        if seen is None:
            ahead = self._ahead.get(name, [])
            return ahead[0] if len(ahead) == 1 else None  # of several nobody knows which it is
        known = None if seen.is_traced else self._calls.get(seen.key)
        return known if known is not None and known.function.token == seen.function.token else seen

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
        left = [one for one in self._ahead.pop(name, []) if one is not made]
        if left:
            self._ahead[name] = left


def bounded(table: dict[Any, Any]) -> None:
    """Forget the oldest of a table if it has grown too long."""
    while len(table) > MOST:
        del table[next(iter(table))]
