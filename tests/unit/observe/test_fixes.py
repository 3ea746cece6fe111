"""What to write instead."""

from typing import Any

import pytest

from signatures import function, signature
from x10_jupyter.observe.fixes import ADVICE, fix
from x10_jupyter.records.cause import Change, Kind


def advice(kind: Kind, old: str = "", new: str = "", where: str = "a", **fields: Any) -> str:
    return fix(Change(kind=kind, where=where, old=old, new=new), function(**fields), None, signature())


@pytest.mark.parametrize(
    ("kind", "old", "new", "expected"),
    [
        ("shape", "f32[32,8]", "f32[17,8]", "Pad the last batch to 32, or drop it."),
        ("shape", "f32[32,8]", "f32[32,9]", "Pad axis 1 of `a` to one length, or to one of a few."),
        ("shape", "f32[32]", "f32[8,4]", "Give `a` the same number of dimensions at each call."),
        ("shape", "key<fry>[]", "?", "Give `a` the same shape at each call."),
        ("dtype", "f32[3]", "i32[3]", "Convert `a` to float32 before the call."),
        ("dtype", "bf16[3]", "f32[3]", "Convert `a` to bfloat16 before the call."),
        ("weak_type", "f32[]~", "f32[]", "Make `a` an array before the first call, such as jnp.float32(0), since a Python number is of a weak type."),
        ("pytree", "None", "f32[4]", "Pass an array for `a` at each call, such as zeros, instead of None at some."),
        ("pytree", "list of 2", "list of 3", "Make `a` one array of a fixed length, since each length of a list is another program."),
        ("pytree", "tuple of 2", "list of 2", "Pass `a` as a tuple at each call."),
        ("pytree", "not given", "f32[4]", "Pass `a` at each call."),
        ("pytree", "{'w'}", "{'b', 'w'}", "Build `a` of the same parts at each call."),
        ("static_argument", "1", "2", "Pass `a` as an array instead of a static value, unless a shape depends on it."),
        ("static_argument", "a M", "another M", "Make `a` once and pass it again, or give its class __eq__ and __hash__, since it is known by identity."),
        ("static_argument", "'x'", "'y'", "Use few values of `a`, since each is compiled once."),
        ("calling_convention", "by position", "by name", "Pass `a` by position at each call."),
        ("calling_convention", "left to its default, 1", "given", "Pass `a` at each call, or at none."),
        ("calling_convention", "(0,)", "not given", "Call jax.jit with the same `a` each time, or only once."),
        ("placement", "not committed", "CPU:0", "Put `a` on its device before the first call: jax.device_put(a, device)."),
        ("placement", "CPU:0", "CPU:1", "Keep `a` where it was, or give jax.jit its in_shardings."),
        ("config", "None", "x", "Set a once, before the first call."),
        ("evicted", "", "", "Do not clear JAX's caches between calls."),
        ("transform", "", "", ""),
    ],
)
def test_advice_fits_the_case(kind: Kind, old: str, new: str, expected: str) -> None:
    assert advice(kind, old, new) == expected


def test_advice_on_functions_made_anew() -> None:
    assert advice("function_rebuilt", new="edited") == "Nothing: an edited function has to be compiled once."
    assert advice("function_rebuilt", is_local=True) == "Define `step` and its jax.jit once, outside the loop or function that makes it anew."
    assert advice("function_rebuilt") == "Define `step` in a cell of its own, and run that once."
    change, old = Change(kind="function_rebuilt"), signature(held=(("rate", "1"),))
    found = fix(change, function("<lambda>"), old, signature(held=(("rate", "2"),)))
    assert found == "Define the function once, outside the loop, and pass `rate` as an argument."


def test_jaxs_own_operations_belong_into_one_function() -> None:
    assert advice("shape", "f32[2]", "f32[3]", is_jax=True) == "Call `step` inside a function under jax.jit, so that many operations become one program."


def test_each_is_one_sentence() -> None:
    for kind in ADVICE:
        assert advice(kind, "f32[2]", "f32[3]").count(". ") == 0
