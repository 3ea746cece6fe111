"""A call's arguments as rows: each part with its path in the user's words, ``batch['image']``, and what a program depends on of it."""

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as dataclass_fields
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import jax
from jax.core import ShapedArray

from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.jax_gate.tree_level import level_of
from x10_jupyter.observe.attributes import NAMES, compared
from x10_jupyter.observe.flax_graph import Graph, Layer, graph_of
from x10_jupyter.observe.identity import KnownBy, known_by, made
from x10_jupyter.observe.reads import OBJECTS, is_of_user
from x10_jupyter.observe.values import evidence_of, parts_of, short, text_of
from x10_jupyter.records.avals import aval_text
from x10_jupyter.records.cause import Kind

MOST_KEYS = 8
"""Names of a dictionary that are told."""


class Aval(NamedTuple):
    """What a program depends on of an array."""

    shape: tuple[int, ...]
    dtype: str
    weak: bool
    spread: str = ""
    """How it is spread over a mesh whose axes are part of types."""
    mesh: Hashable = None
    """The axes of that mesh, or of one that it was put on."""

    def __str__(self) -> str:
        return aval_text(self.shape, self.dtype, weak=self.weak) + self.spread


class Of(NamedTuple):
    """A class of the user's."""

    name: str
    number: int | None
    """Another one for another class of that name."""


class Static(NamedTuple):
    """A value that is a part of the program."""

    text: str
    evidence: Hashable
    parts: tuple[tuple[str, str], ...] = ()
    kind: Kind = "static_argument"
    """What it is a cause of when it changes."""
    known_by: KnownBy = "value"
    made: str = ""
    """What made it, if it is a function: ``functools.partial(relu)``."""
    is_internal: bool = False
    """Whether it is told only if nothing else differs."""
    of: Of | None = None
    """Its class, if that is the user's."""


class Node(NamedTuple):
    """A part of a pytree that holds others, or nothing."""

    text: str
    evidence: Hashable
    extra: str = ""
    """What else is a part of its type."""
    fields: tuple[tuple[str, Static], ...] = ()
    """Fields that are no data, if that is what it is."""
    of: Of | None = None
    """Its class, if that is the user's."""


class Row(NamedTuple):
    """One part of the arguments."""

    path: str
    what: Node | Aval | Static
    place: str = ""
    """Where an array was put; empty if it may be anywhere."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """All arguments of a call."""

    rows: tuple[Row, ...]
    given: tuple[tuple[str, str], ...]
    """The parameters in use, each ``by position`` or ``by name``."""
    defaults: tuple[tuple[str, str], ...]
    """The text of each parameter's default that was left to it."""
    leaves: tuple[Any, ...] = ()
    """The arrays themselves; not to be kept."""
    statics: tuple[tuple[str, Any], ...] = ()
    """The static arguments themselves, each with its name; not to be kept."""


Passed = Literal["by position", "by name"]


def arguments(
    signature: inspect.Signature | None,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    numbers: Sequence[int] = (),
    names: Sequence[str] = (),
    is_static: Callable[[Any], bool] | None = None,
) -> Arguments:
    """Look at a call's arguments.

    Args:
        signature: The function's, if it has one.
        args: By position.
        kwargs: By name.
        numbers: Positions of static arguments, from the end if negative.
        names: Names of static arguments.
        is_static: Which leaves are static, for wrappers that choose by type.
    """
    parameters = list(signature.parameters.values()) if signature is not None else []
    static = {number % len(args) for number in numbers if -len(args) <= number < len(args)} if args else set[int]()
    rows: list[Row] = []
    leaves: list[Any] = []
    given: dict[str, str] = {}
    statics: list[tuple[str, Any]] = []
    walk = Walk(rows, leaves, is_static, statics)
    for index, value in enumerate(args):
        name = positional_name(parameters, index)
        given[name] = "by position"
        walk.add(name, value, is_fixed=index in static)
    for key, value in sorted(kwargs.items()):
        name = keyword_name(parameters, key)
        given[name] = "by name"
        walk.add(name, value, is_fixed=key in names)
    left = [(one.name, text_of(one.default)) for one in parameters if one.name not in given and one.default is not one.empty]
    return Arguments(tuple(rows), tuple(given.items()), tuple(left), tuple(leaves), tuple(statics))


