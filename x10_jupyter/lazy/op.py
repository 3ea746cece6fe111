"""An operation: a pure JAX function with everything static filled in, specialised to its inputs' shapes and dtypes."""

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any

import jax
import numpy as np
from jax.tree_util import tree_flatten, tree_leaves, tree_unflatten

from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.lazy import narrow
from x10_jupyter.lazy.avals import Aval, aval_of_array, number_aval, spec, spec_as_said
from x10_jupyter.lazy.avals import is_array as is_array
from x10_jupyter.lazy.context import Context, in_force
from x10_jupyter.lazy.jaxprs import devices_named
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.narrow import is_affected
from x10_jupyter.lazy.placement import Devices
from x10_jupyter.lazy.precision import REDUCED, as_said, check_defined, check_precisions, is_full, narrowed, number_narrowed

LEAF = tree_flatten(0)[1]
Tree = Any
"""The structure of a pytree; JAX's own name for it is no type to type checkers."""


class Call:
    """A function and everything static about one way of calling it."""

    __slots__ = (
        "_twin", "anew", "base", "concrete", "conversions", "dtypes", "flat", "is_operator", "is_users", "key", "marks", "name", "numbers", "opaque", "ops",
        "paths", "places", "reduces", "rule", "split", "tree",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        flat: Callable[..., Any],
        *,
        key: Hashable,
        numbers: tuple[type, ...] = (),
        base: Hashable = None,
        tree: Tree | None = None,
        marks: tuple[Hashable, ...] = (),
        paths: tuple[str, ...] = (),
        is_operator: bool = False,
        is_users: bool = False,
        dtypes: tuple[Any, ...] | None = None,
    ) -> None:
        """Describe a call.

        Args:
            name: The function's name.
            flat: Takes the tensors' arrays, then the numbers; returns a pytree.
            key: Equal for two calls that do the same.
            numbers: The kind of each number.
            base: Equal for two calls of the same function, whatever its arguments.
            tree: Structure of the arguments.
            marks: What each leaf of the arguments is.
            paths: How the user calls each leaf: ``x``, ``params['w']``.
            is_operator: Whether it is written as an operator, so that its number may be a literal.
            is_users: Whether the function is the user's own, not JAX's.
            dtypes: What each result says that it is, where that does not follow from the operands: of casts between precisions, and of what is derived
                from other operations, which may be given both. None for what is held.
        """
        self.name, self.flat, self.key, self.numbers = name, flat, key, numbers
        self.base, self.tree, self.marks, self.paths, self.is_operator, self.is_users = base, tree, marks, paths, is_operator, is_users
        self.dtypes = dtypes
        self.reduces = False
        """Whether its operands are cast to reduced precision as they enter."""
        self._twin: Call | None = None
        self.opaque = ""
        """What it reads that cannot be seen into."""
        self.concrete: set[tuple[Context, tuple[Aval, ...]]] = set()
        """Under which configurations, and for which inputs, it needs concrete values, and so runs on its own."""
        self.ops: dict[tuple[Context, tuple[Aval, ...]], Op] = {}
        self.anew: Callable[..., Any] | None = None
        """Of a forward with residuals, what does the same from the function itself, where `flat` is what was traced of it."""
        self.rule: Any = None
        """Of a forward with residuals: how to go back through it, and which inputs are differentiated."""
        self.places: dict[tuple[int, Line], None] = {}
        """Numbers (which one, at which line) that are parameters of programs."""
        self.split: dict[tuple[int, Line], None] = {}
        """Those of them that have shown two values in one trace."""
        self.conversions: dict[tuple[Context, tuple[Aval, ...]], tuple[tuple[int, Any], ...]] = {}
        """Which of its numbers it converts, and to which dtype, by configuration and inputs; as far as somebody had to know."""

    def reduced(self) -> "Call":
        """The same call with its operands cast to reduced precision as they enter; the casts are part of it, so what is full gets a full gradient."""
        if self._twin is None:
            twin = Call(
                self.name, self.flat, key=("reduced", self.key), numbers=self.numbers, base=self.base, tree=self.tree, marks=self.marks,
                paths=self.paths, is_operator=self.is_operator, is_users=self.is_users,
            )  # fmt: skip
            twin.reduces, twin.places, twin.split = True, self.places, self.split
            self._twin = twin
        self._twin.opaque = self.opaque
        return self._twin

    def on_device(self, ins: Sequence[Aval]) -> Callable[..., Any]:
        """The function as it runs on what the device holds for these inputs."""
        if not is_reduced(self, ins):
            return self.flat
        count = len(ins)

        def flat(*xs: Any) -> Any:
            tensors = map(narrowed, xs[:count]) if self.reduces else xs[:count]
            return self.flat(*tensors, *map(number_narrowed, xs[count:]))

        return flat


