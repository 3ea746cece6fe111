from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import pytest

from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.site import Site
from x10_jupyter.records.wire.shape import EVENTS, decoder, encoder, fields, is_number, records, required


def test_every_class_and_field_is_listed_in_the_golden_file(golden: Callable[[str, str], None]) -> None:
    """Whoever adds or changes one looks here: a reader of version 1 has to read what was written before. A new field needs a default."""
    found = {"Capture": Capture, **records(), **EVENTS}
    lines = [
        f"{kind}.{name}: {shown(hint)}{'' if name in required(found[kind]) else ' = ...'}"
        for kind in sorted(found)
        for name, hint in fields(found[kind]).items()
    ]
    golden("captures/fields.txt", "\n".join(lines))


def shown(hint: Any) -> str:
    text = str(hint) if get_args(hint) else hint.__name__
    for module in ("x10_jupyter.records.", "typing.", "collections.abc."):
        text = text.replace(module, "")
    return text


def test_all_kinds_of_events_and_what_they_refer_to_are_known() -> None:
    assert set(EVENTS.values()) == set(get_args(Event))
    assert {"Site", "Cause", "Graph", "Node", "Content", "Environment"} <= records().keys()
    assert fields(Read)["site"] == Site | None
    assert required(Site) == {"file", "line", "function"}


@dataclass(frozen=True)
class Odd:
    field: int


@pytest.mark.parametrize(
    ("hint", "value", "coded"),
    [
        (int, 5, 5),
        (str | None, None, None),
        (str | None, "a", "a"),
        (tuple[str, ...], ("a", "b"), ["a", "b"]),
        (tuple[tuple[int, int], ...], ((1, 2),), [[1, 2]]),
        (tuple[Odd, ...], (Odd(7), Odd(8)), [7, 8]),
        (Odd | None, Odd(3), 3),
    ],
)
def test_values_go_there_and_back(hint: Any, value: Any, coded: Any) -> None:
    assert encoder(hint, lambda record: record.field)(value) == coded
    assert decoder(hint, lambda kind, row: kind(row))(coded) == value


@pytest.mark.parametrize(
    ("kind", "field", "found"),
    [
        (Read, "how", 5), (Read, "how", None), (Read, "size_bytes", "5"), (Read, "size_bytes", True), (Read, "size_bytes", None),
        (EVENTS["Cut"], "why", "nothing"), (EVENTS["Cut"], "why", ["barrier"]), (EVENTS["Cut"], "is_known", 1),
        (EVENTS["FellBack"], "compiling", [[1]]), (EVENTS["FellBack"], "compiling", {}), (EVENTS["FellBack"], "compiling", [[1, "2"]]),
        (EVENTS["Compiled"], "phases", []), (EVENTS["Compiled"], "phases", {"a": None}), (EVENTS["Counted"], "counts", {"a": 1.5}),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(kind: type, field: str, found: Any) -> None:
    with pytest.raises(UsageError, match=r"(?i)there must be a whole number|a value must be"):
        decoder(fields(kind)[field], lambda *_: None)(found)


def test_numbers_and_references_are_columns_of_numbers() -> None:
    assert [is_number(hint) for hint in (int, int | None, Site, Site | None, str, bool, tuple[int, ...], int | str)] == [True] * 4 + [False] * 4


def test_a_type_without_a_form_is_an_error_at_writing() -> None:
    with pytest.raises(TypeError, match="no form for"):
        encoder(set[int], lambda _: 0)