def positional_name(parameters: Sequence[inspect.Parameter], index: int) -> str:
    """The name of a positional argument: its parameter's, or ``rest[1]`` of ``*rest``."""
    for at, one in enumerate(parameters):
        if one.kind is one.VAR_POSITIONAL:
            return f"{one.name}[{index - at}]"
        if at == index and one.kind is not one.KEYWORD_ONLY:
            return one.name
    return f"argument {index}"


def keyword_name(parameters: Sequence[inspect.Parameter], key: str) -> str:
    """The name of a keyword argument: its parameter's, or ``rest['b']`` of ``**rest``."""
    if all(one.name != key for one in parameters):
        return next((f"{one.name}[{key!r}]" for one in parameters if one.kind is one.VAR_KEYWORD), key)
    return key


@dataclass(slots=True)
class Walk:
    """Goes through pytrees and puts down what it meets."""

    rows: list[Row]
    leaves: list[Any]
    is_static: Callable[[Any], bool] | None
    statics: list[tuple[str, Any]]

    def add(self, path: str, value: Any, *, is_fixed: bool = False) -> None:  # noqa: ANN401 - the user's value
        """Put down a value and what is in it.

        Args:
            path: The way to it.
            value: It.
            is_fixed: Whether it is static, as a whole.
        """
        if is_fixed:
            self.rows.append(Row(path, static(value)))
            self.statics.append((path, value))
            return
        level = level_of(value)
        if level is not None:
            children, extra = level
            graph = graph_of(value, extra)
            if graph is not None:
                self.add_graph(path, graph)
                return
            children = NAMES.named(value, children)
            self.rows.append(Row(path, node(value, [name for name, _ in children], extra)))
            for name, child in children:
                self.add(path + name, child)
        elif self.is_static is not None and self.is_static(value):
            self.rows.append(Row(path, static(value)))
        else:
            self.leaves.append(value)
            self.rows.append(Row(path, aval_of(value), place_of(value)))

    def add_graph(self, path: str, graph: Graph) -> None:
        """Put down a model that Flax has taken apart, layer by layer.

        Args:
            path: The way to it.
            graph: It.
        """
        for part in graph.parts:
            if isinstance(part, Layer):
                fields = tuple((name, static(value)) for name, value in part.fields)
                self.rows.append(Row(path + part.path, Node(part.kind, (part.kind, tuple(part.names)), part.text, fields)))
            else:
                self.add(path + part[0], part[1])
        self.rows.append(Row(f"{path}._graphdef", Static("GraphDef", evidence_of(graph.evidence), kind="pytree", is_internal=True)))


def static(value: Any) -> Static:  # noqa: ANN401 - the user's value
    """A static value."""
    of, evidence = class_of(value), evidence_of(value)
    return Static(text_of(value), evidence if of is None else (*evidence, of), parts_of(value), known_by=known_by(value), made=made(value), of=of)


def class_of(value: Any) -> Of | None:  # noqa: ANN401 - the user's value
    """The class of a value, if it is the user's own: JAX takes two classes of one name for two."""
    kind = type(value)
    return Of(kind.__name__, OBJECTS.number_of(kind)) if is_of_user(kind) else None