def is_reduced(call: Call, ins: Sequence[Aval]) -> bool:
    """Whether a call computes in reduced precision for these inputs; what is derived from others computes in theirs."""
    return call.dtypes is None and any(a.is_reduced or (call.reduces and is_full(a)) for a in ins)


MOST_PLACES = 16 * 1024
"""Places remembered of one call: more than the operations of any trace that is not written by a loop."""


def note(known: dict[tuple[int, Line], None], place: tuple[int, Line]) -> None:
    """Remember the place of a number; the oldest goes when there are too many, such as those in cells that are long gone."""
    known[place] = None
    if len(known) > MOST_PLACES:
        del known[next(iter(known))]


class Op:
    """A call specialised to avals, and JAX's configuration: its jaxpr, traced once."""

    __slots__ = (
        "call", "context", "devices", "digest", "fixed", "flat", "has_effects", "ins", "is_simple", "is_special", "jaxpr", "key", "outs", "rules", "tree",
    )  # fmt: skip

    call: Call
    context: Context
    ins: tuple[Aval, ...]
    outs: tuple[Aval, ...]
    flat: Callable[..., Any]
    """The function as it runs on what the device holds."""
    jaxpr: Any
    key: Hashable
    tree: Tree
    fixed: tuple[tuple[int, Any], ...]
    """Results that are no arrays (a shape, a dtype, a function), by place among the leaves of the result."""
    has_effects: bool
    devices: Devices | None
    """Those that it names itself, as a sharding constraint does."""
    is_special: bool
    """Whether a trace has to heed one of these two."""
    is_simple: bool
    """Whether it returns one tensor, and there is nothing to heed."""
    rules: dict[tuple[bool, ...], Any]
    """How to differentiate it, by which inputs are differentiated."""

    def result(self, outs: Sequence[Any]) -> Any:
        """The function's result, made of the values of its arrays."""
        if self.tree is LEAF and not self.fixed:
            return outs[0]
        leaves = list(outs)
        for place, value in self.fixed:
            leaves.insert(place, value)
        return tree_unflatten(self.tree, leaves)


def holds_tracer(x: Any) -> bool:
    """Whether a result that is no array was made of tracers: one without a shape, such as a token, or a function that has some in its closure."""
    seen: set[int] = set()
    stack = [x]
    while stack:
        one = stack.pop()
        if is_tracer(one):
            return True
        if id(one) not in seen:
            seen.add(id(one))
            for cell in getattr(one, "__closure__", None) or ():
                with suppress(ValueError):  # an empty cell
                    stack += jax.tree.leaves(cell.cell_contents)
    return False


class NeedsValuesError(Exception):
    """A call is known to need concrete values; never reaches the user."""


def specialise(call: Call, ins: tuple[Aval, ...], context: Context) -> Op:
    """The call's ``Op`` for these inputs, traced now if it is new; raises what the function raises."""
    op = call.ops.get((context, ins))
    if op is None:
        if (context, ins) in call.concrete:
            raise NeedsValuesError
        with in_force(context):  # else it would be kept as what it means elsewhere
            op = call.ops[context, ins] = trace(call, ins, context)
        while len(call.ops) > MOST_OPS:  # the oldest goes: it can be traced again
            del call.ops[next(iter(call.ops))]
    return op


def means_the_same(a: Op, b: Op) -> bool:
    """Whether two operations, traced one after the other, are the same program: the same primitives on the same constants."""
    return str(a.jaxpr) == str(b.jaxpr) and len(a.jaxpr.consts) == len(b.jaxpr.consts) and all(map(equal_arrays, a.jaxpr.consts, b.jaxpr.consts))


def equal_arrays(a: Any, b: Any) -> bool:
    """Whether two constants have the same bytes."""
    return a is b or (a.dtype == b.dtype and np.asarray(a).tobytes() == np.asarray(b).tobytes())


MOST_OPS = 256
"""Specialisations kept of one call."""


