"""A call like one before is known by its arguments' classes and plain values, and gives what the function itself gives."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import x10_jupyter as x10
from x10_jupyter.lazy.known import MOST_KNOWN, seen_in
from x10_jupyter.lazy.lift import Lazy
from x10_jupyter.lazy.tensor import Tensor

WORDS = st.sampled_from([None, True, False, "a", "b", ..., jnp.float32, jnp.int32, np.dtype("float32"), slice(1, 3), slice(True, 3), slice(None)])
NUMBERS = st.sampled_from([0, 1, -1, 2, 7, 2**31 - 1, 2**40, 0.0, -0.0, 1.0, 0.5])
LEAVES = WORDS | NUMBERS | st.just("tensor")
ARGUMENTS = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple), max_leaves=5)
CALLS = st.lists(st.tuples(st.lists(ARGUMENTS, max_size=3), st.dictionaries(st.sampled_from("ba"), LEAVES, max_size=2)), min_size=1, max_size=6)


def told(x: Any) -> str:
    """What an argument is, as far as a traced function can say it."""
    if isinstance(x, (list, tuple)):
        return f"{type(x).__name__}({', '.join(map(told, x))})"
    return "array" if isinstance(x, jax.Array) else f"{type(x).__name__} {x!r}"


def echo(x: Any, *args: Any, **kwargs: Any) -> tuple[Any, list[Any], str]:
    """Its arrays, and what everything else is."""
    arrays = [a for a in jax.tree.leaves((args, kwargs)) if isinstance(a, jax.Array)]
    return x + 1, [a * 1.0 for a in arrays], told(list(args)) + told(list(kwargs)) + told(list(kwargs.values()))


def filled(x: Any) -> Any:
    """An argument with tensors where they belong, each with a value of its own."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(filled, x))
    return x10.tensor(np.random.default_rng().normal(size=2)) if isinstance(x, str) and x == "tensor" else x


@settings(max_examples=150, deadline=None)
@given(CALLS)
def test_a_known_call_is_what_it_is_when_it_is_new(calls: list[tuple[list[Any], dict[str, Any]]]) -> None:
    known, x = Lazy(echo, is_users=True), x10.tensor(np.zeros(2, np.float32))
    for args, kwargs in [call for call in calls * 2 for _ in range(2)]:  # once more at once, and later
        args, kwargs = [filled(a) for a in args], {name: filled(a) for name, a in kwargs.items()}
        expected = Lazy(echo, is_users=True)(x, *args, **kwargs)
        found = known(x, *args, **kwargs)
        assert found[2] == expected[2]
        assert [(str(a.aval), np.asarray(a).tobytes()) for a in found[1]] == [(str(a.aval), np.asarray(a).tobytes()) for a in expected[1]]


INDEX = st.sampled_from([0, 1, -1, None, ..., slice(None), slice(1, 3), slice(None, None, -1), (0, slice(2)), (slice(1), None), True, (True, 0), [0, 1]])


@settings(max_examples=30, deadline=None)
@given(st.lists(INDEX, min_size=1, max_size=8))
def test_indices_that_are_equal_but_not_the_same_are_told_apart(indices: list[Any]) -> None:
    data = np.arange(24, dtype=np.float32).reshape(4, 6)
    t, plain = x10.tensor(data), jnp.asarray(data)
    for index in indices * 2:
        if isinstance(index, list):
            with pytest.raises(TypeError):
                _ = t[index]
        else:
            np.testing.assert_array_equal(np.asarray(t[index]), plain[index])


def test_the_second_call_is_known() -> None:
    fn, x = Lazy(jnp.sum), x10.tensor(np.ones((2, 3), np.float32))
    for axis in (0, -1, 0, -1):
        fn(x, axis=axis, keepdims=True)
    assert [key[-3:] for key in fn._calls.known] == [(0, bool, True), (-1, bool, True)]
    assert [known.chosen for known in fn._calls.known.values()] == [(), ()]


def test_a_fraction_is_not_part_of_what_a_call_is_known_by() -> None:
    fn, x = Lazy(jnp.clip, follows_values=True), x10.tensor(np.linspace(-1, 1, 5, dtype=np.float32))
    for bound in (0.1, 0.2, 0.3):
        np.testing.assert_array_equal(np.asarray(fn(x, -bound, bound)), jnp.clip(np.asarray(x), -bound, bound))
    assert len(fn._calls.known) == 1


def test_what_is_unlike_plain_values_is_not_known() -> None:
    x = x10.tensor(np.ones(2, np.float32))
    for arguments in [(x, {"a": x}), (x, np.ones(2)), (x, np.float32(1)), (x, [x, {}]), (x, 1j), (x, float), (x, object())]:
        assert seen_in(arguments, {}, Tensor) is None
    fn = Lazy(jnp.add)
    fn(x, np.float32(1)), fn(1, 1)
    fn(x, jnp.ones(2))
    assert fn._calls.known == {}


