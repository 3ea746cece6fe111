"""A program's way to XLA: as a function that JAX traces and lowers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import jax

from x10_jupyter.lazy.graph import Graph
from x10_jupyter.lazy.program import body


def staged(graph: Graph, name: str) -> Any:
    """The program as a function of JAX that was never called: to be traced, lowered and compiled.

    Args:
        graph: What it computes.
        name: What XLA calls it.
    """
    return jax.jit(body(graph, name), donate_argnums=graph.donated)


@contextmanager
def settled(mesh: Any) -> Iterator[None]:
    """A trace may be cut where the user has switched compiling off, and a program that reads no data of a mesh learns of it from its context.

    Args:
        mesh: The mesh of the program's data, if its axes are part of types.
    """
    with jax.disable_jit(disable=False), nullcontext() if mesh is None else jax.set_mesh(mesh):
        yield


def described(leaves: Sequence[jax.Array]) -> list[jax.ShapeDtypeStruct]:
    """What to lower a program with in place of its inputs, which may have been overwritten."""
    return [jax.ShapeDtypeStruct(each.shape, each.dtype, weak_type=each.aval.weak_type, sharding=each.sharding if each.committed else None) for each in leaves]