def trace(call: Call, ins: tuple[Aval, ...], context: Context) -> Op:
    """Trace the call for these inputs."""
    if call.dtypes is None and is_affected(context, ins):
        return traced_narrow(call, ins, context)
    if call.dtypes is None and not call.reduces:
        check_precisions(ins)
    flat = call.on_device(ins)
    op = traced(call, ins, context, flat, lambda held: dtypes_said(call, ins, held))
    if flat is not call.flat:
        check_defined(op.jaxpr.jaxpr)
    return op


def traced_narrow(call: Call, ins: tuple[Aval, ...], context: Context) -> Op:
    """Trace the call where storage is narrow."""
    holds, numbers = context.holds, [spec(number_aval(kind)) for kind in call.numbers]
    said = narrow.dtypes_said(call.flat, ins, numbers)

    def says(held: list[Any]) -> list[Any]:
        return said if said is not None and len(said) == len(held) else [narrow.unheld(h, holds, ins) for h in held]

    if holds:
        with suppress(*NOT_DEFINED):
            op = traced(call, ins, context, narrow.in_narrow(call.flat, ins, holds, said), says)
            check_defined(op.jaxpr.jaxpr)
            return op
    return traced(call, ins, context, narrow.in_full(call.flat, ins, holds, said), says)


NOT_DEFINED = (TypeError, ValueError, NotImplementedError)
"""What JAX raises where a function is not defined for dtypes: it is computed in full then."""


def traced(call: Call, ins: tuple[Aval, ...], context: Context, flat: Callable[..., Any], says: Callable[[list[Any]], list[Any]]) -> Op:
    """Trace the call for these inputs.

    Args:
        call: The call.
        ins: Its inputs.
        context: The configuration.
        flat: What to trace: the call's function as it runs on what the device holds.
        says: From the dtypes in which the results are held to those that they say.
    """
    op = Op()
    found: list[tuple[Tree, tuple[tuple[int, Any], ...]]] = []

    def arrays_only(*xs: Any) -> list[Any]:
        leaves, tree = tree_flatten(flat(*xs))
        found.append((tree, tuple((i, x) for i, x in enumerate(leaves) if not is_array(x))))
        return [x for x in leaves if is_array(x)]

    numbers = [spec(number_aval(kind)) for kind in call.numbers]
    op.jaxpr = jax.make_jaxpr(arrays_only)(*map(spec, ins), *numbers)
    tree, op.fixed = found[-1]
    if any(holds_tracer(x) for _, x in op.fixed):
        raise TypeError("A result holds a tracer where it should hold a concrete value")
    op.tree = LEAF if tree == LEAF else tree
    op.call, op.flat, op.ins, op.context, op.rules = call, flat, ins, context, {}
    held = op.jaxpr.out_avals
    op.outs = tuple(map(aval_of_array, held, says([a.dtype for a in held])))
    op.key = (call.key, ins)
    op.has_effects, op.devices = bool(op.jaxpr.effects), devices_named(op.jaxpr.jaxpr)
    op.is_special = op.has_effects or op.devices is not None
    op.is_simple = op.tree is LEAF and not op.fixed and not op.is_special
    return op


def dtypes_said(call: Call, ins: Sequence[Aval], held: list[Any]) -> list[Any]:
    """What each result of a call says that it is.

    Results that are held in reduced precision say what they would be if nothing were; so a conversion to bfloat16 is one. To know that, the function is traced
    once more.

    Args:
        call: The call.
        ins: Its inputs.
        held: The dtypes of its results on the device.
    """
    if call.dtypes is not None:
        return [h if d is None else d for h, d in zip(held, call.dtypes, strict=True)]
    if REDUCED not in held or not is_reduced(call, ins):
        return held
    numbers = [spec(number_aval(kind)) for kind in call.numbers]
    said: list[Any] = []
    # a function may take what the device holds and nothing else; a shape or a value that it wants to know it has known before
    with suppress(Exception):
        said = [a.dtype for a in jax.make_jaxpr(lambda *xs: list(filter(is_array, tree_leaves(call.flat(*xs)))))(*map(spec_as_said, ins), *numbers).out_avals]
    if len(said) != len(held):
        said = [common_dtype(ins)] * len(held)
    return list(map(as_said, held, said))


def common_dtype(ins: Sequence[Aval]) -> Any:
    """What results of these inputs say, as far as they are reduced."""
    return jax.numpy.result_type(*[a.dtype for a in ins if a.is_reduced or is_full(a)])
