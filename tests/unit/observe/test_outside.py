import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from x10_jupyter.observe.outside import MOST, outside

TABLE = np.arange(3)


class Model:
    def __init__(self) -> None:
        self.weights = {"w": np.ones(2)}

    def apply(self, x: Any) -> Any:
        return x @ self.weights["w"]


@dataclass
class Holder:
    held: Any


def names(function: Any) -> list[str]:
    return [name for name, value in outside(function) if isinstance(value, np.ndarray)]


def test_globals_and_what_is_closed_over_have_their_names() -> None:
    mask, params = np.ones(2), {"a": [np.ones(1), np.ones(2)]}

    def step(x: Any) -> Any:
        return x * TABLE + mask + params["a"][0]

    assert sorted(names(step)) == ["TABLE", "mask", "params['a'][0]", "params['a'][1]"]
    assert dict(outside(step))["mask"] is mask


def test_functions_among_them_are_looked_through() -> None:
    def helper(x: Any) -> Any:
        return x * TABLE

    @functools.wraps(helper)
    def wrapped(x: Any) -> Any:
        return helper(x)

    assert names(lambda x: helper(x)) == ["TABLE"]
    assert names(lambda x: wrapped(x)) == ["TABLE"]
    assert names(lambda x: [(lambda y: y + TABLE)(each) for each in x]) == ["TABLE"]


def test_methods_and_objects_have_attributes() -> None:
    model, holder = Model(), Holder(np.ones(1))
    assert names(model.apply) == ["self.weights['w']"]
    assert sorted(names(lambda x: model.apply(x) + holder.held)) == ["holder.held", "model.weights['w']"]


def test_what_is_no_function_has_nothing_and_the_rest_does_no_harm() -> None:
    later: Any
    assert list(outside(None)) == list(outside(5)) == list(outside(math.sin)) == []
    assert names(lambda x: later + x) == []
    if math.pi < 0:
        later = 1


def test_a_function_that_calls_itself_and_a_large_structure_have_an_end() -> None:
    large = [np.ones(1)] * (2 * MOST)

    def again(x: Any) -> Any:
        return again(x) + large[0]

    assert len(list(outside(again))) == MOST
