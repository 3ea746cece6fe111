"""Op by op: each operation of a trace is compiled and run on its own, so that a result that is wrong, or none, can be told from where it comes.

X10's switches: ``XLA_SYNC_TENSORS_OPBYOP`` for barriers, ``XLA_GET_TENSORS_OPBYOP`` for reads.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from x10_jupyter.base.config import config
from x10_jupyter.jax_gate.extended import jaxpr_as_fun
from x10_jupyter.lazy.avals import converted, is_inexact, number_dtype
from x10_jupyter.lazy.compiling import noting_compiles
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.graph import mesh_of, operations, path_to
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.op import Op
from x10_jupyter.lazy.producer import CLOCK, EVENTS, happened
from x10_jupyter.lazy.program import module_name
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.visible import VISIBLE
from x10_jupyter.records.runtime_events import Chained


def is_chained(why: str) -> bool:
    """Whether a cut runs op by op.

    Args:
        why: What asks for it. Whatever needs a value is a read; a cut that nobody asked for, such as at the limit, computes all as a barrier does.
    """
    now = config.now
    return now.get_tensors_opbyop if why in ("read", "fallback", "device") else now.sync_tensors_opbyop


class Blame(NamedTuple):
    """Why there is no value."""

    place: State
    """The operation that failed."""

    error: Exception
    """What it raised."""


class Results(NamedTuple):
    """What a chain computed, by the number of the value in its trace."""

    values: dict[int, Any]
    blamed: dict[int, Blame]
    """Values that need an operation that failed."""


class Runners:
    """Each operation as a compiled function of its own; those that were not used for longest go."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, Callable[..., list[Any]]] = OrderedDict()
        self.misses = 0
        """How often one had to be made."""

    def of(self, op: Op) -> Callable[..., list[Any]]:
        """The function of an operation's arrays and numbers. Equal operations on equal types share it."""
        key = (op.context.key, op.key)
        with self._lock:
            run = self._kept.get(key)
            if run is None:
                run = self._kept[key] = alone(op)
                self.misses += 1
            self._kept.move_to_end(key)
            while len(self._kept) > config.now.compilation_cache_size:
                self._kept.popitem(last=False)
        return run

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()


RUNNERS = Runners()


def alone(op: Op) -> Callable[..., list[Any]]:
    """An operation as a program."""
    run, outs = jaxpr_as_fun(op.jaxpr), op.outs

    def program(*args: Any) -> list[Any]:
        return [converted(x, a.held_as, weak_type=True) if a.weak_type else x for x, a in zip(run(*args), outs, strict=True)]

    program.__name__ = program.__qualname__ = module_name(op.call.name)
    return jax.jit(program)


def run_chain(trace: Trace, live: Sequence[int], line: Line) -> Results:
    """Run the operations that these values need one after the other, each to its end. What needs none that fails is computed.

    Args:
        trace: What was recorded.
        live: The values to compute.
        line: Who asks for them.
    """
    steps = path_to(trace.state)
    todo = needed(steps, live)
    start_ns, missed, spans = CLOCK.now_ns(), RUNNERS.misses, list[tuple[int, int]]()
    mesh = mesh_of(steps)
    # a trace may be cut where the user has switched compiling off
    with jax.disable_jit(disable=False), nullcontext() if mesh is None else jax.set_mesh(mesh), noting_compiles(spans) if EVENTS else nullcontext():
        results = run_all(trace, todo, live)
    if EVENTS:
        EVENTS.emit(Chained(ops=len(todo), compiled=RUNNERS.misses - missed, compiling=tuple(spans), **happened(line, start_ns)))
    return results


def needed(steps: Sequence[State], live: Sequence[int]) -> list[State]:
    """The operations of a path that some values need, and those with effects, in order."""
    wanted, found = set(live), list[State]()
    for state in reversed(operations(steps)):
        if state.op.has_effects or not wanted.isdisjoint(range(state.ref, state.ref + len(state.op.outs))):
            found.append(state)
            wanted.update([r for r in state.key[1:] if r >= 0])
    found.reverse()
    return found


def run_all(trace: Trace, todo: Sequence[State], live: Sequence[int]) -> Results:
    """Run operations; each value goes when nothing needs it any more."""
    last = {r: state for state in todo for r in state.key[1:]} | dict.fromkeys(live)
    results = Results({}, {})
    values, blamed = results
    for state in todo:
        refs = state.key[1:]
        blame = next((blamed[r] for r in refs if r in blamed), None)
        outs: list[Any] = []
        if blame is None:
            try:
                outs = run_one(state, [trace.leaves[-1 - r] if r < 0 else values[r] for r in refs], trace.numbers)
            except Exception as error:  # noqa: BLE001 - whatever it says, this is the one
                blame = Blame(state, error)
        if blame is None:
            values.update(enumerate(outs, state.ref))
        else:
            blamed.update(dict.fromkeys(range(state.ref, state.ref + len(state.op.outs)), blame))
        for r in refs:
            if last[r] is state:
                values.pop(r, None)
    return Results({i: values[i] for i in live if i in values}, {i: blamed[i] for i in live if i in blamed})


def run_one(state: State, arrays: list[Any], numbers: Any) -> list[Any]:
    """The results of one operation, when they are ready."""
    op = state.op
    given = [numbers[i] for i in range(state.slot, state.slot + len(op.call.numbers))]
    given = [number_dtype(type(n)).type(n) for n in given]
    unwanted = [(name, is_bad) for setting, name, is_bad in UNWANTED if getattr(jax.config, setting)]
    with jax.debug_nans(False), jax.debug_infs(False):  # noqa: FBT003 - JAX's own check runs the operation once more, and tells no line of it
        outs = jax.block_until_ready(RUNNERS.of(op)(*arrays, *given))
        for name, is_bad in unwanted:
            if has(is_bad, outs):
                given_too = has(is_bad, [*arrays, *given])
                raise FloatingPointError(f"It was given {name}, and returned one" if given_too else f"It made {name} of operands that have none")
    for each in outs:
        VISIBLE.add(each)  # it may share the buffer of an input
    return outs


UNWANTED = (("jax_debug_nans", "a nan", jnp.isnan), ("jax_debug_infs", "an infinity", jnp.isinf))


def has(is_bad: Callable[[Any], Any], arrays: Sequence[Any]) -> bool:
    """Whether a value among some arrays is bad."""
    return any(bool(is_bad(each).any()) for each in arrays if is_inexact(each.dtype))
