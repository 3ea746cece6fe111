"""A model of Flax nnx, which ``nnx.jit`` takes apart into its graph and a list of its arrays, as the user knows it: layers with their fields and arrays."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

MARK = "_pytree__"
"""How the attributes begin that Flax keeps for itself."""

LENGTH = "_length"
"""What Flax keeps of a list."""


@dataclass(slots=True)
class Layer:
    """A part of the model."""

    path: str
    """From the model on: ``.layers[0]``; empty for itself."""

    kind: str
    """The name of its class."""

    names: list[str] = field(default_factory=list[str])
    """The ways to its parts, from itself on."""

    fields: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    """What is no data in it, by the way to it."""

    @property
    def text(self) -> str:
        """It in words: ``Network of linear, out`` or ``List of 2``."""
        if all(name.startswith("[") for name in self.names):
            return f"{self.kind} of {len(self.names)}" if self.names else self.kind
        return f"{self.kind} of {', '.join(name.removeprefix('.') for name in self.names)}"


@dataclass(frozen=True, slots=True)
class Graph:
    """A model."""

    parts: Sequence[Layer | tuple[str, Any]]
    """Its layers, each before what is in it; and its arrays, in the order of JAX, each with its path from the model on."""

    evidence: Hashable
    """All that is no data, as JAX compares it."""


def graph_of(value: Any, extra: Hashable) -> Graph | None:  # noqa: ANN401 - the user's value
    """The model that ``nnx.jit`` has taken apart. Tried on Flax 0.12.8 and 0.12.12.

    Args:
        value: What may be one.
        extra: What else makes it what it is.

    Returns:
        None if it is something else, or not as it was in these versions.
    """
    if type(value).__name__ != "NodeStates" or not type(value).__module__.startswith("flax.nnx"):
        return None
    try:
        definition, (leaves,) = value._graphdef, value.states  # noqa: SLF001
        if not isinstance(leaves, list):
            return None
        reading = Reading(iter(definition.nodes), iter(definition.attributes), iter(leaves))
        reading.node("")
        is_read = not any(True for rest in (reading.nodes, reading.attributes, reading.leaves) for _ in rest)
        return Graph(reading.parts, (definition, extra)) if is_read else None
    except (AttributeError, LookupError, StopIteration, TypeError, ValueError):
        return None


@dataclass(slots=True)
class Reading:
    """Goes through a graph as Flax has written it down: its nodes, their attributes and its arrays, each in the order in which it met them."""

    nodes: Iterator[Any]
    attributes: Iterator[tuple[Any, Any]]
    leaves: Iterator[Any]
    parts: list[Layer | tuple[str, Any]] = field(default_factory=list[Layer | tuple[str, Any]])

    def node(self, path: str) -> None:
        """Read the next node and what is in it.

        Args:
            path: The way to it.

        Raises:
            LookupError: It is of a kind that is not known.
        """
        one = next(self.nodes)
        match type(one).__name__:
            case "NodeDef":
                layer = Layer(path, one.type.__name__)
                if MARK not in path:
                    self.parts.append(layer)
                for _ in range(one.num_attributes):
                    self.attribute(layer, is_sequence=one.type in {dict, list, tuple})
            case "VariableDef" if type(one.array_refdef).__name__ != "NodeRef":
                self.parts.append((path, next(self.leaves)))
            case "ArrayRefDef":
                self.parts.append((path, next(self.leaves)))
            case "NodeRef" | "VariableDef":  # met before
                pass
            case other:
                raise LookupError(other)

    def attribute(self, layer: Layer, *, is_sequence: bool) -> None:
        """Read the next attribute of a layer.

        Args:
            layer: It.
            is_sequence: Whether its parts are items.
        """
        key, one = next(self.attributes)
        way = f"[{key!r}]" if is_sequence or not isinstance(key, str) else f".{key}"
        is_own = MARK in way or key == LENGTH
        match type(one).__name__:
            case "Static":
                if not is_own:
                    layer.fields.append((way, one.value))
            case "NodeAttr" | "LeafAttr" as kind:
                if not is_own:
                    layer.names.append(way)
                if kind == "NodeAttr":
                    self.node(layer.path + way)
                else:
                    self.parts.append((layer.path + way, next(self.leaves)))
            case other:
                raise LookupError(other)
