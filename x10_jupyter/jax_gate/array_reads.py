"""The functions in which Python waits for an array of JAX: replaced while somebody listens, and put back as they were."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial, wraps
from itertools import filterfalse
from operator import methodcaller
from typing import Protocol

import jax

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.back_end import live_arrays
from x10_jupyter.jax_gate.private import Private, private

FIX = "Reads of JAX's own arrays are not told; upgrade x10_jupyter."


class Around(Protocol):
    """Is called in place of a function that waits."""

    def __call__(self, name: str, arrays: Sequence[jax.Array], wait: Callable[[], object], call: Callable[[], Private]) -> Private:
        """Call the function, once, and come back with its result, or with its error.

        Args:
            name: What the function is called.
            arrays: What it waits for.
            wait: Waits for them, and brings nothing to the host.
            call: The function.
        """
        ...


class ArrayReads:
    """They are ``_value``, ``item`` and ``block_until_ready`` of an array, and what ``jax.block_until_ready`` calls for several.

    Through the first go ``float``, ``int``, ``bool``, ``if``, ``format``, ``print``, ``.tolist()`` and ``jax.device_get``. What goes through C's buffer
    protocol, as NumPy's functions do where the device is the host, does not. Tried on jax 0.10.2 and 0.12.0.1. One is gone: UnsupportedJaxError.
    """

    def __init__(self) -> None:
        """Find them all, so that nothing is changed if one is missing."""
        self.cls: Private = private("jax._src.array", "ArrayImpl", fix=FIX)
        self.client: Private = private("jax._src.lib", "xla_client", fix=FIX)
        for name in ("_value.fget", "item", "block_until_ready", "is_ready", "is_deleted"):
            private("jax._src.array", f"ArrayImpl.{name}", fix=FIX)
        self.of_several: Private = private("jax._src.lib", "xla_client.batched_block_until_ready", fix=FIX)
        # What the class itself holds, so that the very same object is put back.
        self.value, self.item, self.block = [vars(self.cls)[name] for name in ("_value", "item", "block_until_ready")]

    def replace(self, around: Around) -> None:  # noqa: C901 - a function of two lines for each of JAX's
        """Have them go through ``around``. Of what goes wrong the user sees the line that reads, and no frame of ours."""
        value, item, block, of_several = self.value.fget, self.item, self.block, self.of_several

        @wraps(value)
        def value_of(self: Private) -> Private:
            try:
                return around("_value", (self,), partial(block, self), partial(value, self))
            except BaseException as error:
                without_ours(error, is_never_ours=True)
                raise

        @wraps(item)
        def item_of(self: Private, *args: Private, **kwargs: Private) -> Private:
            try:
                return around("item", (self,), partial(block, self), partial(item, self, *args, **kwargs))
            except BaseException as error:
                without_ours(error, is_never_ours=True)
                raise

        @wraps(block, assigned=("__name__", "__doc__"))  # its other names are no text
        def block_until_ready(self: Private) -> Private:
            wait = partial(block, self)
            try:
                return around("block_until_ready", (self,), wait, wait)
            except BaseException as error:
                without_ours(error, is_never_ours=True)
                raise

        @wraps(of_several, assigned=("__name__", "__doc__"))
        def batched_block_until_ready(arrays: Private) -> Private:
            wait = partial(of_several, arrays)
            try:
                return around("block_until_ready", arrays, wait, wait)
            except BaseException as error:
                without_ours(error, is_never_ours=True)
                raise

        self.cls._value = property(value_of)  # noqa: SLF001 - JAX's, as all in this folder
        self.cls.item = item_of
        self.cls.block_until_ready = block_until_ready
        self.client.batched_block_until_ready = batched_block_until_ready

    def restore(self) -> None:
        """Give JAX its own functions back."""
        self.cls._value = self.value  # noqa: SLF001
        self.cls.item, self.cls.block_until_ready = self.item, self.block
        self.client.batched_block_until_ready = self.of_several


IS_READY, IS_DELETED = methodcaller("is_ready"), methodcaller("is_deleted")


def are_ready(arrays: Iterable[jax.Array]) -> bool:
    """Whether the device has computed some arrays, but for those that are deleted, which nobody can wait for.

    On jax 0.10.2 a deleted array that is asked whether it is ready ends the process. So both are asked without a step of Python between, after which
    another thread could run, and delete it.
    """
    return all(map(IS_READY, filterfalse(IS_DELETED, arrays)))


def wait_for_all(clock: Clock) -> int | None:
    """Wait for what JAX has launched, as far as somebody holds its results. What was let go before it was computed nobody can wait for.

    Args:
        clock: Tells when something is there.

    Returns:
        When the last array that was not there yet was, in nanoseconds; None if all were. To look at thousands of arrays takes long, and is no part of it.
    """
    last_ns = None
    for array in live_arrays():
        if not are_ready((array,)):
            with suppress(Exception):  # it failed, or was deleted: that is told where it is read
                array.block_until_ready()
            last_ns = clock.now_ns()
    return last_ns
