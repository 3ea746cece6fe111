"""What stands in for JAX's own names while plain code runs on lazy tensors."""

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax

from x10_jupyter import fft, lax, linalg, nn, numpy, random
from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.lazy.api import Tensor, grad, value_and_grad

NAMESPACES: tuple[tuple[types.ModuleType, types.ModuleType], ...] = (
    (jax.numpy, numpy),
    (jax.nn, nn),
    (jax.lax, lax),
    (jax.random, random),
    (jax.numpy.linalg, linalg),
    (jax.numpy.fft, fft),
)
"""JAX's and ours. What several of JAX's have is that of the first."""

TRANSFORMS: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = ((jax.grad, grad), (jax.value_and_grad, value_and_grad))
"""Those that run the function they are given; what compiles or maps it stays JAX's."""


class ArrayKind(type(jax.Array)):
    """Makes a tensor an instance of what it stands for."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, (jax.Array, Tensor))


class Array(metaclass=ArrayKind):
    """Stands for ``jax.Array`` where something is asked whether it is one."""


class Stand:
    """Stands for a module of JAX: has what it has, some of it replaced."""

    def __init__(self, module: types.ModuleType, ours: object, replaced: dict[str, Any]) -> None:
        """Prepare.

        Args:
            module: JAX's.
            ours: What is asked first for what is not replaced.
            replaced: What is.
        """
        self.__dict__.update(replaced)
        self.__name__, self.__doc__ = module.__name__, module.__doc__
        self._module, self._ours = module, ours

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever it is
        try:
            return getattr(self._ours, name)
        except AttributeError:
            return getattr(self._module, name)

    def __dir__(self) -> list[str]:
        return dir(self._module)


def transform(theirs: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """A gradient that is recorded; by JAX where the function cannot be recorded.

    Args:
        theirs: JAX's.
        ours: The runtime's, which knows fewer options.
    """

    @functools.wraps(theirs)
    def made(fun: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, **options: Any) -> Any:  # noqa: ANN401, FBT001, FBT002 - as JAX has it
        by_jax = theirs(fun, argnums, has_aux, **options)
        if options:
            return by_jax
        recorded, refused = ours(fun, argnums, has_aux=has_aux), False

        @functools.wraps(by_jax)
        def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            nonlocal refused
            try:
                if not refused:
                    try:
                        return recorded(*args, **kwargs)
                    except UsageError:  # it gives tensors to something of JAX's, such as a jitted function, or has arguments of other kinds
                        refused = True
                return by_jax(*args, **kwargs)
            except BaseException as error:
                without_ours(error)
                raise

        return call

    return made


@functools.cache
def stands() -> dict[int, tuple[object, object]]:
    """What is replaced and by what, by the identity of the first; made when first needed."""
    transforms = {theirs.__name__: transform(theirs, ours) for theirs, ours in TRANSFORMS}
    found: dict[int, tuple[object, object]] = {}
    by_module: dict[str, Stand] = {}
    for module, ours in reversed(NAMESPACES):
        inside = {name.rpartition(".")[2]: stand for name, stand in by_module.items() if name.startswith(f"{module.__name__}.")}
        by_module[module.__name__] = stand = Stand(module, ours, {**inside, **({"ndarray": Array} if module is jax.numpy else {})})
        found[id(module)] = module, stand
    children = {name.removeprefix("jax."): stand for name, stand in by_module.items() if name.count(".") == 1}
    found[id(jax)] = jax, Stand(jax, jax, {**children, **transforms, "Array": Array})
    found[id(jax.Array)] = jax.Array, Array
    for theirs, _ in TRANSFORMS:
        found[id(theirs)] = theirs, transforms[theirs.__name__]
    return found


def substitute(value: Any) -> object | None:  # noqa: ANN401 - whatever a name stands for
    """What stands in for something of JAX's; None if nothing does.

    Args:
        value: A module, or a function of one.
    """
    known = stands().get(id(value))
    if known is not None:
        return known[1]
    try:
        name, module = value.__name__, value.__module__
    except Exception:  # noqa: BLE001 - an object of the user's
        return None
    is_theirs = isinstance(name, str) and isinstance(module, str) and module.partition(".")[0] == "jax"
    return next(members(value, name), None) if is_theirs and callable(value) and not isinstance(value, type) else None


def members(value: object, name: str) -> Iterator[object]:
    """Ours, for a function that one of JAX's namespaces has under its name."""
    for module, ours in NAMESPACES:
        if getattr(module, name, None) is value:
            yield getattr(ours, name)
