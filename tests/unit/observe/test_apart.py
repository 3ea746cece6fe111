from typing import Any

import pytest

from x10_jupyter.observe.apart import Apart, apart
from x10_jupyter.observe.values import evidence_of

RUN = "/data/experiments/2024/transformer-base/" * 3 + "run-"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (RUN + "2", RUN + "3", Apart("", "…ransformer-base/run-2'", "…ransformer-base/run-3'")),
        ((*range(60), 2), (*range(60), 3), Apart("[60]", "2", "3")),
        ((1, (2, 3)), (1, (2, 4)), Apart("[1][1]", "3", "4")),
        (tuple(range(60)), tuple(range(61)), Apart("", "tuple of 60", "tuple of 61")),
        ("a" * 200, "b" + "a" * 199, Apart("", "'" + "a" * 59 + "…", "'b" + "a" * 58 + "…")),
        ((1, 2.0), (1, 2), Apart("[1]", "float", "int")),
        (object(), object(), None),
    ],
)
def test_where_two_values_part(old: Any, new: Any, expected: Apart | None) -> None:
    assert apart(evidence_of(old), evidence_of(new)) == expected


def test_what_is_known_by_its_identity_does_not_tell() -> None:
    assert apart((("Model", 1, 0),), (("Model", 2, 0),)) is None
