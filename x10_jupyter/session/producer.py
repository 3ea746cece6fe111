"""What a session asks of whoever makes events."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from x10_jupyter.records.sink import Extra, FanOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer:
    """Something that makes events and may still be busy when the user's code has ended."""

    events: FanOut
    """Where it puts them."""

    drain: Callable[[], int | None] = lambda: None
    """Returns when everything it launched has ended and its events have been put: the moment at which the last of it had ended in nanoseconds, or None if its
    events tell that, or nothing was left."""

    settle: Callable[[], None] = lambda: None
    """Tells of what it only counts, such as tensors that are gone."""

    conclude: Callable[[Collection[Extra]], None] | None = None
    """If there is one, it tells of what takes long to be made out, such as what a profiler recorded, to a capture that has ended and asks for so much."""
