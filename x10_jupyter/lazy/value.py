"""What stands for a tensor in the trace: its data, or a reference into a trace.

Compiled, it is no object that Python's collector looks at: nothing that it refers to refers back, unless somebody gives a JAX array an attribute that does,
and a step of a large model makes so many that the collector would pass several times.
"""

from typing import Any, TypeVar

from x10_jupyter.lazy.avals import Aval

IS_COMPILED = not __file__.endswith((".py", ".pyc"))


OURS = -1
"""Instead of a trace's number: the data was computed by a program of ours, and nobody has put it, or what it was computed from, on a device. Unless it was
handed out, it is there and it is bound to no device, and one need not look: to look at the arrays of a large model after a step takes a tenth of a
millisecond, since nothing of them is left in the processor's caches."""


class Failure:
    """Stands where the data of a value would be that could not be computed."""

    __slots__ = ("message",)

    def __init__(self, message: str) -> None:
        self.message = message


class Value:
    """A tensor as the trace sees it: device data, or a reference into a trace that is under way."""

    __slots__ = ("__weakref__", "aval", "held", "node", "origin", "ref", "serial")

    aval: Aval
    held: Any
    """The JAX array; None while pending; a ``Failure`` once it is lost."""
    ref: int
    """In the trace with this ``serial``: from 0 a value made there, below 0 a leaf."""
    serial: int
    origin: Any
    """The operation and the lines that it comes from; unset for what no program computed."""
    node: int
    """Place on the tape of gradients; 0 when nothing is differentiated."""


Kind = TypeVar("Kind", bound=type[Value])


def uncollected(kind: Kind) -> Kind:
    """A class of values, as it is; compiled, its instances are nothing that the collector looks at, as those of ``Value``.

    Args:
        kind: It adds nothing to ``Value`` but methods, and has no instances yet.
    """
    if IS_COMPILED:
        leave_alone(kind)  # noqa: F821 # pyright: ignore[reportUndefinedVariable] # it stands in `value.pxd`
    return kind
