"""Indexing and functional updates."""

import inspect
import operator
from contextlib import suppress
from typing import Any, SupportsIndex, cast

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.base.hiding import without_ours
from x10_jupyter.lazy.avals import Aval
from x10_jupyter.lazy.lift import Lazy
from x10_jupyter.lazy.value import Value


def indices(index: Any, aval: Aval) -> Any:
    """An index that can be traced: bounds of slices are whole numbers, and NumPy's masks, whose values are known, are positions.

    Args:
        index: What stands in the brackets.
        aval: What is indexed.

    Raises:
        IndexError: A mask has another shape than what it is to choose from.
    """
    parts = index if isinstance(index, tuple) else (index,)
    found: list[Any] = []
    for part in parts:
        if is_mask(part):
            found.extend(np.nonzero(part))
        elif isinstance(part, slice):
            found.append(slice(*[operator.index(cast(SupportsIndex, p)) if isinstance(p, Value) else p for p in (part.start, part.stop, part.step)]))
        else:
            found.append(part)
    if any(map(is_mask, parts)):  # JAX says what is wrong with one
        known = tuple([np.zeros(part.aval.shape, part.aval.dtype) if isinstance(part, Value) else part for part in parts])
        jax.eval_shape(lambda x: x[known], jax.ShapeDtypeStruct(aval.shape, aval.dtype))
    return tuple(found) if isinstance(index, tuple) or len(found) != 1 else found[0]


def is_mask(part: Any) -> bool:
    """Whether part of an index is a mask of NumPy's."""
    return isinstance(part, np.ndarray) and part.dtype == bool and part.ndim > 0


item_of = Lazy(lambda x, index: x[index], name="getitem", is_operator=True)


class At:
    """``t.at``: takes an index."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __getitem__(self, index: Any) -> "Place":
        try:
            return Place(self._tensor, indices(index, self._tensor.aval))
        except Exception as error:
            without_ours(error)
            raise


class Place:
    """``t.at[i]``: has JAX's updates (``set``, ``add``, ``multiply``, ``min``, ``max``, ``apply``, …), each of which returns a new tensor."""

    __slots__ = ("_index", "_tensor")

    def __init__(self, tensor: Any, index: Any) -> None:
        self._tensor, self._index = tensor, index

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        update = UPDATES.get(name)
        if update is None:
            update = UPDATES[name] = update_called(name)

        def method(*args: Any, **kwargs: Any) -> Any:
            try:
                return update(self._tensor, self._index, *args, **kwargs)
            except Exception as error:
                without_ours(error)
                raise

        return method


UPDATES: dict[str, Lazy] = {}


def update_called(name: str) -> Lazy:
    """JAX's update of this name; an AttributeError if it has none."""
    original = getattr(jnp.zeros(1).at[0], name)

    def update(x: Any, index: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x.at[index], name)(*args, **kwargs)

    with suppress(TypeError, ValueError):  # so that a cause says what JAX calls the arguments
        first = list(inspect.signature(update).parameters.values())[:2]
        update.__signature__ = inspect.Signature([*first, *inspect.signature(original).parameters.values()])
    return Lazy(update, name=f"at.{name}", is_operator=True)
