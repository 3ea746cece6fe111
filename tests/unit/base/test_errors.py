"""An error says what is wrong, what was seen and what to do next."""

import pytest

from x10_jupyter.base.errors import LeakedValueError, LostValueError, OperandError, UnsupportedJaxError, UsageError, X10Error, named


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (X10Error("It broke"), "It broke."),
        (X10Error("It broke", got=3), "It broke; got 3."),
        (X10Error("It broke", got="f32[2]"), "It broke; got f32[2]."),
        (X10Error("It broke", fix="Mend it."), "It broke. Mend it."),
        (X10Error("It broke", got=[1], fix="Mend it."), "It broke; got [1]. Mend it."),
    ],
)
def test_the_message(error: X10Error, message: str) -> None:
    assert str(error) == message


def test_its_parts_are_kept() -> None:
    error = UsageError("It broke", got=3, fix="Mend it.")
    assert (error.what, error.got, error.fix) == ("It broke", 3, "Mend it.")


@pytest.mark.parametrize(
    ("kind", "builtins"),
    [
        (UsageError, (ValueError,)),
        (OperandError, (TypeError, ValueError)),
        (LostValueError, (RuntimeError,)),
        (LeakedValueError, (RuntimeError,)),
        (UnsupportedJaxError, (ImportError,)),
    ],
)
def test_each_is_caught_as_what_python_would_raise(kind: type[X10Error], builtins: tuple[type[Exception], ...]) -> None:
    assert issubclass(kind, (X10Error, *builtins))
    for one in builtins:
        with pytest.raises(one, match=r"^It broke\.$"):
            raise kind("It broke")


def test_an_exception_in_one_line() -> None:
    assert [named(ValueError("no such axis\nand more")), named(KeyError()), named(KeyboardInterrupt())] == [
        "ValueError: no such axis",
        "KeyError",
        "KeyboardInterrupt",
    ]
