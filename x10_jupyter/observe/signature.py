"""All that decides whether JAX knows a call: a program is compiled if one of these is another one."""

from collections.abc import Hashable
from dataclasses import dataclass

from x10_jupyter.observe.arguments import Aval, Node, Row, Static
from x10_jupyter.observe.reads import Read
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.site import Site


@dataclass(slots=True)
class Signature:
    """One way in which a function was compiled. It holds texts and numbers, no argument of the user's."""

    token: int
    """Which function it was; see `Function.token`."""
    held: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]
    """What `jax.jit` was told beside the function, as far as it isn't the default."""
    given: tuple[tuple[str, str], ...]
    defaults: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    context: tuple[Hashable, ...]
    """JAX's settings, as ``trace_context()`` gives them."""
    transform: str
    by: tuple[str, ...]
    """The arguments that are transformed: those by which a gradient is taken."""
    program: tuple[str, ...]
    """Inputs of the program that a transformation made; empty for an ordinary call."""
    forgotten: int
    """How often JAX had forgotten everything."""
    site: Site | None
    """The line of the call."""
    is_whole: bool = True
    """Whether it was heard; else it is known from JAX's caches, which tell neither places nor options nor transformations."""
    is_derived: bool = False
    """Whether it is of a program that JAX derived from the function, and not of a call."""
    results: tuple[str, ...] = ()
    """Outputs of the program that a transformation made: what the function gives, and what its way back needs."""
    forward: "Signature | None" = None
    """The call that a derived program is of, if that is known."""
    reads: tuple[tuple[str, Read], ...] = ()
    """What the function read from around it when it was compiled, as far as that is known."""
    cause: Cause | None = None
    """Why it was made, if that was told."""

    def sections(self) -> tuple[Hashable, ...]:
        """What is compared, in parts, so that near signatures are found by how many of them differ."""
        rows = self.rows
        structure = tuple((row.path, row.what if isinstance(row.what, Node) else None) for row in rows)
        statics = tuple((row.path, row.what.evidence) for row in rows if isinstance(row.what, Static) and not row.what.is_internal)
        internals = tuple((row.path, row.what.evidence) for row in rows if isinstance(row.what, Static) and row.what.is_internal)
        arrays = [row for row in rows if isinstance(row.what, Aval)]
        avals, places = tuple(row.what for row in arrays), tuple(row.place for row in arrays)
        return (self.token, self.transform, self.context, self.options, self.given, structure, statics, avals, places, self.program, self.by, internals)


TRANSFORM, OPTIONS, STRUCTURE, STATICS, AVALS, PLACES, PROGRAM, BY, INTERNALS = 1, 3, 5, 6, 7, 8, 9, 10, 11
"""Where sections stand that are special."""

NOT_LEARNT = (TRANSFORM, OPTIONS, PLACES, PROGRAM, BY)
"""What is not known of a signature that was not heard."""
