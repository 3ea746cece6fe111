import pytest
from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.base.units import duration
from x10_jupyter.views.axis import axis, linear, tick_text

numbers = st.lists(st.integers(0, 10**13), min_size=1, max_size=30)


@given(numbers)
def test_places_are_shares_of_the_length_and_keep_the_order(values: list[int]) -> None:
    found = axis(values)
    places = [found.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)
    assert found.at(max(values)) == pytest.approx(1) or max(values) == 0


@given(numbers)
def test_ticks_are_few_round_and_on_the_axis(values: list[int]) -> None:
    found = axis(values)
    assert 1 <= len(found.ticks) <= 6
    assert list(found.ticks) == sorted(set(found.ticks))
    assert all(0 <= tick <= found.high for tick in found.ticks)
    assert all(f"{tick:.0e}"[0] in "1245689370" for tick in found.ticks)
    if not found.is_log:
        assert found.at(found.high / 2) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("high", "ticks"), [(10, [0, 2, 4, 6, 8, 10]), (640, [0, 200, 400, 600]), (1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, [0, 0.2, 0.4, 0.6, 0.8, 1])]
)
def test_linear(high: float, ticks: list[float]) -> None:
    assert list(linear(high).ticks) == pytest.approx(ticks)


def test_a_logarithmic_one_has_powers_of_ten() -> None:
    found = axis([2, 2, 2, 1000])
    assert found.is_log
    assert list(found.ticks) == pytest.approx([1, 10, 100, 1000])
    assert found.at(10) == pytest.approx(1 / 3)
    assert list(axis([1, 1, 1, 10**9]).ticks) == pytest.approx([1, 100, 10**4, 10**6, 10**8])


@pytest.mark.parametrize(("value", "text"), [(2e7, "20 ms"), (5e5, "500 µs"), (0, "0"), (1.5e9, "1.5 s"), (1.2e11, "2 m 00 s"), (100, "100 ns")])
def test_ticks_as_text(value: float, text: str) -> None:
    assert tick_text(value, duration) == text
