import pytest
from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.base.units import amount, count, duration, share, size


@pytest.mark.parametrize(
    ("ns", "expected"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_000, "1.00 µs"),
        (999_600, "1.00 ms"),
        (9_995_000, "10.0 ms"),
        (1_240_000, "1.24 ms"),
        (123_400_000, "123 ms"),
        (1_200_000_000, "1.20 s"),
        (59_940_000_000, "59.9 s"),
        (59_960_000_000, "1 m 00 s"),
        (125_000_000_000, "2 m 05 s"),
    ],
)
def test_durations(ns: int, expected: str) -> None:
    assert duration(ns) == expected


@given(st.integers(0, 59 * 10**9))
def test_a_duration_is_right_to_three_digits(ns: int) -> None:
    number, unit = duration(ns).split()
    assert float(number) * {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit] == pytest.approx(ns, rel=0.0051)
    assert len(number.replace(".", "")) <= 4


@pytest.mark.parametrize(
    ("count_bytes", "expected"),
    [(0, "0 B"), (512, "512 B"), (1536, "1.50 KiB"), (1_048_576, "1.00 MiB"), (5 * 2**30, "5.00 GiB"), (3 * 2**40, "3.00 TiB")],
)
def test_sizes(count_bytes: int, expected: str) -> None:
    assert size(count_bytes) == expected


def test_counts() -> None:
    assert [count(0, "step"), count(1, "step"), count(1000, "step"), count(2, "entry", "entries")] == ["0 steps", "1 step", "1,000 steps", "2 entries"]


@pytest.mark.parametrize(("part", "expected"), [(0, "0 %"), (0.004, "<1 %"), (0.005, "<1 %"), (0.574, "57 %"), (1, "100 %")])
def test_shares(part: float, expected: str) -> None:
    assert share(part) == expected


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 FLOP"), (999, "999 FLOP"), (1_000, "1.00 kFLOP"), (1_200_000_000, "1.20 GFLOP"), (10**18, "1000 PFLOP")]
)
def test_amounts(number: int, expected: str) -> None:
    assert amount(number, "FLOP") == expected
