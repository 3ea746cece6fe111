"""What a program overwrites is named."""

import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.taken import taken


def test_inputs_are_called_as_where_they_become_the_new_value() -> None:
    weight, bias = x10.tensor(np.ones((2, 3), np.float32)), x10.tensor(np.ones(3, np.float32))
    params = {"w": weight}
    slope = params["w"] * bias
    made = [weight - slope, bias - slope.sum(0)]
    trace = LOCAL.trace
    leaf = {id(held): i for i, held in enumerate(trace.leaves)}
    found = taken(path_to(trace.state), {leaf[id(weight.held)]: made[0].ref, leaf[id(bias.held)]: made[1].ref})
    assert found[made[0].ref].startswith("`weight` f32[2,3] at test_taken.py:15")
    assert found[made[1].ref].startswith("`bias` f32[3] at test_taken.py:15")
    assert taken(path_to(trace.state), {}) == {}
