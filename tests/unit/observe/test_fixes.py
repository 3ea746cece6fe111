"""What to write instead."""

from collections.abc import Callable
from typing import Any

import pytest

from factories import site
from signatures import function, signature
from x10_jupyter.observe.arguments import Aval, Row, Static
from x10_jupyter.observe.fixes import ADVICE, fix
from x10_jupyter.observe.signature import Signature
from x10_jupyter.records.cause import Change, Kind


def advice(kind: Kind, old: str = "", new: str = "", where: str = "a", **fields: Any) -> str:
    return fix(Change(kind=kind, where=where, old=old, new=new), function(**fields), None, signature())


@pytest.mark.parametrize(
    ("kind", "old", "new", "expected"),
    [
        ("shape", "f32[32,8]", "f32[17,8]", "Drop the last batch if it is not full (drop_remainder or drop_last), or pad it to 32."),
        ("dtype", "bf16[3]", "f32[3]", "Make `a` float32 at each call, where it is made: bfloat16 becomes that without loss."),
        ("weak_type", "f32[]~", "f32[]", "Pass `a` as jnp.float32(…) from the first call on, since a Python number has a weak type."),
        ("pytree", "None", "f32[4]", "Pass an array for `a` at each call, neutral where it was None, or accept the two programs."),
        ("pytree", "{'w'}", "None", "Pass a value for `a` at each call, neutral where it was None, or accept the two programs."),
        ("static_argument", "1.0", "2.0", "Pass `a` as an array, so that one program serves all its values."),
        ("calling_convention", "by position", "by name", "Pass `a` by position at each call."),
        ("calling_convention", "left to its default, 1", "given", "Pass `a` at each call, or at none."),
        ("calling_convention", "left to its default, 1", "given as f32[]~", "Pass `a` at each call, since a default is written into the program."),
        ("calling_convention", "(0,)", "not given", "Make one jit of the function with one `a`, and call that each time."),
        ("placement", "CPU:0", "CPU:1", "Keep `a` on one device: each device has a program of its own."),
        ("config", "not set", "x", "Import all libraries before the first call: one that was imported since added `a` to JAX's settings."),
        ("config", "None", "x", "Set `a` once, before the first call, or enter the same context around each call."),
        ("transform", "called as it is", "grad", "Nothing: each transformation of a function is a program of its own, compiled once."),
        ("transform", "by a", "by b", "Nothing: `a` by other arguments is a program of its own, compiled once."),
        ("evicted", "", "", "Clear neither JAX's caches nor those of the function (clear_cache) between calls."),
        ("unknown", "", "", ""),
    ],
)
def test_advice_fits_the_case(kind: Kind, old: str, new: str, expected: str) -> None:
    assert advice(kind, old, new) == expected


@pytest.mark.parametrize(
    ("kind", "where", "expected"),
    [
        ("config", "abstract mesh", "Enter the same mesh around each call."),
        ("config", "compiler_options", "Make one jit of the function with one `compiler_options`, and call that each time."),
        ("config", "jax_enable_x64", "Set `jax_enable_x64` once, at the start, before any array is made."),
        ("transform", "axis env", "Use the same axis names and sizes at each call, since they are a part of the program."),
        ("evicted", "jax.clear_caches()", "Do not call jax.clear_caches() between calls."),
    ],
)
def test_advice_fits_what_changed(kind: Kind, where: str, expected: str) -> None:
    assert advice(kind, where=where) == expected


def test_earlier_shapes_tell_whether_an_array_grows() -> None:
    sizes = [signature((size,)) for size in (3, 4, 5)]
    change = Change(kind="shape", where="x0", old="f32[4]", new="f32[5]")
    assert fix(change, function(), sizes[1], sizes[2], sizes[:2]).startswith("Preallocate `x0`")
    other = [signature((3,), transform="vmap"), sizes[1]]
    assert fix(change, function(), sizes[1], sizes[2], other).startswith("Pad `x0` to one size"), "under another transformation it is another size"


def test_jaxs_own_operations_belong_into_one_function() -> None:
    put = "Put the operations of this line into a function under jax.jit, so that they become one program"
    assert advice("shape", "f32[2]", "f32[3]", is_jax=True) == f"{put} for each shape."
    assert advice("static_argument", "0", "1", is_jax=True) == f"{put}."
    assert advice("shape", "f32[2]", "f32[3]", operation="scan") == "Give `scan` one of a few shapes, in a function under jax.jit."
    assert advice("config", is_jax=True) == "Set `a` once, before the first call, unless it is JAX's own functions that set it here."


def grown(*sizes: int, line: int = 6, made: Callable[[int], Signature] = lambda size: signature((size,), site=site(6))) -> str:
    """What is advised at the last of several calls of one of JAX's operations."""
    calls = [made(size) for size in sizes]
    calls[-1].site = site(line)
    kind: Kind = "shape" if isinstance(calls[0].rows[0].what, Aval) else "static_argument"
    change = Change(kind=kind, where=calls[0].rows[0].path, old="f32[4]", new="f32[5]")
    return fix(change, function(is_jax=True), calls[-2], calls[-1], calls[:-1])


def test_no_jit_helps_what_grows_from_call_to_call_at_one_line() -> None:
    assert (
        grown(3, 4, 5)
        == "Preallocate `x0` at its longest and fill it in, or pad it to one of a few lengths: each length is a program of its own, under jax.jit, too."
    )
    for others in (grown(4, 5), grown(5, 4, 3), grown(3, 4, 4), grown(3, 4, 5, line=9)):
        assert others.startswith("Put the operations of this line")
    sliced = grown(3, 4, 5, made=lambda size: signature(rows=(Row("slice_sizes", Static(f"({size},)", size)),), site=site(6)))
    assert sliced.startswith("Take one length at each call, and mask")


def test_each_is_one_sentence() -> None:
    for kind in ADVICE:
        assert advice(kind, "f32[2]", "f32[3]").count(". ") == 0
