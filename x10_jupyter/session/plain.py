"""Runs plain ``jax.numpy`` code on lazy tensors: JAX's names stand for ours meanwhile, and arrays are left behind."""

import types
from collections.abc import Container, MutableMapping
from types import TracebackType
from typing import Any

import jax
import numpy as np

from x10_jupyter.base.errors import LostValueError
from x10_jupyter.lazy import ending
from x10_jupyter.lazy.api import Tensor
from x10_jupyter.session.substitutes import substitute

END = "the end of the cell"
SHOWN = "showing the last value"

SIMPLE = (bool, int, float, complex, str, bytes, type(None), np.ndarray, jax.Array)
"""What holds no tensor; a list may have a million of them."""

Known = dict[int, tuple[Any, Any]]
"""By identity what was looked at, and what it became."""


class Plain:
    """A block in which the names of a namespace that are JAX's are ours.

    Whoever finds a name in the namespace is reached: the block, and functions that were defined there before. What an imported module of the user's finds
    in its own is not, nor what was kept elsewhere; that gets tensors where it expects arrays, which JAX takes.
    """

    def __init__(self, names: MutableMapping[str, Any], hidden: Container[str] = ()) -> None:
        """Prepare.

        Args:
            names: The namespace.
            hidden: Names in it that are the shell's own, such as ``_`` and ``_12``. They hold what was shown, as `shown` gives it; and if one of them is bound
                anew, IPython takes it for the user's, and binds it no more.
        """
        self.names = names
        self.hidden = hidden
        self.replaced: dict[str, tuple[object, object]] = {}
        """What a name stood for, and what it stands for now."""
        self.made: Known = {}
        """What was made anew for what was shown, so that it is the same where a variable holds it."""

    def __enter__(self) -> "Plain":
        self.replaced, self.made = {}, {}
        self.replace()
        return self

    def replace(self) -> None:
        """Replace what is JAX's; once more after an import."""
        for name, value in list(self.names.items()):
            if not name.startswith("_"):
                stand = substitute(value)
                if stand is not None:
                    self.replaced[name] = value, stand
                    self.names[name] = stand

    def compute(self, *, is_failing: bool) -> None:
        """Compute what is pending: the end of the block's own work.

        Args:
            is_failing: Whether the block raised, so that the user is told of that.

        Raises:
            LostValueError: It cannot be computed; in place of the operation that had failed without laziness.
        """
        try:
            ending.end(END)
        except LostValueError:
            if not is_failing:
                raise

    def shown(self, value: Any) -> Any:  # noqa: ANN401 - whatever the block's last value is
        """What the block shows and leaves behind, with arrays in place of tensors; what is pending is computed only if there are some.

        Args:
            value: It.

        Raises:
            LostValueError: It cannot be computed.
        """
        if not holds_tensors(value):
            return value
        ending.end(SHOWN)
        known = dict(self.made)
        shown = as_arrays(value, known)
        self.made = {key: (old, new) for key, (old, new) in known.items() if new is not old}  # the others may change until the end
        return shown

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for name, (value, stand) in self.replaced.items():
            if self.names.get(name) is stand:  # else the block has put something else there
                self.names[name] = value
        known, self.made = self.made, {}
        for name, value in list(self.names.items()):
            if not name.startswith("_") or name not in self.hidden:
                held = as_arrays(value, known)
                if held is not value:
                    self.names[name] = held


def holds_tensors(value: Any) -> bool:  # noqa: ANN401 - the user's
    """Whether a value is a tensor or a pytree of some, or may hold some as an object of the user's."""
    if isinstance(value, SIMPLE):
        return False
    try:
        leaves = jax.tree.leaves(value)
    except Exception:  # noqa: BLE001 - code of the user's
        return True
    return any(isinstance(leaf, Tensor) or type(leaf).__module__ == "__main__" for leaf in leaves)


def as_arrays(value: Any, known: Known) -> Any:  # noqa: ANN401 - the user's
    """A value with arrays in place of tensors: lists, dictionaries and objects of the user's stay the same objects, other pytrees are made anew.

    Args:
        value: It.
        known: What has been looked at, by identity, so that one tensor becomes one array.
    """
    if isinstance(value, SIMPLE):
        return value
    if id(value) in known:
        return known[id(value)][1]
    known[id(value)] = value, value  # held, so that nobody else gets its identity
    array = ending.array_of(value)
    if array is not None:
        made = array
    elif type(value) is list:
        value[:] = [as_arrays(each, known) for each in value]
        made = value
    elif type(value) is dict:
        value.update({key: as_arrays(each, known) for key, each in value.items()})
        made = value
    else:
        made = as_tree(value, known)
    known[id(value)] = value, made
    return made


def as_tree(value: Any, known: Known) -> Any:  # noqa: ANN401
    """The same of another pytree, or of an object's attributes."""
    if isinstance(value, type | types.ModuleType | types.FunctionType):
        return value
    try:
        children, tree = jax.tree.flatten(value, is_leaf=lambda part: part is not value)
        if jax.tree_util.treedef_is_leaf(tree):
            held = vars(value) if type(value).__module__ == "__main__" else {}
            for name, each in list(held.items()):
                made = as_arrays(each, known)
                if made is not each:
                    held[name] = made  # so that no code of the user's runs, and frozen ones can have it, too
            return value
        made = [as_arrays(each, known) for each in children]
        return value if all(new is old for new, old in zip(made, children, strict=True)) else jax.tree.unflatten(tree, made)
    except Exception:  # noqa: BLE001 - code of the user's, which tensors need not suit; they work as arrays do
        return value
