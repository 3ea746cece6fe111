import sys
from collections import namedtuple
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import x10_jupyter as x10
from x10_jupyter.session.plain import Plain

Pair = namedtuple("Pair", "left right")


def run(code: str, names: dict[str, Any], *, lazily: bool = True) -> dict[str, Any]:
    """Run code in a namespace, on lazy tensors or as it is."""
    if not lazily:
        exec(code, names)
        return names
    with Plain(names) as plain:
        try:
            exec(code, names)
        finally:
            plain.compute(is_failing=sys.exc_info()[1] is not None)
    return names


def test_operations_are_recorded_and_arrays_are_left_behind() -> None:
    names: dict[str, Any] = {"jnp": jnp, "history": []}
    history = names["history"]
    with x10.capture() as capturing:
        run("x = jnp.arange(3.0)\ny = x * 2 + 1\nhistory.append(y.sum())\nz = {'a': (y, [x])}\nkind = type(y).__name__", names)
    assert (names["kind"], names["jnp"], names["history"]) == ("Tensor", jnp, history)
    assert all(isinstance(each, jax.Array) for each in jax.tree.leaves((names["x"], names["y"], names["z"], history)))
    assert names["z"]["a"][0] is names["y"], "one tensor is one array"
    assert len([event for event in capturing.capture.events if type(event).__name__ == "Executed"]) == 1


def test_functions_defined_before_are_reached_and_keep_their_own_afterwards() -> None:
    names: dict[str, Any] = {"jnp": jnp}
    exec("def helper(x):\n    return jnp.tanh(x)", names)
    run("kind = type(helper(1.0)).__name__", names)
    assert names["kind"] == "Tensor"
    assert isinstance(names["helper"](1.0), jax.Array)


def test_names_come_back_after_an_error_and_what_was_rebound_stays() -> None:
    names: dict[str, Any] = {"jnp": jnp, "sin": jnp.sin, "cos": jnp.cos, "tan": jnp.tan}
    with pytest.raises(ZeroDivisionError):
        run("x = sin(1.0)\ncos = 3\ndel tan\n1 / 0", names)
    assert (names["jnp"], names["sin"], names["cos"], "tan" in names) == (jnp, jnp.sin, 3, False)
    assert isinstance(names["x"], jax.Array)


def test_what_is_imported_meanwhile_is_replaced_when_told() -> None:
    names: dict[str, Any] = {}
    with Plain(names) as plain:
        exec("import jax.numpy as jnp", names)
        plain.replace()
        exec("kind = type(jnp.ones(2)).__name__", names)
    assert (names["kind"], names["jnp"]) == ("Tensor", jnp)


def test_other_pytrees_are_made_anew_and_objects_of_the_user_keep_their_identity() -> None:
    names: dict[str, Any] = {"jnp": jnp, "Pair": Pair, "__name__": "__main__"}
    run("class Model: pass\nm = Model()\nm.w = jnp.ones(2) * 2\npair = Pair(jnp.ones(2), 'text')\nsame = m\nmine = [m]\nmine.append(mine)", names)
    assert isinstance(names["m"].w, jax.Array)
    assert isinstance(names["pair"], Pair)
    assert isinstance(names["pair"].left, jax.Array)
    assert names["same"] is names["m"] is names["mine"][0]
    assert names["mine"][1] is names["mine"]


def test_frozen_objects_and_names_of_the_users_that_begin_with_an_underscore_hold_arrays_too() -> None:
    names: dict[str, Any] = {"jnp": jnp, "__name__": "__main__"}
    run("import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass State: w: object\n_mine = [jnp.ones(2) * 2]\ns = State(jnp.ones(2) * 3)", names)
    assert isinstance(names["_mine"][0], jax.Array)
    assert isinstance(names["s"].w, jax.Array)


def test_names_of_the_shell_stay() -> None:
    names: dict[str, Any] = {"jnp": jnp}
    with Plain(names, {"_"}):
        exec("_ = jnp.ones(2) * 2", names)
    assert type(names["_"]).__name__ == "Tensor"


