"""Random programs give what `jax.numpy` gives, whatever is read when."""

import warnings
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import x10_jupyter as x10
from property import programs
from property.programs import CONTEXTS, DTYPES, INDEXING, METHODS, NAMESPACES, NUMBERS, OPERATORS, SCALARS, SHAPES, SHAPING, Function
from property.sameness import difference, outcome, read_all, refusal_difference
from x10_jupyter.base.errors import LostValueError
from x10_jupyter.lazy.tensor import Tensor

OURS = {name: getattr(x10, name) for name in NAMESPACES}
POOL = [programs.functions(), OPERATORS, OPERATORS, METHODS, SHAPING, INDEXING]


@dataclass
class Step:
    """One call of a program: what was called under which settings, with what, and what came of it."""

    function: Function
    context: str
    arguments: list[Any]
    result: Any = None

    @property
    def is_as_under_jit(self) -> bool:
        """Whether eager JAX looks at a value where a trace and `jax.jit` do not.

        It does at an exponent that is one whole number on the device, and at a complex number that it fills an array of other numbers with.
        """
        tensors = [a for a in self.arguments if isinstance(a, Tensor | np.ndarray | jax.Array)]
        if "full_like" in self.function.name:
            return any(isinstance(a, complex | np.complexfloating) for a in self.arguments)
        return "pow" in self.function.name and any(a.ndim == 0 and jnp.issubdtype(a.dtype, jnp.integer) for a in tensors)


class Machine:
    """Runs a program lazily; then checks each of its calls with JAX, on the values that the call was given."""

    def __init__(self, values: list[Any]) -> None:
        self.first = tuple(values)
        self.values = values
        self.steps: list[Step] = []

    def run(self, step: Step) -> None:
        """Record a call; what JAX refuses must be refused now, or when the result is read."""
        with CONTEXTS[step.context]():
            result, refusal = outcome(step.function.call, OURS, *step.arguments)
            step.result = refusal or result
        if not step.is_as_under_jit:
            self.steps.append(step)
            self.values += [x for x in jax.tree.leaves(result) if isinstance(x, Tensor) and x.size <= 64]

    def check(self) -> None:
        """Compare every call with JAX's."""
        for i, step in enumerate(self.steps):
            given, unread = outcome(lambda step=step: [a.data if isinstance(a, Tensor) else a for a in step.arguments])
            if unread is not None:  # made by a call that was refused
                assert isinstance(unread, LostValueError)
                continue
            with CONTEXTS[step.context]():
                expected, refusal = outcome(step.function.call, NAMESPACES, *given)
            ours = step.result if isinstance(step.result, Exception) else outcome(read_all, step.result)[1]
            found = refusal_difference(ours, refusal) or (not refusal and difference(step.result, expected, exact=False))
            if found and not refusal and ours is None:
                fused, unjitted = outcome(self.fused, i)
                found = found if unjitted else difference(step.result, fused, exact=False)
            assert not found, f"{step.function.name} under {step.context!r} of {given}: {found}"

    def fused(self, last: int) -> Any:
        """What JAX makes of the program as a whole: XLA turns a logarithm of a power into a product, and the like."""

        def whole(*arrays: Any) -> Any:
            known = {id(t): x for t, x in zip(self.first, arrays, strict=True)}
            result = None
            for step in self.steps[: last + 1]:
                if not isinstance(step.result, Exception):
                    with CONTEXTS[step.context]():
                        result = step.function.call(NAMESPACES, *[known.get(id(a), a) for a in step.arguments])
                    known |= {id(t): x for t, x in zip(jax.tree.leaves(step.result), jax.tree.leaves(result), strict=True) if isinstance(t, Tensor)}
            return result

        return jax.jit(whole)(*[t.data for t in self.first])


def first_values(rng: Random) -> list[Any]:
    """A few tensors to begin with, one of them of weak type."""
    kinds = [(rng.randrange(len(DTYPES)), rng.randrange(len(SHAPES))) for _ in range(rng.randint(2, 3))]
    return [x10.tensor(programs.start(*kind)) for kind in kinds] + [x10.numpy.asarray(1.5)]


def argument(rng: Random, values: list[Any]) -> Any:
    """A tensor, or now and then a number, a NumPy scalar, a NumPy array or a JAX array."""
    kind = rng.randrange(10)
    if kind == 0:
        return rng.choice(NUMBERS)
    if kind == 1:
        return rng.choice(SCALARS)
    if kind <= 3:
        data = programs.start(rng.randrange(len(DTYPES)), rng.randrange(len(SHAPES)))
        return data if kind == 2 else np.asarray(data)
    return rng.choice(values)


def disturb(rng: Random, values: list[Any]) -> None:
    """Read something, cut, let go of something: none of that changes a value."""
    what = rng.randrange(8)
    if what == 0:
        x10.barrier()
    elif what == 1:
        read_all(rng.choice(values))
    elif what == 2 and len(values) > 3:
        values.pop(rng.randrange(len(values)))
    elif what == 3:
        repr(values[-1])


def random_program(rng: Random) -> None:
    """Run a random program and check it; then once more, since operations on a known path are recorded another way."""
    seed = rng.randrange(1 << 30)
    for _ in range(2):
        run_program(Random(seed))


def run_program(rng: Random) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = Machine(first_values(rng))
        context = ""
        for _ in range(rng.randint(1, 8)):
            function = rng.choice(rng.choice(POOL))
            arguments = [rng.choice(machine.values), *[argument(rng, machine.values) for _ in range(function.arity - 1)]]
            context = rng.choice(list(CONTEXTS)) if rng.randrange(4) == 0 else context
            machine.run(Step(function, context, arguments))
            with suppress(LostValueError):  # of a call that only its compilation refused
                disturb(rng, machine.values)
        machine.check()


@given(rng=st.randoms(use_true_random=False))
def test_any_program_is_what_jax_computes(rng: Random):
    random_program(rng)
