"""Errors in the user's words."""

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.base.errors import LostValueError, OperandError, UsageError
from x10_jupyter.lazy.explain import explained, raise_explained
from x10_jupyter.lazy.op import Call

CALL = Call("matmul", lambda x: x, key="matmul")


def tensors() -> list[x10.Tensor]:
    return [x10.tensor(np.ones((2, 3), np.float32)), x10.tensor(np.ones(4, np.int8))]


@pytest.mark.parametrize("kind", [TypeError, ValueError])
def test_a_refusal_names_operation_shapes_and_line(kind: type[Exception]) -> None:
    error = explained(kind("shapes do not fit.\nand more"), CALL, tensors())
    assert isinstance(error, OperandError)
    assert isinstance(error, (TypeError, ValueError))
    assert str(error).startswith("`matmul` refuses these operands: shapes do not fit; got matmul(f32[2,3], i8[4]) at test_explain.py:")


def test_another_error_stays_itself_with_a_note() -> None:
    error = KeyError("mine")
    assert explained(error, CALL, tensors()) is error
    assert error.__notes__[0].startswith("in matmul(f32[2,3], i8[4]) at test_explain.py:")


def test_our_own_errors_are_clear_already() -> None:
    error = UsageError("No")
    assert explained(error, CALL, tensors()) is error
    assert not hasattr(error, "__notes__")


@pytest.mark.parametrize("kind", [TypeError, RuntimeError, LostValueError])
def test_an_error_is_never_its_own_cause(kind: type[Exception]) -> None:
    error = kind("no")
    with pytest.raises(Exception, match="no") as caught:
        raise_explained(error, CALL, tensors())
    assert caught.value.__cause__ is (None if caught.value is error else error)
    assert caught.value.__context__ is not caught.value
