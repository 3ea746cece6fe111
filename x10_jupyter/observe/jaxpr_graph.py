"""The graph of a program as JAX has traced it: its operations, with those of inner programs such as the body of a loop."""

from collections.abc import Iterator, Mapping
from typing import Any

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.jax_gate.extended import JAXPRS, Literal
from x10_jupyter.jax_gate.lowered_program import frames
from x10_jupyter.observe.drawing import Drawing, Value
from x10_jupyter.observe.op_names import read
from x10_jupyter.records.avals import aval_text
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.site import Site, site_at

Inner = tuple[str, Any]
"""An inner program, with where it stands among the parameters of its operation: ``body_jaxpr``."""


def jaxpr_graph(program: Any) -> Graph:  # noqa: ANN401 - a closed jaxpr
    """The graph of a program.

    An inner program that several operations run is there once, before the first of them.

    Args:
        program: A closed jaxpr.
    """
    return JaxprDrawing(program).drawn()


class JaxprDrawing:
    """Such a graph under way."""

    def __init__(self, program: Any) -> None:  # noqa: ANN401 - a closed jaxpr
        self.drawing, self.program = Drawing("jaxpr"), program
        self.names: dict[int, str] = {}
        """By the identity of an inner program, what it is called here."""
        self.times: dict[str, int] = {}
        """How many there are of each operation so far."""
        self.sites: dict[Any, Site | None] = {}

    def drawn(self) -> Graph:
        """All of it."""
        return self.drawing.graph(self.body(self.program.jaxpr, "", None, is_users=True))

    def body(self, jaxpr: Any, within: str, caller: Site | None, *, is_users: bool) -> list[Value]:  # noqa: ANN401 - JAX's
        """Add what a program has.

        Args:
            jaxpr: It.
            within: What it is called.
            caller: The line that runs it.
            is_users: Whether it was traced of the user's code. JAX traces its own functions once for all who call them, so the lines in those may be anybody's.

        Returns:
            What it comes back with.
        """
        names = dict(zip(map(id, jaxpr.invars), argument_names(jaxpr), strict=False))
        values: dict[int, Value] = {}  # by the identity of a variable, which other programs may have, too
        kinds = {**{id(one): "jaxpr::input" for one in jaxpr.invars}, **{id(one): "jaxpr::constant" for one in jaxpr.constvars}}

        def value(one: Any) -> Value:  # noqa: ANN401 - a variable or a literal
            if isinstance(one, Literal):
                return self.drawing.add("jaxpr::literal", (told(one.aval),), tags=[("value", str(one.val))], within=within), 0
            if id(one) not in values:
                named = [("name", names[id(one)])] if names.get(id(one)) else []
                values[id(one)] = self.drawing.add(kinds.get(id(one), "jaxpr::input"), (told(one.aval),), tags=named, within=within), 0
            return values[id(one)]

        for equation in jaxpr.eqns:
            place = self.equation(equation, [value(one) for one in equation.invars], within, caller, is_users=is_users)
            values.update({id(one): (place, which) for which, one in enumerate(equation.outvars)})
        found = [value(one) for one in jaxpr.outvars]
        for one in (*jaxpr.constvars, *jaxpr.invars):  # those that nothing takes
            value(one)
        return found

    def equation(self, equation: Any, inputs: list[Value], within: str, caller: Site | None, *, is_users: bool) -> int:  # noqa: ANN401 - JAX's
        """Add an operation, after the inner programs that it runs; the number of its node."""
        op = equation.primitive.name
        site = self.site(equation.source_info.traceback) if is_users else caller
        self.times[op] = self.times.get(op, 0) + 1
        called = [self.inner(f"{op}.{self.times[op]}.{name}", inner, site, is_users=is_users) for name, inner in inner_programs(equation.params)]
        return self.drawing.add(
            f"jaxpr::{op}",
            [told(one.aval) for one in equation.outvars],
            inputs,
            tags=[(name, str(value)) for name, value in equation.params.items() if is_told(value)],
            site=site,
            scope=read(f"{equation.source_info.name_stack}/{op}").scope,
            within=within,
            called=called,
        )

    def inner(self, name: str, program: Any, site: Site | None, *, is_users: bool) -> str:  # noqa: ANN401 - JAX's
        """Add an inner program under a name if it is new; what it is called."""
        jaxpr = getattr(program, "jaxpr", program)
        if id(jaxpr) not in self.names:
            self.names[id(jaxpr)] = name
            self.body(jaxpr, name, site, is_users=is_users and is_made_by_user(jaxpr))
        return self.names[id(jaxpr)]

    def site(self, traceback: Any) -> Site | None:  # noqa: ANN401 - JAX's
        """The user's line of an operation, or None if none is the user's."""
        if traceback not in self.sites:
            self.sites[traceback] = next((site_at(*frame) for frame in frames(traceback) if not is_ours_or_library(frame.file)), None)
        return self.sites[traceback]


def inner_programs(params: Mapping[str, Any]) -> Iterator[Inner]:
    """The inner programs among an operation's parameters."""
    for name, value in params.items():
        several = value if isinstance(value, tuple | list) else (value,)
        for which, one in enumerate(several):
            if isinstance(one, JAXPRS):
                yield (name if one is value else f"{name}[{which}]"), one


def is_told(value: Any) -> bool:  # noqa: ANN401 - a parameter of an operation
    """Whether a parameter is told: it says something, and is no program or function."""
    several = value if isinstance(value, tuple | list) else (value,)
    if any(isinstance(one, JAXPRS) or hasattr(one, "call_wrapped") or (callable(one) and not isinstance(one, type)) for one in several):
        return False
    return not all(one is None or type(one).__name__ == "UnspecifiedValue" for one in several)


def is_made_by_user(jaxpr: Any) -> bool:  # noqa: ANN401 - JAX's
    """Whether a program was traced of a function of the user's, as far as JAX tells; so that the lines in it are those of that function."""
    place = str(getattr(getattr(jaxpr, "debug_info", None), "func_src_info", "") or "")
    file = place.rpartition(" at ")[2].rpartition(":")[0]
    return bool(file) and not is_ours_or_library(file)


def argument_names(jaxpr: Any) -> list[str]:  # noqa: ANN401 - JAX's
    """What a function calls what it is given: ``batch['image']``; as many as there are, if JAX tells."""
    names = getattr(getattr(jaxpr, "debug_info", None), "arg_names", None)
    return [str(name or "") for name in names] if names is not None and len(names) == len(jaxpr.invars) else []


def told(aval: Any) -> str:  # noqa: ANN401 - JAX's
    """Shape and dtype of a value; of what has none, such as a token, what JAX writes."""
    if not hasattr(aval, "shape") or not hasattr(aval, "dtype"):
        return str(aval)
    return aval_text(aval.shape, str(aval.dtype), weak=bool(getattr(aval, "weak_type", False)))
