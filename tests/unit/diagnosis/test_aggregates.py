"""Sums are checked against dictionaries made here."""

from collections import Counter, defaultdict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import FIRST, MS, capture, compiled, site, staged
from x10_jupyter.diagnosis.aggregates import BY, By, aggregates
from x10_jupyter.diagnosis.words import cause
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.runtime_events import Compiled

SHAPE = Cause(kind="shape", where="x", old="f32[32]", new="f32[17]", site=site(7))
DTYPE = Cause(kind="dtype", where="x", old="f32", new="i32", site=site(7))
MADE = st.tuples(st.sampled_from(["train", "evaluate"]), st.sampled_from([3, 4, None]), st.sampled_from([7, 9]), st.sampled_from([FIRST, SHAPE, DTYPE]))


def made(number: int, function: str, cell: int | None, line: int, why: Cause) -> Compiled:
    place = site(line, cell, function)
    return compiled(number * 10 * MS, (number * 10 + number + 1) * MS, function=function, cause=why, site=place)


@given(st.lists(MADE, max_size=12))
def test_each_compile_is_in_one_group_with_its_time(each: list[tuple[str, int | None, int, Cause]]) -> None:
    found = capture(*[made(number, *one) for number, one in enumerate(each)]).compiles
    names = {
        "function": lambda one: f"`{one[0]}`",
        "line": lambda one: str(site(one[2], one[1])),
        "cell": lambda one: "1234.py" if one[1] is None else f"cell [{one[1]}]",
    }
    for by, name in names.items():
        times, again, took, why = Counter[str](), Counter[str](), Counter[str](), defaultdict[str, Counter[str]](Counter)
        for number, one in enumerate(each):
            key = name(one)
            times[key] += 1
            again[key] += one[3] is not FIRST
            took[key] += number + 1
            why[key][cause(one[3])] += 1
        groups = aggregates(found, by)  # pyright: ignore[reportArgumentType] # one of them
        assert {group.what: (group.times, group.recompiles, round(group.seconds * 1e3)) for group in groups} == {
            key: (times[key], again[key], took[key]) for key in times
        }
        assert {group.what: set(group.causes) for group in groups} == {
            key: {said if often == 1 else f"{said}, {often} times" for said, often in causes.items()} for key, causes in why.items()
        }
        assert [group.seconds for group in groups] == sorted([group.seconds for group in groups], reverse=True)


def test_the_same_cause_nine_times_is_one_row() -> None:
    found = capture(*[made(number, "train", 4, 7, SHAPE) for number in range(9)], made(9, "train", 4, 7, DTYPE)).compiles
    first, second = aggregates(found, "cause")
    assert (first.what, first.times, first.recompiles) == ("`train`: `x` shape f32[32] → f32[17] at cell [4] line 7", 9, 9)
    assert first.causes == ("`x` shape f32[32] → f32[17], 9 times",)
    assert round(first.seconds * 1e3) == sum(range(1, 10))
    assert (second.times, second.causes) == (1, ("`x` dtype f32 → i32",))


def test_operations_that_ran_at_once_belong_to_the_function_that_ran_them() -> None:
    events = [staged(start, start + MS, function=name, is_eager=True, site=site(6, function="init")) for start, name in ((0, "sin"), (MS, "mul"))]
    events.append(staged(2 * MS, 3 * MS, function="pad", is_eager=True, site=None))
    found = {group.what: group.times for group in aggregates(capture(*events).compiles, "function")}
    assert found == {"one-operation programs from `init`": 2, "one-operation programs": 1}


def test_functions_without_a_name_are_told_apart_by_their_line() -> None:
    events = [staged(start, start + MS, function="<lambda>", definition_site=site(line)) for start, line in ((0, 3), (MS, 8), (2 * MS, 8))]
    assert {group.what: group.times for group in aggregates(capture(*events).compiles, "function")} == {
        "`<lambda>` at cell [4] line 8": 2,
        "`<lambda>` at cell [4] line 3": 1,
    }


def test_lines_of_the_same_name_in_two_files_are_two() -> None:
    places = [replace(site(7, None), file=file) for file in ("/a/train.py", "/b/train.py")]
    found = capture(*[compiled(number * MS, (number + 1) * MS, site=place) for number, place in enumerate(places)]).compiles
    assert [(group.what, group.times) for group in aggregates(found, "line")] == [("train.py:7", 1)] * 2
    assert [group.times for group in aggregates(found, "cell")] == [1, 1]


@pytest.mark.parametrize("by", BY)
def test_what_is_not_known_says_so_and_nothing_is_nothing(by: By) -> None:
    assert aggregates((), by) == ()
    (found,) = aggregates(capture(compiled(0, MS, site=None)).compiles, by)
    assert found.what == {"function": "`train`", "line": "not known", "cell": "not known", "cause": "`train`: first time"}[by]
