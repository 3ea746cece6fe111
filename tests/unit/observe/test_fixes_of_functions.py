"""What to write instead for functions made anew."""

from typing import Any

import pytest

from signatures import function, signature
from x10_jupyter.observe.fixes_of_functions import for_rebuilt
from x10_jupyter.observe.reads import Read
from x10_jupyter.records.cause import Change


def advice(new: str = "", **fields: Any) -> str:
    return for_rebuilt(Change(kind="function_rebuilt", new=new), function(**fields), None, signature())


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"is_local": True}, "Define `step` and its jit once, outside the loop or function around them."),
        ({}, "Define `step` once: outside the loop, and in a cell that is not run again."),
        ({"made": "jax.grad(step)"}, "Make `jax.grad(step)` and its jit once, outside the loop or function around them."),
        ({"made": "jax.pmap(step)"}, "Make `jax.pmap(step)` once, outside the loop or function around it."),
        ({"name": "<lambda>", "made": "lambda …"}, "Define the lambda and its jit once, outside the loop or function around them."),
        ({"operation": "scan"}, "Define `step` once, outside the loop or function around it: `scan` compiles each new one."),
    ],
)
def test_advice_on_functions_made_anew(fields: dict[str, Any], expected: str) -> None:
    assert advice(**fields) == expected


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("rate", "1", "2", "pass `rate` as an argument"),
        ("w", "f32[2]", "f32[3]", "pass `w` as an argument"),
        ("act", "relu", "tanh", "pass `act` as a static argument"),
        ("argument 0", "1", "2", "pass that value as an argument"),
    ],
)
def test_what_was_bound_to_a_function_is_to_be_passed(name: str, old: str, new: str, expected: str) -> None:
    change, before = Change(kind="function_rebuilt"), signature(held=((name, old),))
    found = for_rebuilt(change, function("<lambda>", made="lambda …"), before, signature(held=((name, new),)))
    assert found == f"Define the function once, outside the loop, and {expected} instead of binding it."


@pytest.mark.parametrize(
    ("operation", "name", "new", "expected"),
    [
        ("scan", "rate", "2.0", "Define `step` once, and pass `rate` to it in the carry, or as one of its other arguments, instead of "),
        ("while", "argument 0", "2", "Define `step` once, and pass that value to it in the carry, or as one of its other arguments, instead of binding it: "),
        ("cond", "w", "f32[2]", "Define `step` once, and pass `w` to it as one of its operands instead of binding it: `cond` compiles each new one."),
        ("scan", "act", "tanh", "Define `step` once, outside the loop or function around it: `scan` compiles each new one."),
    ],
)
def test_what_was_bound_to_the_body_of_a_loop_is_to_be_passed(operation: str, name: str, new: str, expected: str) -> None:
    before, now = signature(held=((name, "1"),)), signature(held=((name, new),))
    assert for_rebuilt(Change(kind="function_rebuilt"), function(operation=operation), before, now).startswith(expected)


@pytest.mark.parametrize(
    ("fields", "old", "new", "expected"),
    [
        ({}, "3", "4", "Nothing: `step` had to be compiled for the new `K`, a part of the program; pass `K` as an argument to change it without."),
        ({}, "'a'", "'b'", "Nothing: `step` had to be compiled for the new `K`, which is a part of the program."),
        (
            {"is_local": True},
            "3",
            "4",
            "Define `step` once, outside the loop or function around it, and pass `K` as an argument: its value is a part of the program.",
        ),
        (
            {"operation": "scan"},
            "3",
            "4",
            "Define `step` once, and pass `K` to it in the carry, or as one of its other arguments, instead of binding it: `scan` ",
        ),
        ({"operation": "scan"}, "'a'", "'b'", "Nothing: `step` had to be compiled for the new `K`, which is a part of the program."),
    ],
)
def test_a_function_is_not_to_go_on_with_an_old_value(fields: dict[str, Any], old: str, new: str, expected: str) -> None:
    before, now = (signature(reads=(("K", Read(text, text)),)) for text in (old, new))
    assert for_rebuilt(Change(kind="function_rebuilt", where="K", old=old, new=new), function(**fields), before, now).startswith(expected)


def test_the_object_of_a_method_is_not_to_be_passed() -> None:
    before, now = signature(held=(("self", "M(1)"),)), signature(held=(("self", "M(2)"),))
    assert for_rebuilt(Change(kind="function_rebuilt"), function(made="M(…).step"), before, now).startswith("Make `M(…).step` and its jit once")


def test_there_is_nothing_to_do_where_code_was_edited() -> None:
    assert advice(new="edited") == "Nothing: an edited function has to be compiled once."


def test_what_is_jitted_is_not_to_be_jitted_again() -> None:
    assert advice(new="jitted once more") == "Call `step` itself: it is jitted already, and jax.jit around it makes another program."


def test_there_is_nothing_to_do_where_options_were_edited() -> None:
    change = Change(kind="function_rebuilt", where="inline", old="not given", new="True")
    told = for_rebuilt(change, function(), signature(), signature(options=(("inline", "True"),)))
    assert told == "Nothing: with another `inline` `step` has to be compiled once."


def test_what_was_read_when_nobody_listened_is_not_known() -> None:
    before, now = signature(is_whole=False), signature(reads=(("K", Read("3", 3)),))
    told = for_rebuilt(Change(kind="function_rebuilt"), function(), before, now)
    assert told == "Define `step` once: outside the loop, and in a cell that is not run again, unless that was for what it reads, such as `K`."