def node(value: Any, names: Sequence[str], extra: Hashable) -> Node:  # noqa: ANN401 - the user's value
    """A node of a pytree."""
    kind = type(value)
    if value is None:
        return Node("None", None)
    if isinstance(value, dict):
        keys = [short(name.removeprefix("[").removesuffix("]")) for name in names]
        rest = f", and {len(keys) - MOST_KEYS} more" if len(keys) > MOST_KEYS else ""
        text = "{" + ", ".join(keys[:MOST_KEYS]) + rest + "}"
        return Node(text if kind is dict else f"{kind.__name__} {text}", (kind.__qualname__, tuple(names)))
    if kind in {list, tuple}:
        return Node(f"{kind.__name__} of {len(names)}", (kind.__qualname__, len(names)))
    told = "" if extra in (None, (), kind) else text_of(extra)
    return Node(kind.__name__, (kind.__qualname__, tuple(names), evidence_of(extra)), told, tuple(fields_of(value, names, extra)), class_of(value))


def fields_of(value: Any, names: Sequence[str], extra: Hashable) -> Iterator[tuple[str, Static]]:  # noqa: ANN401 - the user's value
    """Fields that are no data: of a dataclass, if they are what its type has beside the class, or the last of that; of a static object what compares it."""
    if not is_dataclass(value):
        if extra is value:
            yield from ((f".{name}", static(one)) for name, one in compared(value))
        return
    rest = [one.name for one in dataclass_fields(value) if extra is value or f".{one.name}" not in names]
    held = [getattr(value, name, None) for name in rest]
    last = held if extra is value else extra[-len(rest) :] if rest and isinstance(extra, tuple) else ()
    are_all = len(held) == len(last) and all(one is other for one, other in zip(held, last, strict=True))
    if are_all and all(isinstance(one, Hashable) for one in held):  # others are no evidence: only all that is put beside the data is
        yield from ((f".{name}", static(one)) for name, one in zip(rest, held, strict=True))


def aval_of(value: Any) -> Aval:  # noqa: ANN401 - the user's value
    """What a program depends on of an array, or of what stands for one.

    Raises:
        TypeError: JAX does not take it for one.
    """
    found: Any = value if isinstance(value, ShapedArray) else jax.typeof(value)
    if not hasattr(found, "shape"):
        return Aval((), str(found), weak=False)
    spread, axes = mesh_of(getattr(found, "sharding", None))
    return Aval(tuple(found.shape), dtype_name(getattr(found, "dtype", found)), bool(getattr(found, "weak_type", False)), spread, axes)


def mesh_of(sharding: Any) -> tuple[str, Hashable]:  # noqa: ANN401 - JAX's
    """How an array is spread over a mesh that is a part of its type, and that mesh's axes."""
    mesh = getattr(sharding, "mesh", None)
    if mesh is None or mesh.empty:
        return "", None
    spread = f" spread {sharding.spec}" if any(axes is not None for axes in sharding.spec) else ""
    return spread, (mesh.axis_names, mesh.axis_sizes, str(getattr(mesh, "axis_types", "")))


@lru_cache(maxsize=256)
def dtype_name(dtype: Hashable) -> str:
    """The name of a dtype, which NumPy makes anew each time: ``float32``."""
    return str(dtype)


def place_of(value: Any) -> str:  # noqa: ANN401 - the user's value
    """Where an array was put: ``CPU:1``, or how it is spread over several devices; empty if it may be anywhere."""
    if not isinstance(value, jax.Array) or is_tracer(value) or not getattr(value, "committed", False):
        return ""
    sharding = value.sharding
    mesh = getattr(sharding, "mesh", None)
    ordered = getattr(mesh, "devices", None)  # a mesh of the same devices in another order is another place
    devices = sorted(sharding.device_set, key=lambda device: device.id) if ordered is None else list(ordered.flat)
    told = ", ".join(f"{device.platform.upper()}:{device.id}" for device in devices[:MOST_KEYS])
    if len(devices) > MOST_KEYS:
        told = f"{told} and {len(devices) - MOST_KEYS} more"
    kind = sharding.memory_kind
    told = told if kind in (None, devices[0].default_memory().kind) else f"{told} in {kind}"
    return told if len(devices) == 1 else f"{getattr(sharding, 'spec', type(sharding).__name__)} over {told}"
