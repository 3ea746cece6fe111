"""What every event has.

Times are monotonic integer nanoseconds, sizes bytes.
"""

from dataclasses import dataclass

from x10_jupyter.records.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """What every event has."""

    start_ns: int
    """When it began."""

    end_ns: int
    """When it ended; equal to ``start_ns`` for something without duration."""

    thread: int
    """``threading.get_ident()`` of the thread it happened on."""

    site: Site | None
    """The user's line, or None when it could not be told."""
