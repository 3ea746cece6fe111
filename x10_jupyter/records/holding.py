"""What a device holds, and what a line of the user's has it hold."""

from dataclasses import dataclass
from typing import Literal

from x10_jupyter.records.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device at a moment."""

    name: str
    """``CPU:0``."""

    array_bytes: int
    """Size of the arrays on it, each buffer once."""

    arrays: int
    """How many buffers that is."""

    allocated_bytes: int | None = None
    """What its allocator has given out, for temporaries of programs, too; None if it has none that tells."""

    peak_bytes: int | None = None
    """The most that was at once since the process began; None if that is not told."""

    limit_bytes: int | None = None
    """What the allocator may give out at most; None if that is not told."""

    busy_percent: int | None = None
    """Part of the last moments in which it worked, for any process; None if nobody tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What one line has allocated on one device, and is still there."""

    device: str
    """``CPU:0``; empty for programs."""

    kind: Literal["array", "program"]

    count: int
    """How many arrays, or programs."""

    size_bytes: int
    """Size of them together; of programs 0 where it is not told, as on a CPU."""

    site: Site | None = None
    """The user's line, or None where none is the user's."""

    is_rest: bool = False
    """Whether these are all lines together that there is no room for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What the objects hold that a function got as one of its static arguments: JAX keeps them."""

    function: str
    """What was jitted."""

    argument: str
    """What it calls them: ``self``."""

    type_name: str
    """Their class."""

    objects: int
    """How many of them JAX keeps."""

    arrays: int
    """How many arrays they hold, each once."""

    size_bytes: int
    """What these take on the devices."""

    site: Site | None
    """Where the function is defined."""
