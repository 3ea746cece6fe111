"""What a session asks of whoever makes events."""

from collections.abc import Callable
from dataclasses import dataclass

from x10_jupyter.records.sink import FanOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer:
    """Something that makes events and may still be busy when the user's code has ended."""

    events: FanOut
    """Where it puts them."""

    drain: Callable[[], None] = lambda: None
    """Returns when everything it launched has ended and its events have been put."""

    settle: Callable[[], None] = lambda: None
    """Tells of what it only counts, such as tensors that are gone."""
