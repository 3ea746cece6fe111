"""Hypothesis strategies for records of every class, made from the classes' own fields, so that a field that is added is made up, too."""

import dataclasses
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.thinned import Thinned

WHOLE = st.one_of(st.integers(0, 20), st.integers(-(2**63), 2**63 - 1))
TEXT = st.one_of(st.sampled_from(["", "x", "f32[8,128]", "<script>alert(1)</script>", "\ud800", "\x00", "ü\U0001f600"]), st.text(max_size=8))
SIMPLE = {int: WHOLE, str: TEXT, bool: st.booleans(), NoneType: st.none()}
MOMENT = st.integers(0, 2**62)


@cache
def made_up(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type."""
    if hint in SIMPLE:
        return SIMPLE[hint]
    arguments = get_args(hint)
    if get_origin(hint) is Literal:
        return st.sampled_from(arguments)
    if get_origin(hint) in (Union, UnionType):
        return st.one_of([made_up(part) for part in arguments])
    if Ellipsis in arguments:
        return st.lists(made_up(arguments[0]), max_size=3).map(tuple)
    if get_origin(hint) is tuple:
        return st.tuples(*[made_up(part) for part in arguments])
    is_mapping = get_origin(hint) is Mapping
    return st.dictionaries(*map(made_up, arguments), max_size=3).map(MappingProxyType) if is_mapping else record(hint)


def record(kind: type, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Records of a class; some fields may be given."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{each.name: given[each.name] if each.name in given else made_up(hints[each.name]) for each in dataclasses.fields(kind)})


EVENTS = {kind.__name__: record(kind) for kind in get_args(Event)}
"""Events of each kind."""


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    """Captures that hold anything, and end after they have begun."""
    start_ns, body_end_ns, end_ns = sorted(draw(st.tuples(MOMENT, MOMENT, MOMENT)))
    pool = draw(st.lists(st.one_of(list(EVENTS.values())), max_size=6))
    events = draw(st.lists(st.sampled_from(pool), max_size=60)) if pool else []
    until_ns = draw(st.integers(start_ns, end_ns))
    thinned = draw(st.none() | record(Thinned))
    if thinned is not None:
        thinned = dataclasses.replace(thinned, until_ns=until_ns, time={"python": until_ns - start_ns})
    moments = {"start_ns": start_ns, "body_end_ns": body_end_ns, "end_ns": end_ns, "cpu_ns": draw(MOMENT)}
    return dataclasses.replace(draw(record(Capture, thinned=st.none())), events=tuple(events), thinned=thinned, **moments)


def example(hint: Any, seed: int = 1) -> Any:
    """One value of a type, always the same for the same number; numbers differ from field to field."""
    simple = {int: seed, str: f"text {seed}", bool: seed % 2 == 1, NoneType: None}
    if hint in simple:
        return simple[hint]
    arguments = get_args(hint)
    if get_origin(hint) is Literal:
        return arguments[seed % len(arguments)]
    if get_origin(hint) in (Union, UnionType):
        return example(arguments[0], seed)
    if get_origin(hint) is tuple:
        held = (arguments[0], arguments[0]) if Ellipsis in arguments else arguments
        return tuple(example(part, seed + place) for place, part in enumerate(held))
    if get_origin(hint) is Mapping:
        return {example(arguments[0], seed): example(arguments[1], seed)}
    hints = get_type_hints(hint)
    return hint(**{each.name: example(hints[each.name], seed + place) for place, each in enumerate(dataclasses.fields(hint))})


def every_kind() -> Capture:
    """A capture with two events of each kind, and none of the optional fields missing."""
    events = [example(kind, 10 * number + more) for number, kind in enumerate(get_args(Event)) for more in (1, 2)]
    thinned = dataclasses.replace(example(Thinned), until_ns=60, time={"read": 20, "python": 40})
    return dataclasses.replace(example(Capture), start_ns=0, body_end_ns=500, end_ns=600, events=tuple(events), thinned=thinned)


def plain(value: Any) -> Any:
    """Records as JSON in which nothing is compressed or referred to; each has the name of its class."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inside = {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
        return {"class": type(value).__name__.removesuffix("Record"), **inside}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, tuple) else value
