"""Each thread's own trace."""

import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.base.config import config
from x10_jupyter.jax_gate.config_watch import ConfigWatch
from x10_jupyter.lazy import narrow
from x10_jupyter.lazy.avals import NUMBERS, aval_of_array
from x10_jupyter.lazy.context import ALSO, LONG, Switches, current
from x10_jupyter.lazy.core import TRACES, Trace
from x10_jupyter.lazy.execute import cut
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.producer import CENSUS, CLOCK, EVENTS, happened
from x10_jupyter.lazy.prune import LIMIT
from x10_jupyter.lazy.value import Value
from x10_jupyter.lazy.visible import VISIBLE
from x10_jupyter.records.runtime_events import Transferred


class Local(threading.local):
    """Holds a thread's trace."""

    kind: type[Value] = Value
    """The class of tensors, told by the module that defines it."""

    def __init__(self) -> None:
        self.trace = Trace(self.kind, cut, LIMIT.ops)
        self.trace.watched = Watch.is_on
        self.trace.choose_way()


class Watch:
    """Hears of changes of JAX's configuration, so that no operation has to look for them."""

    is_on = False

    @classmethod
    def start(cls) -> None:
        """Begin to listen; without effect if JAX does not allow it: then each operation looks."""
        cls.switch(is_on=WATCH.install())

    @classmethod
    def stop(cls) -> None:
        """Listen no more, and leave JAX as it was."""
        WATCH.uninstall()
        cls.switch(is_on=False)

    @classmethod
    def switch(cls, *, is_on: bool) -> None:
        """Tell every trace whether it is told."""
        cls.is_on = is_on
        for trace in list(TRACES):
            trace.watched, trace.stale = is_on, True
            trace.special = True


def notice_all() -> None:
    """A setting has changed for every thread: all traces look at their next operation."""
    for trace in list(TRACES):
        trace.stale = trace.special = True


def notice(_name: str, every_thread: bool) -> None:  # noqa: FBT001 - as the watch calls it
    """A setting of JAX has changed: the traces it may concern look at their next operation."""
    for trace in list(TRACES) if every_thread else (LOCAL.trace,):
        trace.stale = trace.special = True


WATCH = ConfigWatch(notice, also=ALSO)
LOCAL = Local()
for _name in Switches._fields:
    config.follow(_name, notice_all)


def tensor_of(data: Any, dtype: Any = None) -> Any:
    """A tensor that holds an array; what may be changed by others is copied, and JAX's arrays are never overwritten, since others may see them.

    Args:
        data: An array, or a number.
        dtype: What the tensor of a JAX array says that it is; its own dtype when None.
    """
    if isinstance(data, jax.Array):
        if data.dtype in LONG and data.dtype in current().holds and data.is_fully_addressable:
            narrow.check_data(np.asarray(data))
        VISIBLE.add(data)
        return holding(data, dtype)
    start_ns = CLOCK.now_ns()
    t = made_of(jnp.array(data)) if data.__class__ in NUMBERS else of_data(np.asarray(data))
    uploaded(t, start_ns, is_operand=True)
    return t


def made_of(array: jax.Array) -> Any:
    """A tensor that holds an array of JAX's, which may share its buffer; narrow where storage is."""
    now = narrow.hold(array, current().holds)
    return tensor_of(array) if now is array else holding(now, array.dtype)


def of_data(data: np.ndarray) -> Any:
    """A tensor of a copy of NumPy's data; narrow where storage is.

    Raises:
        OperandError: A value does not fit.
    """
    host = of_host(data)
    return holding(jax.device_put(narrow.data_held(host, current().holds)), host.dtype)


def holding(array: jax.Array, dtype: Any = None) -> Any:
    """A tensor that holds an array of the runtime's own, and may say that it is of another dtype."""
    t = LOCAL.trace.kind()
    t.held = array
    t.aval, t.node, t.ref, t.serial = aval_of_array(array, dtype), 0, 0, 0
    if EVENTS:
        CENSUS.tensor(t)
    return t


def uploaded(t: Any, start_ns: int, *, is_operand: bool = False) -> None:
    """Report that data of the host was brought to a device.

    Args:
        t: The tensor of it.
        start_ns: When that began.
        is_operand: Whether an operation was given the data as it is.
    """
    if EVENTS:
        common = happened(user_line(), start_ns)
        EVENTS.emit(Transferred(direction="to_device", is_operand=is_operand, aval=repr(t.aval), size_bytes=t.aval.size_bytes, **common))


def on_device(data: np.ndarray) -> jax.Array:
    """A copy of NumPy's data, of the dtype that JAX would give it.

    ``jnp.array`` compiles a program for each new shape (8 ms, and some memory that stays; JAX 0.10.2).
    """
    return jax.device_put(of_host(data))


def of_host(data: np.ndarray) -> np.ndarray:
    """A copy of NumPy's data that stays with NumPy, of the dtype that JAX would give it."""
    return np.array(data, jax.dtypes.canonicalize_dtype(data.dtype))
