"""Which records there are and what their fields hold, as far as a document needs to know: read off the classes themselves."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.wire.columns import Json, damaged, shown, whole_number

EVENTS: Mapping[str, type] = MappingProxyType({kind.__name__: kind for kind in get_args(Event)})
"""Each kind of event by its name in a document."""

AFTER = frozenset({"end_ns", "launched_ns", "ready_ns"})
"""Moments that lie close to the start of the same event, and so are written as how much later they are."""
DELTA = frozenset({"start_ns", "index"})
"""What grows from row to row."""


@cache
def fields(kind: type) -> Mapping[str, Any]:
    """The types of a record's fields, by name."""
    hints = get_type_hints(kind)
    return MappingProxyType({each.name: hints[each.name] for each in dataclasses.fields(kind)})


@cache
def required(kind: type) -> frozenset[str]:
    """The fields that have no default."""
    return frozenset(each.name for each in dataclasses.fields(kind) if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING)


@cache
def records() -> Mapping[str, type]:
    """Each class of record that others refer to, by its name in a document."""
    found: dict[str, type] = {}
    waiting: list[Any] = [Capture]
    while waiting:
        for part in parts(waiting.pop()):
            if dataclasses.is_dataclass(part) and isinstance(part, type) and part.__name__ not in found:
                found[part.__name__] = part
                waiting.append(part)
    return MappingProxyType(found)


def parts(hint: Any) -> list[Any]:  # noqa: ANN401 - a type hint
    """Everything that a type is made of; for a record, what its fields are made of."""
    inside = fields(hint).values() if isinstance(hint, type) and dataclasses.is_dataclass(hint) else get_args(hint)
    return [part for each in inside for part in (each, *(() if dataclasses.is_dataclass(each) else parts(each)))]


def is_record(hint: Any) -> bool:  # noqa: ANN401 - a type hint
    """Whether a field holds one record."""
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


def is_number(hint: Any) -> bool:  # noqa: ANN401 - a type hint
    """Whether a field holds a whole number, or a reference to a record, or None instead."""
    bare = [part for part in get_args(hint) if part is not NoneType] if is_union(hint) else [hint]
    return len(bare) == 1 and (bare[0] is int or is_record(bare[0]))


def is_union(hint: Any) -> bool:  # noqa: ANN401 - a type hint
    """Whether a type is one of several."""
    return get_origin(hint) in (Union, UnionType)


Refer = Callable[[Any], int]
"""The row of a record in its table."""
Find = Callable[[type, int], Any]
"""The record of a class in a row of its table."""


def encoder(hint: Any, refer: Refer) -> Callable[[Any], Json]:  # noqa: ANN401 - a type hint
    """What makes JSON of a field's value.

    Args:
        hint: The field's type.
        refer: Tells the row of a record.

    Raises:
        TypeError: The format has no form for such a type.
    """
    if hint in (int, str, bool, NoneType) or get_origin(hint) is Literal:
        return same
    if is_record(hint):
        return refer
    if get_origin(hint) is tuple:
        inner = [encoder(part, refer) for part in get_args(hint) if part is not Ellipsis]
        if Ellipsis in get_args(hint):
            return lambda value: [inner[0](each) for each in value]
        return lambda value: [one(each) for one, each in zip(inner, value, strict=True)]
    if get_origin(hint) is Mapping:
        inside = encoder(get_args(hint)[1], refer)
        return lambda value: {key: inside(each) for key, each in value.items()}
    if is_union(hint):
        return union_encoder(get_args(hint), refer)
    raise TypeError(f"the wire format has no form for {hint}")


def union_encoder(hints: tuple[Any, ...], refer: Refer) -> Callable[[Any], Json]:
    """What makes JSON of a value of one type or None, or of a record of one of several classes."""
    if all(map(is_record, hints)):
        return lambda value: [type(value).__name__, refer(value)]
    (one,) = [encoder(part, refer) for part in hints if part is not NoneType]
    return lambda value: None if value is None else one(value)


def same(value: Any) -> Json:  # noqa: ANN401 - what JSON has, too
    """What is JSON already."""
    return value


SIMPLE: Mapping[Any, Callable[[Json], Any]] = {
    int: whole_number,
    str: lambda found: found if found.__class__ is str else wrong(found, "text"),
    bool: lambda found: found if found.__class__ is bool else wrong(found, "true or false"),
}


def decoder(hint: Any, find: Find) -> Callable[[Json], Any]:  # noqa: ANN401 - a type hint
    """What makes a field's value of JSON, and raises UsageError if it is not of the field's type.

    Args:
        hint: The field's type.
        find: Gets the record in a row.
    """
    if hint in SIMPLE:
        return SIMPLE[hint]
    if get_origin(hint) is Literal:
        return lambda found: found if found in get_args(hint) and found.__class__ is str else wrong(found, f"one of {', '.join(get_args(hint))}")
    if is_record(hint):
        return lambda found: find(hint, whole_number(found))
    if get_origin(hint) is tuple:
        return tuple_decoder(get_args(hint), find)
    if get_origin(hint) is Mapping:
        key, value = [decoder(part, find) for part in get_args(hint)]
        return lambda found: MappingProxyType({key(name): value(each) for name, each in listed(found, dict).items()})
    return union_decoder(get_args(hint), find)


def union_decoder(hints: tuple[Any, ...], find: Find) -> Callable[[Json], Any]:
    """What makes a value of one type or None, or a record of one of several classes."""
    if all(map(is_record, hints)):
        kinds = {kind.__name__: kind for kind in hints}
        pair = tuple_decoder((str, int), find)

        def decode(found: Json) -> Any:  # noqa: ANN401 - a record of any of them
            name, at = pair(found)
            return find(kinds[name], at) if name in kinds else wrong(name, "the name of a kind of event")

        return decode
    (one,) = [decoder(part, find) for part in hints if part is not NoneType]
    return lambda found: None if found is None else one(found)


def tuple_decoder(hints: tuple[Any, ...], find: Find) -> Callable[[Json], Any]:
    """What makes a tuple of a list."""
    inner = [decoder(part, find) for part in hints if part is not Ellipsis]
    if Ellipsis in hints:
        return lambda found: tuple([inner[0](each) for each in listed(found, list)])

    def decode(found: Json) -> tuple[Any, ...]:
        if len(listed(found, list)) != len(inner):
            wrong(found, f"a list of {len(inner)}")
        return tuple([one(each) for one, each in zip(inner, found, strict=True)])

    return decode


def listed(found: Json, kind: type) -> Json:
    """A list or an object.

    Raises:
        UsageError: It is something else.
    """
    return found if found.__class__ is kind else wrong(found, "a list" if kind is list else "an object")


def wrong(found: Json, what: str) -> Any:  # noqa: ANN401 - never returns
    """Tell that a value is not of its field's type."""
    raise damaged(f"A value must be {what}", shown(found))
