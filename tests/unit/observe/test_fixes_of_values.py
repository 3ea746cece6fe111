"""What to write instead for values that are a part of the program."""

from typing import Any

import pytest

from signatures import function, signature
from x10_jupyter.observe.arguments import Node, Row, Static
from x10_jupyter.observe.fixes_of_values import for_field, for_static, static_at
from x10_jupyter.records.cause import Change


def few(where: str) -> str:
    return f"Use few values of `{where}`, since each is a program of its own, compiled once."


@pytest.mark.parametrize(
    ("where", "old", "new", "expected"),
    [
        ("axis", "-1", "-2", few("axis")),
        ("num_layers", "2", "3", few("num_layers")),
        ("hidden_dim", "2", "3", few("hidden_dim")),
        ("model.out_features", "2", "3", few("model.out_features")),
        ("unroll", "2", "3", few("unroll")),
        ("shape", "(2, 2)", "(4,)", few("shape")),
        ("train", "True", "False", few("train")),
        ("mode", "'a'", "'b'", few("mode")),
        ("act", "relu", "tanh", few("act")),
        ("n", "1", "2", "Pass `n` as an array if it is only computed with; use few values if a shape, axis or loop depends on it."),
        ("step", "1", "2", "Pass `step` as an array, so that one program serves all its values."),
        ("scale", "0.1", "1e-05", "Pass `scale` as an array, so that one program serves all its values."),
        ("cfg.rate", "0.1", "0.2", "Pass `cfg.rate` as an array argument of its own, so that one program serves all its values."),
        ("a", "1", "f32[4]", "Pass `a` as an array at each call."),
        ("a", "f32[4]", "1", "Pass `a` as an array at each call."),
        ("lr", "f32[]", "another f32[]", "Pass `lr` as an array, so that one program serves all its values."),
        ("static_argnums", "(1,)", "not given", "Make one jit of the function with one `static_argnums`, and call that each time."),
    ],
)
def test_static_arguments(where: str, old: str, new: str, expected: str) -> None:
    assert for_static(Change(kind="static_argument", where=where, old=old, new=new), function(), None, signature()) == expected


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("0.2", "Make `state.x` a data field of its class, so that one program serves all its values."),
        ("3", "Make `state.x` a data field of its class if it is only computed with; use few values if a shape, axis or loop depends on it."),
        ("'tanh'", "Keep `state.x` the same: as a static field, each value of it is a program of its own."),
        ("relu", "Keep `state.x` the same: as a static field, each value of it is a program of its own."),
    ],
)
def test_static_fields(new: str, expected: str) -> None:
    assert for_field(Change(kind="pytree", where="state.x", old="?", new=new), function(), signature()) == expected


@pytest.mark.parametrize(
    ("static", "where", "expected"),
    [
        ({"known_by": "function", "made": "lambda …"}, "f", "Define the lambda once, outside the loop, and pass the same one as `f` at each call."),
        ({"known_by": "function", "made": "jax.grad(g)"}, "f", "Make `jax.grad(g)` once, outside the loop, and pass the same one as `f` at each call."),
        ({"known_by": "functions"}, "tx", "Make `tx` once and pass the same one at each call, since its functions are made anew with it."),
        ({"known_by": "value"}, "cfg", "Pass the same `cfg` at each call: it does not equal the one before, though it reads the same."),
        (
            {"known_by": "identity"}, "m",
            "Make `m` once and use it at each call of `step`, or give its class __eq__ and __hash__: it is known by identity.",
        ),
        (
            {"known_by": "identity"}, "self",
            "Make one `M` and use it at each call of `step`, or give its class __eq__ and __hash__: it is known by identity.",
        ),
    ],
)  # fmt: skip
def test_what_reads_the_same_and_is_another_value(static: dict[str, Any], where: str, expected: str) -> None:
    new = signature(rows=(Row("other", Static("1", 1)), Row(where, Static("a M", 1, **static))))
    assert for_static(Change(kind="static_argument", where=where, old="a M", new="another M"), function(), None, new) == expected


def test_a_field_is_found_by_its_path() -> None:
    field = Static("1", 1)
    found = signature(rows=(Row("state", Node("S", 1, fields=((".x", field),))), Row("n", Static("2", 2))))
    assert static_at("state.x", found) is field
    assert static_at("n", found) == Static("2", 2)
    assert static_at("state.y", found) is None
