"""Functions of JAX's that take ``device``: a name will do, and the result is there, whatever program is under way."""

import inspect
from collections.abc import Callable
from typing import Any

import jax

from x10_jupyter.base.errors import OperandError, gist
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.tracing import trace_state_clean
from x10_jupyter.lazy.device import device_of
from x10_jupyter.lazy.lift import Lazy, as_tensors
from x10_jupyter.lazy.transfer import moved
from x10_jupyter.lazy.value import Value


class Placing(Lazy):
    """Such a function. A program is in one place, so what is to be elsewhere is made at once, or computed first and then moved."""

    def __call__(self, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        """Call it.

        Raises:
            UsageError: There is no such device, or a tensor cannot be spread in this way.
            OperandError: The function refuses its arguments.
        """
        try:
            where = device_of(device)
            if where is None:
                return super().__call__(*args, **kwargs)
            if any(isinstance(x, Value) for x in jax.tree.leaves((args, kwargs))):
                made = super().__call__(*args, **kwargs)
                return moved(made, where, f"{self.__name__}(device=)") if isinstance(made, Value) else made
            if not trace_state_clean():
                return self.__wrapped__(*args, device=where, **kwargs)
            return self._made_at(where, device, args, kwargs)
        except Exception as error:
            without_ours(error)
            raise

    def _made_at(self, where: Any, device: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What is made at once, where it is to be."""
        try:
            return as_tensors(self.__wrapped__(*args, device=where, **kwargs))
        except (ValueError, TypeError) as error:
            without_ours(error)
            raise OperandError(f"`{self.__name__}` refuses these arguments: {gist(error).rstrip('.')}", got=f"device={device}") from error


def takes_device(function: Any) -> bool:
    """Whether a function has an argument for where its result is to be."""
    try:
        return "device" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # it does not tell
        return False


def recording(function: Callable[..., Any], name: str, *, like: Any = None) -> Lazy:
    """A function of JAX's that records itself.

    Args:
        function: The function.
        name: Its name.
        like: What tells its arguments; the function itself when None.
    """
    kind = Placing if takes_device(function if like is None else like) else Lazy
    return kind(function, name=name, follows_values=True)
