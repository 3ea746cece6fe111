"""A place in the trie of all traces."""

import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.trie import State


def test_a_state_remembers_where_its_operation_was_written(trace: Trace) -> None:
    y = x10.tensor(np.ones(2, np.float32)) * 2
    site = trace.state.site
    assert site is not None
    assert (site.file, site.function) == (__file__, "test_a_state_remembers_where_its_operation_was_written")
    assert y.shape == (2,)


def test_a_state_without_operation_counts_like_the_one_before() -> None:
    root = State(None, None, None, None)
    leaf = State(root, "aval", None, Line("file", 1, "f"))
    assert (leaf.depth, leaf.ref, leaf.slot) == (1, 0, 0)
