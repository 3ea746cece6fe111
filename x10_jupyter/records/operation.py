"""One operation of a program, and the time it took."""

from dataclasses import dataclass
from typing import NamedTuple

from x10_jupyter.records.site import Site


class Recorded(NamedTuple):
    """Where an operation of a lazy program was recorded."""

    site: Site | None

    is_users: bool
    """Whether it is a function of the user's, whose own lines are more exact than that of its call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An instruction of a program as XLA compiled it, with its time in a window of the profiler."""

    program: str
    """XLA's name of the program: ``jit_step``. Several programs may have the same."""

    instruction: str
    """Its name in the program: ``fusion.2``."""

    opcode: str
    """What kind of instruction it is: ``fusion``, ``dot``, ``while``; empty if the program could no longer be looked at."""

    op: str
    """What JAX calls it: ``dot_general``; of a fusion its last operation. Empty if XLA made it by itself."""

    scope: str = ""
    """The name scope that it was written in, from the outside in: ``block/attention``; empty outside any."""

    is_backward: bool = False
    """Whether it computes a gradient."""

    site: Site | None = None
    """The user's line that asked for it, or None if that is not known."""

    fused: tuple[Site, ...] = ()
    """Other lines of the user's whose operations XLA has made a part of it."""

    times: int
    """How often it ran."""

    total_ns: int
    """From the beginning to the end of each run, all of them added up. What runs inside it counts as well, and so does what ran beside it."""

    own_ns: int
    """Of the time in which the device worked, what belongs to it: nothing of what runs inside it, and an equal part where several ran at once. Those of all
    operations add up to the time in which the device worked."""
