"""Makes tensors of the user's data."""

from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.base.errors import UsageError
from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.lazy.avals import aval_of_array
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.conversion import narrow_tensor
from x10_jupyter.lazy.device import device_of
from x10_jupyter.lazy.lift import Lazy
from x10_jupyter.lazy.local import holding, of_host, tensor_of, uploaded
from x10_jupyter.lazy.narrow import data_held
from x10_jupyter.lazy.producer import CLOCK
from x10_jupyter.lazy.tensor import Tensor
from x10_jupyter.lazy.transfer import moved, put
from x10_jupyter.lazy.value import Value

as_array = Lazy(lambda data, dtype: jnp.asarray(data, dtype), name="tensor", follows_values=True)


def tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A lazy tensor of some data.

    Args:
        data: Numbers, nested lists of numbers or tensors, a NumPy or JAX array, a tensor; NumPy's data is copied.
        dtype: Its dtype; by JAX's rules when None, so float64 data becomes float32 unless 64-bit types are enabled.
        device: Where to put it, and to keep it: an ``x10.Device`` or its name, such as ``"CPU:0"``, a ``jax.Device``, a ``jax.sharding.Sharding`` that spreads
            it over several, or a ``PartitionSpec`` for the mesh of ``jax.set_mesh``. With None it stays where it is; data of the host goes to JAX's default
            device without being bound to it.

    Returns:
        A tensor of the data's shape. One made of a tensor on other devices has that tensor's gradient.

    Raises:
        UsageError: The data is no array, or has been deleted; there is no such device; the sharding does not divide the shape.
        LeakedValueError: The data was kept from inside a traced function that has ended.
    """
    where = device_of(device)
    if any(isinstance(x, Value) or is_tracer(x) for x in jax.tree.leaves(data)):
        made: Any = narrow_tensor(data) if isinstance(data, Tensor) and dtype is None else as_array(data, dtype_of(dtype))
        if where is None:
            return made
        # inside a function that JAX traces it is JAX's own
        return cast(Tensor, moved(made, where, "tensor(device=)") if isinstance(made, Tensor) else jax.device_put(made, where))
    if isinstance(data, jax.Array) and data.is_deleted():
        raise UsageError("An array that has been deleted has no data", got=repr(aval_of_array(data)), fix="Make the tensor before the array is given away.")
    start_ns = CLOCK.now_ns()
    held, said = entered(data, dtype)
    if where is not None:
        held = put(held, where)
    elif isinstance(held, np.ndarray):
        held = jax.device_put(held)
    # device_put may share the buffer of an array that the user has
    t: Tensor = tensor_of(held, said) if isinstance(data, jax.Array) else holding(held, said)
    if not isinstance(data, jax.Array):
        uploaded(t, start_ns)
    return t


def entered(data: Any, dtype: Any) -> tuple[Any, Any]:
    """An array of the user's data as the device will hold it, and the dtype that it says.

    Args:
        data: Numbers, nested lists of numbers, or an array.
        dtype: That of the result; the data's own when None.

    Raises:
        UsageError: The data is no array.
    """
    try:
        if dtype is None and isinstance(data, (jax.Array, np.ndarray)):
            array: Any = data if isinstance(data, jax.Array) else of_host(data)
        else:
            array = jnp.array(data, dtype)
    except (TypeError, ValueError) as error:
        said = str(error).partition("\n")[0]
        raise UsageError(f"A tensor is made of numbers or arrays ({said})", got=type(data).__name__) from error
    return data_held(array, current().holds), array.dtype


def dtype_of(dtype: Any) -> Any:
    """A dtype as part of a key; Python's own types are those of JAX's configuration."""
    return jnp.result_type(dtype) if dtype in (bool, int, float, complex) else None if dtype is None else jnp.dtype(dtype)