def test_what_a_function_reads_is_looked_at_although_the_call_is_known() -> None:
    scope: dict[str, Any] = {"scale": 2.0}
    exec("def scaled(x, axis): return (x * scale).sum(axis)", scope)
    fn, x = Lazy(scope["scaled"], is_users=True), x10.tensor(np.ones((2, 3), np.float32))
    assert np.asarray(fn(x, 0)).tolist() == [4, 4, 4]
    scope["scale"] = 3.0
    assert np.asarray(fn(x, 0)).tolist() == [6, 6, 6]
    del scope["scale"]
    with pytest.raises(NameError):
        fn(x, 0)


def test_tensors_by_name_in_another_order() -> None:
    fn = Lazy(lambda *, a, b: a - b, is_users=True)
    x, y = x10.tensor(np.float32(5)), x10.tensor(np.float32(3))
    for _ in range(2):
        assert float(fn(b=y, a=x)) == 2
        assert float(fn(a=x, b=y)) == 2
        assert float(fn(a=y, b=x)) == -2


def test_the_same_objects_by_position_and_by_name() -> None:
    fn = Lazy(lambda x, a=1, b=2: x * a - b, is_users=True)
    x = x10.tensor(np.float32(1))
    for _ in range(2):
        told = [float(fn(x, 5)), float(fn(x, a=5)), float(fn(x, b=5)), float(fn(x, 5, 7)), float(fn(x, b=7, a=5)), float(fn(x, a=7, b=5))]
        assert told == [3, 3, -4, -2, -2, 2]


def test_equal_tuples_of_other_classes_are_another_call() -> None:
    fn, x = Lazy(lambda x, pair: x * (2 if type(pair[0]) is bool else 1), is_users=True), x10.tensor(np.float32(1))
    for _ in range(2):
        assert [float(fn(x, pair)) for pair in ((1, 0), (True, False), (1, 0), (1, 0), (1.0, 0.0))] == [1, 2, 1, 1, 1]


def test_a_list_that_was_altered_is_another_call() -> None:
    fn, x, axes = Lazy(lambda x, axes: x.sum(tuple(axes)), is_users=True), x10.tensor(np.ones((2, 3), np.float32)), [0]
    assert fn(x, axes).shape == fn(x, axes).shape == (3,)
    axes[0] = 1
    assert fn(x, axes).shape == (2,)


def test_as_many_are_kept_as_there_may_be() -> None:
    fn, x = Lazy(lambda x, n: x.reshape(n, -1)), x10.tensor(np.zeros(0, np.float32))
    for n in range(1, MOST_KNOWN + 10):
        fn(x, n)
    assert len(fn._calls.known) == 9


def test_large_whole_numbers_follow_the_configuration() -> None:
    fn, x = Lazy(jnp.add, follows_values=True), x10.tensor(np.zeros(2, np.int32))
    for _ in range(2):
        with pytest.raises(OverflowError):
            fn(x, 2**40)
    with jax.enable_x64(True):
        y = x10.tensor(np.zeros(2, np.int64))
        for n in (2**40, 2**41):
            assert np.asarray(fn(y, n)).tolist() == [n, n]
    assert fn._calls.known == {} or all(2**40 not in key for key in fn._calls.known)


def test_gradients_of_known_calls() -> None:
    xp = x10.numpy
    data = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)

    def loss(m: Any, w: Any, low: float) -> Any:
        return m.sum(m.clip(m.stack([w, w * 2], axis=0), low, 0.9)[1:, ::-1].reshape(-1) ** 2)

    gradient = x10.grad(lambda w, low: loss(xp, w, low))
    for low in (-0.5, -0.5, 0.1, -0.3):
        found = gradient(x10.tensor(data), low)
        np.testing.assert_allclose(np.asarray(found), jax.grad(lambda w, low=low: loss(jnp, w, low))(data), rtol=1e-6)
        x10.barrier()


@pytest.mark.parametrize("reduced", [False, True])
def test_known_calls_under_mixed_precision(reduced: bool) -> None:
    fn, x = Lazy(jnp.sum), x10.tensor(np.full((2, 256), 1.001, np.float32))
    full = np.asarray(fn(x, axis=1))
    np.asarray(fn(x, axis=1))
    if reduced:
        with x10.mixed_precision("bf16"):
            again = np.asarray(fn(x, axis=1))
        assert not np.array_equal(full, again)
    np.testing.assert_array_equal(full, np.asarray(fn(x, axis=1)))


def test_the_bounds_of_a_slice_count_with_their_values() -> None:
    fn, x = Lazy(lambda a, s: a * s.start, is_users=True), x10.tensor(np.ones(1, np.float32))
    for start in (0.5, 0.75, 2, 3, True):
        assert float(fn(x, slice(start, None))[0]) == start
