"""The document of a capture."""

from collections.abc import Sequence
from typing import Any

from x10_jupyter.records.capture import Capture
from x10_jupyter.records.wire.columns import Json, distinct, numbers, packed
from x10_jupyter.records.wire.shape import AFTER, DELTA, encoder, fields, is_number

MIME = "application/vnd.x10.capture.v1+json"
VERSION = 1


class Tables:
    """The records that something refers to, each once, by class."""

    def __init__(self) -> None:
        """Begin with none."""
        self._rows: dict[int, int] = {}
        self._known: dict[type, dict[tuple[Any, ...], int]] = {}
        self.kept: dict[type, list[Any]] = {}

    def refer(self, record: Any) -> int:  # noqa: ANN401 - a record of any class
        """The row of a record; equal ones share it."""
        at = self._rows.get(id(record))
        if at is None:
            kept = self.kept.setdefault(record.__class__, [])
            at = self._known.setdefault(record.__class__, {}).setdefault(self.key(record), len(kept))
            if at == len(kept):
                kept.append(record)
            self._rows[id(record)] = at
        return at

    def key(self, record: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a record of any class
        """Equal for records that are equal; what they refer to gets its rows before them."""
        return tuple([repr(encoder(hint, self.refer)(getattr(record, name))) for name, hint in fields(record.__class__).items()])

    def table(self, kind: type, rows: Sequence[Any]) -> Json:
        """Records of one class as columns."""
        starts = [row.start_ns for row in rows] if "start_ns" in fields(kind) else []
        columns: dict[str, Json] = {}
        for name, hint in fields(kind).items():
            values = [getattr(row, name) for row in rows]
            encode = encoder(hint, self.refer)
            if is_number(hint):
                code = "delta" if name in DELTA else "after" if name in AFTER and starts else "plain"
                columns[name] = numbers([encode(value) for value in values], code, starts)
            else:
                columns[name] = distinct(values, encode)
        return {"rows": len(rows), "columns": columns}


def document(capture: Capture) -> dict[str, Json]:
    """A capture as JSON."""
    tables = Tables()
    kinds: dict[type, list[Any]] = {}
    for event in capture.events:
        kinds.setdefault(event.__class__, []).append(event)
    numbered = {kind: number for number, kind in enumerate(kinds)}
    order = packed([numbered[event.__class__] for event in capture.events])
    events = {kind.__name__: tables.table(kind, rows) for kind, rows in kinds.items()}
    plain = {name: encoder(hint, tables.refer)(getattr(capture, name)) for name, hint in fields(Capture).items() if name != "events"}
    records = {kind.__name__: tables.table(kind, rows) for kind, rows in list(tables.kept.items())}
    return {
        "type": MIME,
        "version": VERSION,
        "capture": plain,
        "records": records,
        "events": {"count": len(capture.events), "kinds": list(events), "order": order, "tables": events},
    }
