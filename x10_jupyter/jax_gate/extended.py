"""What ``jax.extend`` offers, without importing it.

On jax 0.12.0.1 that module imports Pallas, which adds settings to those that JAX compares: every program that was compiled before would be compiled again.
"""

from collections.abc import Callable

from x10_jupyter.jax_gate.private import Private, private
from x10_jupyter.jax_gate.tracing import FIX

# Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError on import.
jaxpr_as_fun: Callable[[Private], Callable[..., list[Private]]] = private("jax._src.core", "jaxpr_as_fun", fix=FIX)
jaxprs_in_params: Private = private("jax._src.core", "jaxprs_in_params", fix=FIX)
Literal: type[Private] = private("jax._src.core", "Literal", fix=FIX)
convert_element_type_p: Private = private("jax._src.lax.lax", "convert_element_type_p", fix=FIX)
get_backend: Private = private("jax._src.xla_bridge", "get_backend", fix=FIX)


def jaxpr_types() -> tuple[type, ...]:
    """The classes of jaxprs: two, or one where JAX has no closed ones any more (0.12.0.1)."""
    core = private("jax._src", "core", fix=FIX)
    return tuple({core.Jaxpr, getattr(core, "ClosedJaxpr", core.Jaxpr)})


JAXPRS = jaxpr_types()

DECOMPOSITIONS = ("cholesky", "eig", "eigh", "hessenberg", "householder_product", "lu", "qr", "schur", "svd", "tridiagonal", "tridiagonal_solve")


def decompositions() -> frozenset[Private]:
    """JAX's operations that decompose a matrix."""
    return frozenset(private("jax._src.lax.linalg", f"{name}_p", fix=FIX) for name in DECOMPOSITIONS)
