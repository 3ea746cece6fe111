import sys
from typing import Any

import pytest

from x10_jupyter.lazy.literal import is_literal

LITERALS = [
    *("x * 2", "2 * x", "x * 2.5", "x * -2.5", "-2.5 * x", "x * (1 + 2)", "x - 1e-3", "x * 100000", "x * 1j", "x ** 2", "x @ y * 3", "(x * y) % 7"),
    *("(x + y) * 2", "2 / (x + y)", "(x if y else x) * 3", "f(x) * 2", "f(x, y=2) * 3", "f(*[1, 2]) * 2", "x.t * 2", "x.f(1, 2) + 4", "y[0] * 2.0"),
    *("x < 3", "3 >= x", "x == 0", "x != -1"),
    *("x[0]", "x[-1]", "x[0, 1]", "x[1:2, 0]", "x[...]", "x[None]", "x[:, 0]"),
]
VARIABLES = [
    *("x * y", "x * rate", "rate * x", "x * x.t", "x * (rate + 1)", "x * -rate", "x < y"),
    *("x + f(2)", "x * f()", "x * f(1, k=2)", "x * len('ab')", "x * abs(-2)", "(lambda: 3)() * x"),
    *("x[y]", "x[y + 1]", "x[y:2, 0]", "x[y, 0]", "x * d['k']", "x * d[0]", "x * [1, 2][0].real"),
    "x * (y or 3)",
    # from Python 3.12 on the compiler writes the operator twice, once for each literal
    *(["x * (1 if y else 2)", "(1 if y else 2) * x"] if sys.version_info < (3, 12) else []),
]
STATEMENTS = {
    "x += 2": True,
    "x *= 0.5": True,
    "x -= rate": False,
    "x /= y": False,
    "z = x * 2 if y else x": True,
    "for _ in (1,): x * 3": True,
    "x * rate; 2": False,
}


class Spy:
    """Asks, at any operator that it is the last operand to be asked by, whether the other one is a literal."""

    def __init__(self) -> None:
        self.answers: list[bool] = []

    def ask(self, *_: object, **__: object) -> "Spy":
        self.answers.append(is_literal(sys._getframe(1)))
        return self

    @property
    def t(self) -> "Spy":
        return self

    def f(self, *_: object, **__: object) -> "Spy":
        return self

    def __hash__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    __mul__ = __rmul__ = __add__ = __radd__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __pow__ = __mod__ = __matmul__ = __getitem__ = ask
    __lt__ = __le__ = __gt__ = __ge__ = __iadd__ = __isub__ = __imul__ = __itruediv__ = ask
    __eq__ = __ne__ = ask  # pyright: ignore[reportAssignmentType] - as a tensor's, it returns no bool

    def __neg__(self) -> "Spy":
        return self


def last_answer(source: str) -> bool:
    """What is said of the operator that runs last."""
    spy = Spy()
    names: dict[str, Any] = {"x": spy, "y": spy, "f": spy.f, "rate": 3.0, "d": {"k": 3.0, 0: 2.0}}
    exec(compile(source, "<test>", "exec"), names)
    return spy.answers[-1]


@pytest.mark.parametrize("source", LITERALS)
def test_an_operand_made_of_constants_is_a_literal(source: str) -> None:
    assert last_answer(source)


@pytest.mark.parametrize("source", VARIABLES)
def test_anything_else_is_not(source: str) -> None:
    assert not last_answer(source)


@pytest.mark.parametrize(("source", "expected"), STATEMENTS.items())
def test_statements(source: str, expected: bool) -> None:
    assert last_answer(source) is expected


@pytest.mark.parametrize("source", ["x * 2", "x * rate"])
def test_inside_a_function(source: str) -> None:
    assert last_answer(f"def step(x, rate):\n    return {source}\nstep(x, 3.0)") is (source == "x * 2")


def test_a_call_is_no_operator() -> None:
    spy = Spy()
    exec("spy.ask(2)", {"spy": spy})
    assert spy.answers == [False]


def test_the_operator_that_runs_is_the_one_judged() -> None:
    spy = Spy()
    exec("x * 2 + rate - 3", {"x": spy, "rate": 3.0})
    assert spy.answers == [True, False, True]
