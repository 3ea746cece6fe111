import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from captures import training
from factories import capture as made_capture
from factories import read, site
from made_up import captures, every_kind, plain
from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.wire.document import document
from x10_jupyter.records.wire.reading import capture
from x10_jupyter.records.wire.shape import EVENTS

GOLDEN = Path(__file__).parents[3] / "golden" / "captures"


def written(made: Capture) -> Any:
    return json.loads(json.dumps(document(made)))


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example])
@given(captures())
def test_every_capture_comes_back_equal(made: Capture) -> None:
    found = capture(written(made), Capture)
    assert found == made
    assert [type(event) for event in found.events] == [type(event) for event in made.events]


def test_a_training_loop_comes_back_with_all_that_follows_from_it() -> None:
    made = training()
    found = capture(written(made), Capture)
    assert (found, found.time, found.steps, found.compiles) == (made, made.time, made.steps, made.compiles)


@pytest.mark.parametrize(("name", "make"), [("every_kind", every_kind), ("training", lambda: training(30))])
def test_the_golden_documents_are_read_as_they_always_were(name: str, make: Callable[[], Capture], golden: Callable[[str, str], None], request: Any) -> None:
    """`NAME.v1.json` is a document, and `NAME.plain.json` what is in it, for readers in any language."""
    if request.config.getoption("--update-golden"):
        (GOLDEN / f"{name}.v1.json").write_text(json.dumps(document(make()), indent=1) + "\n", encoding="ascii")
    found = capture(json.loads((GOLDEN / f"{name}.v1.json").read_bytes()), Capture)
    golden(f"captures/{name}.plain.json", json.dumps(plain(found), indent=1))
    assert found == make()


def test_the_golden_document_has_every_kind() -> None:
    assert {type(event) for event in every_kind().events} == set(EVENTS.values())


def test_what_is_not_known_is_left_out_and_what_has_a_default_may_lack() -> None:
    """So a reader of version 1 reads what a later writer of version 1 has added to."""
    found = written(made_capture(read(1, 2), read(3, 4)))
    found["more"] = found["capture"]["more"] = {"any": "thing"}
    found["events"]["kinds"].append("Later")
    found["events"]["tables"]["Later"] = {"rows": 1, "columns": "whatever"}
    found["events"]["tables"]["Read"]["columns"]["later"] = "whatever"
    del found["events"]["tables"]["Read"]["columns"]["ready_ns"]
    found["events"]["order"], found["events"]["count"] = [0, 1, 0], 3
    assert capture(found, Capture) == made_capture(read(1, 2), read(3, 4))


@pytest.mark.parametrize("found", [None, [], 5, {}, {"type": "text"}, {"type": 5}, {"nbformat": 4}])
def test_another_document_is_refused(found: Any) -> None:
    with pytest.raises(UsageError, match=r"must be a capture that `Capture\.to_json` has written"):
        capture(found, Capture)


@pytest.mark.parametrize(("kind", "version"), [("application/vnd.x10.capture.v2+json", 2), ("application/vnd.x10.capture.v1+json", True)])
def test_another_version_is_refused(kind: str, version: Any) -> None:
    with pytest.raises(UsageError, match=rf"reads captures of version 1; got {version}. Update x10_jupyter"):
        capture({**written(made_capture()), "type": kind, "version": version}, Capture)


@pytest.mark.parametrize("change", [{"until_ns": 601}, {"until_ns": -1}, {"time": {"python": 61}}, {"time": {"python": 70, "read": -10}}])
def test_sums_of_another_window_are_refused(change: dict[str, Any]) -> None:
    made = every_kind()
    assert made.thinned is not None
    with pytest.raises(UsageError, match="not those of its window"):
        capture(written(replace(made, thinned=replace(made.thinned, **change))), Capture)


def places(found: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where a document has a value that something could be done to."""
    inside = list(found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ())
    return [(*path, name) for name, _ in inside] + [place for name, each in inside for place in places(each, (*path, name))]


DOCUMENT = written(made_capture(*every_kind().events[:40], read(1, 2, site=site(3)), end_ns=600))
PLACES = places(DOCUMENT)
ODD = [None, True, -1, 0, 10**30, 2**62, 1.5, "", "x", "__import__('os')", [], [[]], {}, {"rows": -1}, {"bytes": 8, "packed": "AAAA"}, float("nan")]


@settings(max_examples=200)
@given(st.sampled_from(PLACES), st.one_of(st.sampled_from(ODD), st.just("delete")))
def test_whatever_is_wrong_there_is_a_clear_error_or_a_capture(place: tuple[Any, ...], odd: Any) -> None:
    """A value anywhere in a document is put in place of another, or is missing: nothing else than UsageError may be raised."""
    found = deepcopy(DOCUMENT)
    holder = found
    for name in place[:-1]:
        holder = holder[name]
    if odd == "delete":
        del holder[place[-1]]
    else:
        holder[place[-1]] = odd
    try:
        made = capture(found, Capture)
    except UsageError as error:
        assert str(error)
    else:
        assert sum(made.time.values()) == made.wall_ns
        assert len(made.steps) >= 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: found["records"].pop("Site"), "must be an object"),
        (lambda found: found["records"]["Site"].update(rows=0), "must have 0 numbers|other length"),
        (lambda found: found["records"]["Site"]["columns"].pop("file"), "table of Site lacks columns; got file"),
        (lambda found: found["capture"].pop("thread"), "lacks fields; got thread"),
        (lambda found: found["capture"].update(end_ns=-5), "ends before it begins"),
        (lambda found: found["capture"].update(environment=7), "not there; got Environment 7"),
        (lambda found: found["events"].update(order=[0, 5]), "of a kind that is not there; got 5"),
        (lambda found: found["events"]["tables"]["Read"].update(rows=10**9), "more rows than any capture"),
        (lambda found: found["events"].update(count=10**12), "more rows than any capture"),
        (lambda found: found["events"].update(order=[0, 0, 0], count=3), "events are missing"),
    ],
)
def test_a_damaged_document_is_refused(change: Callable[[Any], Any], message: str) -> None:
    found = written(made_capture(read(1, 2), read(3, 4)))
    change(found)
    with pytest.raises(UsageError, match=message):
        capture(found, Capture)
