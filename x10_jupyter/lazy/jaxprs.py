"""What is inside a jaxpr, JAX's form of a function."""

from collections.abc import Iterator
from typing import Any

import jax


def equations(jaxpr: Any) -> Iterator[Any]:
    """Every equation of a jaxpr, and of those that stand among its equations' parameters, such as the body of a loop."""
    stack = [jaxpr]
    while stack:
        for eqn in stack.pop().eqns:
            yield eqn
            stack.extend([getattr(p, "jaxpr", p) for p in jax.tree.leaves(list(eqn.params.values()), is_leaf=is_jaxpr) if is_jaxpr(p)])


def is_jaxpr(x: object) -> bool:
    """Whether a parameter of a primitive is a program of its own."""
    return hasattr(x, "eqns")
