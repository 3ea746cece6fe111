"""At which lines the operations of the programs in memory were recorded, for whoever looks at what XLA made of them."""

from collections.abc import Mapping
from typing import Any

from x10_jupyter.lazy.finding import STORE
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.program import Program
from x10_jupyter.records.operation import Recorded


def recorded_lines() -> Mapping[bytes, tuple[Recorded, ...]]:
    """By the fingerprint of a program, for each of its operations where it was last recorded. What XLA does not tell the fingerprint of is left out."""
    found: dict[bytes, tuple[Recorded, ...]] = {}
    for executable in STORE.all():
        programs = [state.programs[live] for state, live in executable.bindings() if state.programs and live in state.programs]
        mark = fingerprint(executable.run)
        if programs and mark:
            found[mark] = sites(programs[-1])
    return found


def sites(program: Program) -> tuple[Recorded, ...]:
    """Where each operation of a program was recorded."""
    states = {state.depth: state for state in path_to(program.state)}
    return tuple([Recorded(site_of(states[depth].site), bool(states[depth].op.call.is_users)) for depth in program.depths])


def fingerprint(compiled: Any) -> bytes:
    """What tells a program that JAX has compiled from others; empty if XLA does not tell.

    Args:
        compiled: A `jax.stages.Compiled`.
    """
    try:
        found: object = compiled.runtime_executable().fingerprint
    except Exception:  # noqa: BLE001 - not every back end has one
        return b""
    return found if isinstance(found, bytes) else str(found or "").encode()
