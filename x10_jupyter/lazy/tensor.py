"""The tensor: eager to the eye, a place in the trace underneath."""

import operator as python
from collections.abc import Iterator
from importlib import import_module
from itertools import repeat
from typing import TYPE_CHECKING, Any, cast

import jax
import numpy as np

from x10_jupyter.base.errors import OperandError, UsageError
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.lazy.conversion import full_tensor, reduced_tensor
from x10_jupyter.lazy.device import device_of
from x10_jupyter.lazy.index import At, indices, item_of
from x10_jupyter.lazy.local import LOCAL, Local, tensor_of
from x10_jupyter.lazy.placement import first_device
from x10_jupyter.lazy.producer import WATCHER
from x10_jupyter.lazy.read import array, brought, buffer, host, looked_at, on_both, shared
from x10_jupyter.lazy.transfer import moved
from x10_jupyter.lazy.value import Failure, Value, uncollected
from x10_jupyter.records.avals import dtype_text

HOST_MEMORY = 1
"""DLPack's number of the kind of device whose memory is the host's."""


@uncollected
class Tensor(Value):
    """An array whose operations are recorded and run as one program when a value is needed.

    It has the operators, methods and properties of a ``jax.Array``, and its type promotion. ``repr`` never computes; reading does
    (``float``, ``bool``, ``int``, ``.item()``, ``numpy.asarray``, ``print``, iteration). Make one with ``x10.tensor``. It cannot be subclassed.
    """

    __slots__ = ()
    __array_priority__ = 200
    __hash__ = None  # pyright: ignore[reportAssignmentType] # as a jax.Array: == compares elements
    namespace: Any = None
    """The module of array functions, ``x10_jupyter.numpy``."""

    def __init_subclass__(cls) -> None:
        fix = "Keep the tensor in an attribute of your class; decorated with jax.tree_util.register_dataclass, it goes through x10.lazy and gradients as well."
        raise UsageError("Operations make tensors of one class, so it has no subclasses", got=f"class {cls.__name__}", fix=fix)

    def __repr__(self) -> str:
        if self.held.__class__ is Failure:
            return f"Tensor({self.aval!r}, lost)"
        if self.held is not None:
            return f"Tensor({self.aval!r})"
        trace = LOCAL.trace
        if self.serial != trace.serial:
            return f"Tensor({self.aval!r}, pending in another thread)"
        ops = trace.state.depth - len(trace.leaves)
        return f"Tensor({self.aval!r}, pending, {ops} op{'s' * (ops != 1)})"

    def __str__(self) -> str:
        return str(array_or_host(self, "print"))

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001 - as IPython calls it
        # as NumPy and JAX show theirs, `array(` and `Array(`, which are one letter shorter
        shown = repr(array_or_host(self, "display"))
        if self.aval.is_narrow:
            shown = f"{shown[:-1]} as {dtype_text(str(self.aval.held_as))})"
        printer.text("Tensor" + shown[shown.index("(") :].replace("\n", "\n "))

    def __format__(self, spec: str) -> str:
        if not self.aval.shape:
            return format(host(self, "format").item(), spec)
        return format(str(self), spec)

    if TYPE_CHECKING:  # what the mechanisms below add

        def _binary(self, other: Any, /) -> "Tensor": ...
        def _compare(self, other: object, /) -> "Tensor": ...
        def _unary(self) -> "Tensor": ...
        def __getattr__(self, name: str) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _binary
        __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _binary
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lt__ = __le__ = __gt__ = __ge__ = _binary
        __eq__ = __ne__ = _compare  # pyright: ignore[reportAssignmentType] # elements are compared, as in NumPy
        __neg__ = __pos__ = __abs__ = __invert__ = _unary

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions; never computes."""
        return self.aval.shape

    @property
    def dtype(self) -> Any:
        """The dtype, whatever the precision; never computes."""
        return self.aval.dtype

    @property
    def is_reduced_precision(self) -> bool:
        """Whether the device holds it in reduced precision, as bfloat16; never computes."""
        return self.aval.is_reduced

    def to_reduced_precision(self) -> "Tensor":
        """The same values and dtype, held as bfloat16; itself if it is, or has no reduced form.

        Raises:
            OperandError: It holds the user's data, and a finite value of it is too large for bfloat16.
        """
        return reduced_tensor(self)

    def to_full_precision(self) -> "Tensor":
        """The same values and dtype, held as what they are; itself if it is not reduced."""
        return full_tensor(self)

    @property
    def weak_type(self) -> bool:
        """Whether it promotes as a Python number does; never computes."""
        return self.aval.weak_type

    @property
    def ndim(self) -> int:
        """Number of dimensions; never computes."""
        return len(self.aval.shape)

    @property
    def size(self) -> int:
        """Number of elements; never computes."""
        return int(np.prod(self.aval.shape, dtype=np.int64))

    @property
    def itemsize(self) -> int:
        """Bytes of an element; never computes."""
        return self.aval.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, as they are read; never computes. The device needs half or a quarter of it in reduced precision."""
        return self.size * self.itemsize

    @property
    def device(self) -> Any:
        """Where it is, or will be: a ``jax.Device``, equal to the ``x10.Device``, or the sharding of one that is spread over several.

        Never computes, except for what is pending on several devices: only the program tells how XLA spreads it.
        """
        trace = LOCAL.trace
        if self.held is None and self.serial == trace.serial:
            if trace.devices is None:
                return first_device(trace.context)
            if len(trace.devices) == 1:
                return trace.devices[0]
        return looked_at(self, ".device").device

    def to_device(self, device: Any, *, stream: Any = None) -> "Tensor":
        """The same values on another device, or spread over several; itself if it is there. It is computed first if it is pending; it has a gradient.

        Args:
            device: As in ``x10.tensor``; None leaves it where it is.
            stream: Of the array API; only None.

        Raises:
            UsageError: There is no such device, or the sharding does not divide the shape.
        """
        if stream is not None:
            raise UsageError("JAX orders transfers itself", got=f"stream={stream!r}", fix="Leave `stream` out.")
        where = device_of(device)
        return self if where is None else cast(Tensor, moved(self, where, ".to_device()"))

    @property
    def data(self) -> jax.Array:
        """The ``jax.Array``, computed if it is pending; of the tensor's dtype, so a copy if the precision is reduced."""
        return array(self, ".data")

    @property
    def at(self) -> At:
        """Functional updates: ``t.at[i].set(v)``."""
        return At(self)

    def __len__(self) -> int:
        if not self.aval.shape:
            raise OperandError("A scalar has no length", got=repr(self.aval))
        return self.aval.shape[0]

    def __bool__(self) -> bool:
        return bool(array_or_host(self, "bool()"))

    def __int__(self) -> int:
        return int(array_or_host(self, "int()"))

    def __float__(self) -> float:
        return float(array_or_host(self, "float()"))

    def __complex__(self) -> complex:
        return complex(array_or_host(self, "complex()"))

    def __index__(self) -> int:
        return python.index(array_or_host(self, "index"))

    def __iter__(self) -> Iterator["Tensor"]:
        if not self.aval.shape:
            raise OperandError("A scalar has no elements to iterate over", got=repr(self.aval))
        tape = LOCAL.trace.tape
        if tape is not None and tape.levels(self):  # a read would lose the gradient
            return (self[i] for i in range(self.aval.shape[0]))
        return map(tensor_of, iter(buffer(self, "iteration")), repeat(self.aval.dtype))

    def __contains__(self, item: object) -> bool:
        if len(self.aval.shape) != 1:
            raise OperandError("Only a tensor with one dimension is searched by `in`", got=repr(self.aval), fix="Write (t == x).any().")
        return bool(array_or_host(cast(Tensor, self == item).any(), "in"))

    def __getitem__(self, index: Any) -> "Tensor":
        try:
            return item_of(self, indices(index, self.aval))
        except Exception as error:
            without_ours(error)
            raise

    def __setitem__(self, index: object, value: object) -> None:
        raise OperandError("Tensors never change", got="an assignment to a part of one", fix="Write t = t.at[index].set(value).")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:  # noqa: FBT001 - as NumPy calls it
        value = host(self, "numpy")
        if dtype is not None and value.dtype != dtype:
            return value.astype(dtype)
        return value.copy() if copy else value

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The array-API namespace, ``x10_jupyter.numpy``.

        Raises:
            UsageError: It does not follow this version of the standard.
        """
        namespace = self.namespace or import_module("x10_jupyter.numpy")  # by name, since it lies above the runtime
        known = namespace.__array_api_version__
        if api_version not in {None, known}:
            raise UsageError("The array namespace follows one version of the array API standard", got=repr(api_version), fix=f"Ask for {known!r}.")
        return namespace

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        def share(held: Any) -> Any:
            return held.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

        def is_host(held: Any) -> bool:
            return (dl_device or held.__dlpack_device__())[0] == HOST_MEMORY

        return shared(self, "dlpack", share, is_host)

    def __dlpack_device__(self) -> Any:
        return cast(Any, looked_at(self, "dlpack")).__dlpack_device__()

    def __reduce__(self) -> tuple[Any, ...]:
        held = buffer(self, "pickle") if is_extended(self) else on_both(self, "pickle")
        return tensor_of, (held, self.aval.dtype)

    def __copy__(self) -> "Tensor":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tensor":
        return self

    def block_until_ready(self) -> "Tensor":
        """Wait until it is computed; returns itself."""

        def take(held: jax.Array) -> None:
            held.block_until_ready()
            WATCHER.look()

        brought(self, "block_until_ready", take, lambda _: False)
        return self


def array_or_host(t: Tensor, how: str) -> Any:
    """What to convert or print: the value on the host; a key of `jax.random` has none, and is itself."""
    return array(t, how) if is_extended(t) else host(t, how)


def is_extended(t: Tensor) -> bool:
    """Whether NumPy has no such dtype, as that of a key of `jax.random`."""
    return jax.numpy.issubdtype(t.aval.dtype, jax.dtypes.extended)


Local.kind = Tensor
LOCAL.trace.kind = Tensor
