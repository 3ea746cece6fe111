"""A function with all that programs have inside: a loop, a condition, a function of JAX's own, name scopes; and the program that JAX made of it."""

import inspect
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.base.clock import MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.observe.programs import Made, Programs
from x10_jupyter.observe.staging import Staging
from x10_jupyter.records.sink import ListSink

W, X = np.ones((8, 8), np.float32), np.ones((4, 8), np.float32)


def step(w: Any, x: Any) -> Any:
    def body(carry: Any, _: None) -> Any:
        with jax.named_scope("loss"):
            product = carry @ w
            return jnp.tanh(product), jnp.sum(carry)

    last, sums = jax.lax.scan(body, x, None, length=3)
    return jax.lax.cond(sums[0] > 0, lambda a: a + 1, lambda a: a * 2, last), jax.nn.relu(sums)


def line(text: str) -> int:
    """The line of this file at which the function says something."""
    lines, first = inspect.getsourcelines(step)
    return first + next(place for place, each in enumerate(lines) if text in each)


@dataclass
class Compiled:
    """A program, and who knows of it."""

    function: Any
    staging: Staging
    name: str

    def again(self, *arguments: Any) -> None:
        """Call the function while somebody listens."""
        self.staging.events.add(sink := ListSink())
        try:
            self.function(*arguments)
        finally:
            self.staging.events.remove(sink)

    @property
    def programs(self) -> Programs:
        return self.staging.programs

    @property
    def made(self) -> Made:
        found = self.programs.get(self.name)
        assert found is not None
        return found


def compiled(function: Any = step, *arguments: Any) -> Compiled:
    """Compile a function anew, while somebody listens; that of this file if none is given."""
    anew = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__)  # else JAX knows it
    found = Compiled(jax.jit(anew), Staging(MonotonicClock(), ThreadCpuClock(), QueueClock()), f"jit({function.__name__})")
    found.again(*(arguments or (W, X)))
    return found


def two_that_call_relu() -> tuple[Compiled, Compiled, int]:
    """Two functions that call one of JAX's own, which is traced and lowered for the first of them alone; and the first line of the second."""

    def first(x: Any) -> Any:
        return jax.nn.relu(x) + 1

    def second(x: Any) -> Any:
        y = x * 3
        return jax.nn.relu(y)

    jax.clear_caches()
    data = np.ones(5, np.float32)
    return compiled(first, data), compiled(second, data), second.__code__.co_firstlineno
