import json
from collections.abc import Callable

import pytest
from hypothesis import given

from reports import mixed, reports
from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics.facts import Report
from x10_jupyter.metrics.json_style import read, write


def test_each_kind(golden: Callable[[str, str], None]) -> None:
    golden("metrics.json", write(mixed()))


@given(reports())
def test_what_is_written_is_read(report: Report) -> None:
    assert read(write(report)) == report


GOOD = json.loads(write(mixed()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Line 1 of a metrics report cannot be read"),
        ('{"format": "x10.metrics",\n "version" 1}', "Line 2 of a metrics report cannot be read: .*; got ' \"version\" 1}'"),
        (json.dumps({**GOOD, "version": 2}), r"version 1; got \('x10.metrics', 2\)"),
        (json.dumps({**GOOD, "format": "other"}), "has the format 'x10.metrics'"),
        (json.dumps({**GOOD, "counters": 5}), "with all their fields; got AttributeError"),
        (json.dumps({**GOOD, "counters": {"a": "5"}}), "with all their fields; got TypeError"),
        (json.dumps({key: GOOD[key] for key in ("format", "version", "metrics")}), "with all their fields; got KeyError: 'counters'"),
        (json.dumps({**GOOD, "metrics": {"a": {"kind": "colour"}}}), "with all their fields; got ValueError: colour"),
    ],
)
def test_what_is_none_of_ours(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(text)
