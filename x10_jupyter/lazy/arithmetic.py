"""Python's operators of tensors: with the meaning that JAX's arrays give them."""

import operator as python
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from x10_jupyter.base.errors import OperandError
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.lazy import operators
from x10_jupyter.lazy.autodiff import apply
from x10_jupyter.lazy.avals import INT32
from x10_jupyter.lazy.explain import raise_explained
from x10_jupyter.lazy.lift import Lazy, refuse_leaked
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.read import for_jax
from x10_jupyter.lazy.tensor import Tensor

OTHERS = (bool, int, float, complex, np.generic, np.ndarray, jax.Array)
"""What an operator takes besides a tensor; the rest is not ours."""
REFUSED = (list, tuple, set, dict)
"""What an operator refuses, as JAX's arrays do."""
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UNARY = ("neg", "pos", "abs", "invert")


def install_operator(name: str, fn: Callable[[Any, Any], Any], *, is_reversed: bool = False) -> None:
    """Give tensors a binary operator."""

    def reflected(a: Any, b: Any) -> Any:
        return fn(b, a)

    meaning = reflected if is_reversed else fn
    plain = name.rstrip("_")
    kinds: tuple[type, ...] = (Tensor, float) if name == "pow" and not is_reversed else (Tensor, float, int)
    calls = {
        kind: Call(
            plain,
            meaning,
            key=("operator", plain, kind, is_reversed),
            numbers=() if kind is Tensor else (kind,),
            base=("operator", plain, is_reversed),
            is_operator=True,
        )
        for kind in kinds
    }
    anything = Lazy(meaning, name=plain, follows_values=True, family=("operator", plain, is_reversed))

    def general(self: Tensor, other: Any) -> Any:
        try:
            kind = other.__class__
            call = calls.get(kind)
            if call is None or (kind is int and other not in INT32):
                if not isinstance(other, OTHERS):
                    return left_to(other, plain, self)
                if is_tracer(other):
                    refuse_leaked(plain, other)
                    return meaning(for_jax(self, "jax"), other)
                return anything(self, other)
            given = ((self, other), ()) if kind is Tensor else ((self,), (other,))
            trace = LOCAL.trace
            try:
                call = trace.in_precision(call)
                return apply(trace, call, *given)
            except Exception as error:  # noqa: BLE001 - it is raised again
                raise_explained(error, call, given[0])
        except Exception as error:
            without_ours(error)
            raise

    method = operators.operator({} if fn is divmod else calls, general, LOCAL)  # the short way makes one tensor
    dunder = f"__{'r' * is_reversed}{plain}__"
    method.__name__, method.__qualname__ = dunder, f"Tensor.{dunder}"
    setattr(Tensor, dunder, method)


def left_to(other: object, operator: str, t: Tensor) -> Any:
    """What an operator returns so that Python asks the other operand.

    Raises:
        OperandError: The other would do something else, as a list would repeat itself.
    """
    if isinstance(other, REFUSED):
        raise OperandError(
            f"`{operator}` is not defined for a tensor and a {type(other).__name__}", got=repr(t.aval), fix="Make a tensor of it with x10.tensor."
        )
    return NotImplemented


def install() -> None:
    """Give tensors Python's operators, with the meaning that JAX's arrays give them."""
    for name in BINARY:
        fn = getattr(python, name)
        install_operator(name, fn)
        install_operator(name, fn, is_reversed=True)
    for name in COMPARISONS:
        install_operator(name, getattr(python, name))
    for is_reversed in (False, True):
        install_operator("divmod", divmod, is_reversed=is_reversed)
    for name in UNARY:
        setattr(Tensor, f"__{name}__", method_of(Lazy(getattr(python, name), name=name)))
    setattr(Tensor, "__round__", method_of(Lazy(lambda x, *digits: round(x, *digits), name="round")))  # noqa: B010 - unknown to type checkers


def method_of(lazy: Lazy) -> Callable[..., Any]:
    """A method that records a lazy function of the tensor."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        try:
            return lazy(self, *args, **kwargs)
        except Exception as error:
            without_ours(error)
            raise

    method.__name__ = lazy.__name__
    method.__doc__ = lazy.__doc__
    return method


install()
