"""A compile as a reader finds it: seconds, not nanoseconds."""

from typing import Any, cast

import pytest

from factories import FIRST, MS, compiled, site
from x10_jupyter.records.compile import from_event


def test_from_an_event() -> None:
    made = from_event(compiled(5 * MS, 255 * MS, phases={"trace": 50 * MS, "lower": 20 * MS, "compile": 180 * MS}))
    assert (made.seconds, dict(made.phases)) == (0.25, {"trace": 0.05, "lower": 0.02, "compile": 0.18})
    assert (made.function, made.program, made.ops, made.cache, made.cause) == ("train", "p1", 10, "none", FIRST)
    assert (made.call_site, made.definition_site) == (site(7), site(3))


def test_it_cannot_be_changed() -> None:
    made = from_event(compiled(0, MS, phases={"trace": MS}))
    with pytest.raises(TypeError, match="does not support item assignment"):
        cast(Any, made.phases)["trace"] = 0
