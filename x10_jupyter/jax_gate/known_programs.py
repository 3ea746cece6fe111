"""What JAX knows of functions that it traced when nobody listened, and whether it has forgotten everything since."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from x10_jupyter.jax_gate.private import Private, private

FIX = "Without it the cause of a compile is not known if the function was compiled before anybody listened."


@dataclass(frozen=True, slots=True)
class Traced:
    """One way in which JAX has traced a function."""

    fun: Private
    args: tuple[Private, ...]
    """The positional arguments; each array is its aval."""

    kwargs: dict[str, Private]
    context: tuple[Hashable, ...]
    """What ``trace_context()`` was."""


def traced(is_meant: Callable[[Private], bool]) -> Iterator[Traced]:
    """The ways in which JAX has traced some functions, the oldest first.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: none.

    Args:
        is_meant: Whether a function is one of them; all that are still alive are asked for.
    """
    try:
        keys: list[Any] = private("jax._src.interpreters.partial_eval", "trace_to_jaxpr", fix=FIX).cache_keys()
    except (ImportError, AttributeError):
        return
    for ref, context, (tree, *_), *_ in keys:
        fun = ref()
        if fun is not None and is_meant(fun):
            args, kwargs = tree.unflatten()
            yield Traced(fun, tuple(args), dict(kwargs), context)


def lowered(source: str) -> list[Private] | None:
    """The jaxprs that JAX has lowered of a function, so that it was compiled itself and not only as a part of others.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: None.

    Args:
        source: What JAX calls it: ``step at train.py:12``.
    """
    try:
        keys: list[Any] = private("jax._src.interpreters.pxla", "_cached_lowering_to_hlo", fix=FIX).cache_keys()
        programs = [program for ref, *_ in keys if (program := ref()) is not None]
        return [program for program in programs if program.jaxpr.debug_info.func_src_info == source]
    except (ImportError, AttributeError, TypeError, ValueError):
        return None


def times_traced() -> int:
    """How often JAX has traced a function in this process since it last forgot everything: equal if it has traced none meanwhile.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: -1.
    """
    try:
        return int(private("jax._src.interpreters.partial_eval", "trace_to_jaxpr", fix=FIX).cache_info().misses)
    except (ImportError, AttributeError):
        return -1


def programs_gone() -> int:
    """How many programs JAX has lowered since it last forgot everything that are no longer there, as nobody holds the functions that they were made of.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: -1.
    """
    try:
        info = private("jax._src.interpreters.pxla", "_cached_lowering_to_hlo", fix=FIX).cache_info()
        return int(info.misses - info.currsize)
    except (ImportError, AttributeError):
        return -1


def has_forgotten() -> bool:
    """Whether JAX has lowered something in this process and knows of nothing that it has traced or lowered: then it has forgotten everything.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: no.
    """
    try:
        lowered_now = private("jax._src.interpreters.pxla", "_cached_lowering_to_hlo", fix=FIX).cache_info().misses
        looked_at = private("jax._src.source_info_util", "is_user_filename", fix=FIX).cache_info().misses  # looked at to lower; is never forgotten
        return bool(looked_at) and not lowered_now and not times_traced()
    except (ImportError, AttributeError):
        return False


class Forgetting:
    """Counts how often JAX has forgotten everything, as by ``jax.clear_caches()``.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: it never has.
    """

    def __init__(self) -> None:
        """Put something into JAX's caches of which it can be seen whether it is still there."""
        self.times = 0
        try:
            cache = private("jax._src.util", "cache", fix=FIX)
            self._canary: Private = cache(max_size=1)(canary)
            self._canary(0)
        except (ImportError, TypeError):
            self._canary = None

    def look(self) -> int:
        """How often, up to now; several times without a look between count once."""
        if self._canary is not None and not self._canary.cache_info().currsize:
            self.times += 1
            self._canary(0)
        return self.times


def canary(value: int) -> int:
    """What is put into the cache."""
    return value