def test_what_is_shown_is_an_array_and_the_one_that_variables_hold() -> None:
    names: dict[str, Any] = {"jnp": jnp, "Pair": Pair}
    with x10.capture() as capturing, Plain(names) as plain:
        exec("x = jnp.ones(2) * 2\npair = Pair(x, 1)\nmine = [x]\ny = x + 1", names)
        shown = [plain.shown(names[name]) for name in ("x", "pair", "mine")]
        names["mine"].append(names["y"] * 2)
        plain.compute(is_failing=False)
    assert all(now is then for now, then in zip(shown, (names["x"], names["pair"], names["mine"]), strict=True))
    assert all(isinstance(each, jax.Array) for each in jax.tree.leaves((shown[0], shown[1].left, shown[2])))
    assert len([event for event in capturing.capture.events if type(event).__name__ == "Executed"]) == 2, "one for what is shown, one for what came later"


@pytest.mark.parametrize("value", [None, 3, "text", np.ones(2), jnp.ones(2), (1, "a"), {"a": [2.0]}], ids=lambda value: type(value).__name__)
def test_to_show_what_is_no_tensor_computes_nothing(value: Any) -> None:
    names: dict[str, Any] = {"jnp": jnp}
    with x10.capture() as capturing, Plain(names) as plain:
        exec("x = jnp.ones(2) * 2", names)
        assert plain.shown(value) is value
        del names["x"]
        plain.compute(is_failing=False)
    assert not [event for event in capturing.capture.events if type(event).__name__ == "Executed"]


def test_jitted_functions_stay_as_they_are() -> None:
    names: dict[str, Any] = {"jnp": jnp, "jax": jax, "step": jax.jit(lambda x: jnp.sin(x))}
    run("a = step(jnp.ones(3))\nb = jax.jit(lambda x: jnp.cos(x))(jnp.ones(3))\nc = type(a).__name__", names)
    assert names["c"] == "ArrayImpl"
    assert np.asarray(names["b"]).tolist() == np.cos(np.ones(3, np.float32)).tolist() or np.allclose(names["b"], np.cos(1))


def test_what_cannot_be_computed_is_an_error_unless_there_is_one() -> None:
    names: dict[str, Any] = {"jnp": jnp}
    with pytest.raises(TypeError, match="shape"):
        run("jnp.ones(2) + jnp.ones(3)", names)


LINES = (
    "x = jnp.sin(x) * 2",
    "x = x.at[0].set(3)",
    "x = x[::-1]",
    "y = y + x.sum()",
    "x = jnp.where(x > 0.5, x, y)",
    "if float(x.max()) > 1.0:\n    x = x / 2\nelse:\n    x = x + 1",
    "for i in range(3):\n    x = x + i * y",
    "x = (x * 3).astype(jnp.int32)",
    "x = x.astype('float32') / 7",
    "y = jnp.stack([x, x]).mean()",
    "try:\n    x[0] = 1\nexcept TypeError:\n    x = x - 1",
    "x = x @ jnp.eye(4)",
    "while abs(x).sum() < 1:\n    x = x + 1",
    "x = jnp.concatenate([x[2:], x[:2]])",
    "y = helper(y)",
    "x = jnp.clip(grad(lambda v: (v ** 2).sum())(x.astype('float32')), -9, 9)",
    "seen.append(x.sum())",
    "x = x + jnp.arange(4, dtype=x.dtype)",
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=7))
def test_values_are_those_of_jax(lines: list[str]) -> None:
    found: list[dict[str, Any]] = []
    for lazily in (False, True):
        names: dict[str, Any] = {"jnp": jnp, "grad": jax.grad, "x": jnp.linspace(-1.0, 1.0, 4), "y": jnp.float32(0.25), "seen": []}
        exec("def helper(v):\n    return jnp.tanh(v) * 0.5", names)
        found.append(run("\n".join(lines), names, lazily=lazily))
    eager, lazy = found
    for name in ("x", "y", "seen"):
        for one, other in zip(jax.tree.leaves(eager[name]), jax.tree.leaves(lazy[name]), strict=True):
            assert isinstance(other, jax.Array)
            assert (one.dtype, one.shape, one.weak_type) == (other.dtype, other.shape, other.weak_type)
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=2e-5, atol=1e-5)
