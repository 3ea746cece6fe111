"""Checked against NumPy, which knows nothing of how it is done here."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.metrics.quantiles import quantiles

fractions = st.lists(st.floats(0.001, 0.999), min_size=1, max_size=9, unique=True).map(sorted)


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=1024), fractions)
def test_each_is_the_element_below_which_that_fraction_lies(values: list[int], wanted: list[float]) -> None:
    found = quantiles(values, wanted)
    assert list(found) == wanted
    ordered = np.sort(np.array(values, np.int64))
    for p, value in found.items():
        assert value == ordered[np.floor(np.float64(p) * len(values)).astype(int)]
        assert np.count_nonzero(ordered < value) <= p * len(values)
        # exactly so many stand before it, but for those equal to it
        assert np.count_nonzero(ordered <= value) > np.floor(p * len(values))
    assert list(found.values()) == sorted(found.values()), "in order, as the fractions are"


def test_numpys_own_percentile_without_interpolation_agrees_where_its_definition_does() -> None:
    values = list(range(0, 2000, 2))  # 1,000 of them: p · n is whole
    found = quantiles(values, (0.05, 0.5, 0.9))
    assert {p: int(np.sort(values)[round(p * 1000)]) for p in found} == found


def test_nothing_of_nothing() -> None:
    assert quantiles([], (0.5,)) == {}
