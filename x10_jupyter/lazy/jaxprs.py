"""What is inside a jaxpr, JAX's form of a function."""

from collections.abc import Iterator
from typing import Any, cast

import jax
from jax.sharding import Mesh, NamedSharding


def equations(jaxpr: Any) -> Iterator[Any]:
    """Every equation of a jaxpr, and of those that stand among its equations' parameters, such as the body of a loop."""
    stack = [jaxpr]
    while stack:
        for eqn in stack.pop().eqns:
            yield eqn
            stack.extend([getattr(p, "jaxpr", p) for p in jax.tree.leaves(list(eqn.params.values()), is_leaf=is_jaxpr) if is_jaxpr(p)])


def devices_named(jaxpr: Any) -> tuple[Any, ...] | None:
    """The devices that a function itself asks for, by a sharding constraint or a mesh, in the order in which it takes them; None if it runs anywhere."""
    for eqn in equations(jaxpr):
        for value in jax.tree.leaves(list(eqn.params.values())):
            mesh: Any = value.mesh if isinstance(value, NamedSharding) else value
            if isinstance(mesh, Mesh) and not mesh.empty:
                return tuple(cast(Any, mesh).devices.flat)
    return None


def is_jaxpr(x: object) -> bool:
    """Whether a parameter of a primitive is a program of its own."""
    return hasattr(x, "eqns")
