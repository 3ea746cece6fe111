"""What was walked through is built again with other values, and the original is left alone."""

import types
from typing import Any

import numpy as np

from x10_jupyter.lazy.rebuild import (
    Filling,
    FunctionPlan,
    again,
    build_dict,
    build_list,
    build_object,
    build_partial,
    constant,
    copy_of_module,
    next_array,
    next_number,
)


def filling(*arrays: Any, numbers: tuple[Any, ...] = ()) -> Filling:
    return Filling(iter(arrays), iter(numbers))


SCALE = 2


def test_arrays_and_numbers_come_in_order() -> None:
    given = filling("a", "b", numbers=(1, 2))
    assert [next_array(given), next_number(given), next_array(given), next_number(given)] == ["a", 1, "b", 2]


def test_a_function_reads_what_it_is_given() -> None:
    offset = 10

    def f(x: int, factor: int = 3, *, power: int = 1) -> int:
        return SCALE * (x * factor) ** power + offset

    plan = FunctionPlan(f, ["offset"], [("SCALE",)], [next_array, next_array, next_array, next_array])
    made = plan.build(filling(100, 7, (5,), {"power": 2}), 0)
    assert made(1) == 7 * 5**2 + 100
    assert (f(1), SCALE) == (16, 2), "the original is as it was"
    assert (made.__name__, made.__qualname__, made.__module__) == (f.__name__, f.__qualname__, f.__module__)


def test_a_function_that_reads_no_globals_keeps_its_own() -> None:
    def f() -> int:
        return SCALE

    assert FunctionPlan(f, [], [], []).build(filling(), 0).__globals__ is globals()


def test_a_function_reads_other_modules() -> None:
    def f() -> Any:
        return np.linalg.norm, np.pi

    made = FunctionPlan(f, [], [("np", "linalg", "norm"), ("np", "pi")], [next_array, next_array]).build(filling("norm", 3), 0)
    assert made() == ("norm", 3)
    assert np.pi > 3.1
    assert callable(np.linalg.norm)


def test_recursion_meets_the_new_function() -> None:
    def f(n: int) -> Any:
        return f if n == 0 else f(n - 1)

    plan = FunctionPlan(f, ["f"], [], [lambda given: given.built[4]])
    made = plan.build(filling(), 4)
    assert made(2) is made


def test_containers_that_hold_themselves() -> None:
    given = filling(numbers=(1, 2))
    made = build_list(given, 0, [next_number, lambda given: given.built[0]])
    assert made[0] == 1
    assert made[1] is made
    table = build_dict(given, 1, ("b", "a"), [next_number, lambda given: given.built[1]])
    assert list(table) == ["b", "a"]
    assert table["a"] is table


def test_objects_partials_and_modules_are_copies() -> None:
    class Thing:
        def __init__(self) -> None:
            raise AssertionError("a copy is not constructed")

    made = build_object(filling(numbers=(5,)), 0, Thing, lambda given: {"k": next_number(given)})
    assert (type(made), made.k) == (Thing, 5)
    part = build_partial(filling(), [lambda _: max, lambda _: (1,), lambda _: {"default": 2}])
    assert (part.func, part.args, part.keywords) == (max, (1,), {"default": 2})
    module = types.ModuleType("tools")
    vars(module)["k"] = 1
    copy = copy_of_module(module)
    vars(copy)["k"] = 2
    assert (vars(module)["k"], copy.__name__) == (1, "tools")


def test_what_stays_and_what_was_met_before() -> None:
    it = object()
    mark, template = constant(it, "mark")
    assert (mark, template(filling())) == ("mark", it)
    _, template = again(3, it)
    given = filling()
    assert template(given) is it, "it was not built, so it is itself"
    given.built[3] = "new"
    assert template(given) == "new"
