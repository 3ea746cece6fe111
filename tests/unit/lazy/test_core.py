"""How operations are recorded: what the short way and the general way have in common."""

import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles
from x10_jupyter.base.errors import LostValueError, OperandError
from x10_jupyter.lazy.core import Trace, next_serial
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.trie import COUNT
from x10_jupyter.lazy.value import OURS


def ones(*shape: int) -> x10.Tensor:
    return x10.tensor(np.ones(shape, np.float32))


@pytest.fixture
def trace() -> Trace:
    return LOCAL.trace


def path(trace: Trace) -> list[Any]:
    """The keys of the trace's states, with operations by name."""
    found, state = [], trace.state
    while state.parent is not None:
        found.append(state.key if state.op is None else (state.op.call.name, *state.key[1:]))
        state = state.parent
    return found[::-1]


def test_a_trace_is_a_path_of_leaves_and_operations(trace: Trace) -> None:
    x, y = ones(2), ones(3)
    z = (x + x) * 2
    w = y - 1
    assert path(trace) == [x.aval, ("add", -1, -1), ("mul", 0), y.aval, ("sub", -2)]
    assert [t.ref for t in (z, w)] == [1, 2]
    assert trace.numbers == {0: 2, 1: 1}
    assert [leaf is t.held for leaf, t in zip(trace.leaves, (x, y), strict=True)] == [True, True]


def test_the_same_data_in_two_tensors_is_one_leaf(trace: Trace) -> None:
    x = ones(2)
    same = x10.tensor(x.data)
    y = x * same
    assert path(trace) == [x.aval, ("mul", -1, -1)]
    assert np.asarray(y).tolist() == [1, 1]


def test_a_known_trace_makes_no_states(trace: Trace) -> None:
    x = ones(2)

    def step() -> Any:
        y = x * 2 + x
        x10.barrier()
        return y

    step()
    before = COUNT.states
    assert [np.asarray(step()).tolist() for _ in range(3)] == [[3, 3]] * 3
    assert COUNT.states == before


@pytest.mark.parametrize("other", [2, 0.5, 1j, True, np.float16(2), np.int32(3), np.array([1, 2], np.float32), jnp.float32(2), 2**40, -(2**31), 2**31 - 1])
@pytest.mark.parametrize("op", [operator.mul, operator.sub])
def test_the_short_way_and_the_general_way_agree_with_jax(op: Any, other: Any) -> None:
    x, j = ones(2), jnp.ones(2)
    for a, b, left, right in ((x, other, j, other), (other, x, other, j)):
        try:
            want = op(left, right)
        except OverflowError:
            with pytest.raises(OverflowError):
                op(a, b)
            continue
        for _ in range(2):
            got = op(a, b)
            assert (got.shape, got.dtype, got.weak_type) == (want.shape, want.dtype, want.weak_type)
            assert np.array_equal(np.asarray(got), np.asarray(want))


def test_what_is_not_a_number_or_an_array_is_left_to_python() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        ones(2) + "text"
    assert (ones(2) == "text") is False


def test_a_failed_operation_is_not_in_the_trace(trace: Trace) -> None:
    x, odd = ones(2), ones(3)
    y = x * 2
    before = path(trace)
    with pytest.raises(OperandError, match="add"):
        y + odd
    assert path(trace) == before
    assert len(trace.leaves) == 1
    assert np.asarray(odd + 1).tolist() == [2, 2, 2]
    assert np.asarray(y).tolist() == [2, 2]


def test_values_and_numbers_are_counted_along_the_path(trace: Trace) -> None:
    x = ones(2)
    y = x10.numpy.divmod(x, x)
    z = y[0] * 2 + 3
    assert (trace.state.ref, trace.state.slot) == (3, 1)
    assert z.ref == 3
    assert trace.state.depth == 4


def test_no_two_traces_have_the_same_number() -> None:
    assert len({next_serial() for _ in range(100)}) == 100


def test_a_number_may_be_of_another_kind_at_the_same_place() -> None:
    x = ones(2)

    def step(n: float) -> list[float]:
        return np.asarray(x * n).tolist()

    assert step(2) == [2, 2]
    assert len(compiles(lambda: step(0.5))) == 1
    assert compiles(lambda: (step(3), step(0.25))) == []
    assert [step(4), step(0.125)] == [[4, 4], [0.125, 0.125]]


def test_what_a_program_made_is_not_looked_at_again(trace: Trace) -> None:
    made, given = ones(2) + 1, ones(2)
    x10.barrier()
    assert (made.serial, given.serial) == (OURS, 0)
    later = made + given
    assert (path(trace), trace.devices) == ([made.aval, given.aval, ("add", -1, -2)], None)
    assert np.asarray(later).tolist() == [3, 3]
    assert made.serial not in (OURS, trace.serial), "from then on it is looked at"


def test_what_was_handed_out_is_looked_at_since_it_may_have_been_deleted() -> None:
    t = ones(2) + 1
    x10.barrier()
    t.data.delete()
    assert t.serial == OURS
    with pytest.raises(LostValueError, match=r"^The array of this tensor has been deleted"):
        _ = t + 1


def test_an_array_that_was_deleted_behind_our_back_is_told_at_the_read() -> None:
    t = ones(2) + 1
    x10.barrier()
    t.held.delete()
    later = t + 1
    with pytest.raises(LostValueError, match="Array has been deleted"):
        np.asarray(later)


def test_what_comes_of_data_that_was_put_somewhere_is_looked_at(trace: Trace) -> None:
    device = jax.devices()[0]
    t = x10.tensor(np.ones(2, np.float32), device=device) + 1
    x10.barrier()
    assert t.serial == 0
    _ = t + 1
    assert trace.devices == (device,)
    with jax.default_device(device):
        other = ones(2) + 1
        x10.barrier()
        assert other.serial == OURS
        assert not other.held.committed
