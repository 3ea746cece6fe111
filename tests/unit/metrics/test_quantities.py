import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.metrics.quantities import is_rounded, kind_of, size_of, size_text, time_of, time_text, value_of, value_text, whole

TIMES = {
    0: "000.000us",
    1_234: "001.234us",
    746_001: "746.001us",
    1_032_778: "001ms032.778us",
    1_700_000_000: "01s700ms000.000us",
    21_102_853_173: "21s102ms853.173us",
    59_999_999_999: "59s999ms999.999us",
    369_401_746_001: "06m09s401ms746.001us",
    3_600_000_000_000: "01h00m00s000ms000.000us",
    90_061_001_002_003: "01d01h01m01s001ms002.003us",
    8_640_000_000_000_000: "100d00h00m00s000ms000.000us",
}


@pytest.mark.parametrize("ns", TIMES)
def test_times(ns: int) -> None:
    assert time_text(ns) == TIMES[ns]
    assert time_of(TIMES[ns]) == ns


@given(st.integers(0, 10**18))
def test_a_time_is_read_back_to_the_nanosecond(ns: int) -> None:
    assert time_of(time_text(ns)) == ns
    assert not is_rounded(time_text(ns))


def rounded_text(ns: int) -> str:
    """A time as X10 writes it: each part but the last is the unfloored quotient, rounded half to even. Written from the description of its defect."""
    parts = [("d", 86_400_000_000_000, 2), ("h", 3_600_000_000_000, 2), ("m", 60_000_000_000, 2), ("s", 10**9, 2), ("ms", 10**6, 3)]
    text = ""
    for unit, size, width in parts:
        if ns >= size or text:
            text += f"{np.rint(ns / size):0{width}.0f}{unit}"
        ns %= size
    return f"{text}{ns / 1000:07.3f}us"


@given(st.integers(0, 10**13))
def test_a_time_that_x10_has_rounded_is_read_as_what_it_was(ns: int) -> None:
    if any(ns % size * 2 == size for size in (10**6, 10**9, 60 * 10**9, 3_600 * 10**9)):
        return  # half a part may have been rounded either way
    assert time_of(rounded_text(ns), rounded=True) == ns


def test_x10s_defect_as_it_is_seen_in_published_reports() -> None:
    assert rounded_text(59_999_999_999) == "60s1000ms999.999us"
    assert rounded_text(21_102_853_173) == "21s103ms853.173us"
    assert is_rounded("60s1000ms999.999us")
    assert time_of("60s1000ms999.999us", rounded=True) == 59_999_999_999
    assert not is_rounded("21s103ms853.173us")


def test_old_reports_do_not_pad_microseconds() -> None:
    assert time_of("001ms32.778us") == 1_032_778
    assert time_of("1s5ms7.5us") == 1_005_007_500


SIZES = {0: "0.00B", 4: "4.00B", 1023: "1023.00B", 1024: "1.00KB", 1536: "1.50KB", 490_733_568: "468.00MB", 2**40: "1.00TB", 2**60: "1024.00PB"}


@pytest.mark.parametrize("count", SIZES)
def test_sizes(count: int) -> None:
    assert size_text(count) == SIZES[count]
    assert size_of(SIZES[count]) == count


@given(st.integers(0, 10**17))
def test_a_size_is_read_back_as_far_as_it_is_written(count: int) -> None:
    assert abs(size_of(size_text(count)) - count) <= max(0.0051 * 1024 ** max(0, (count.bit_length() - 1) // 10), 0)


def test_plain_numbers() -> None:
    assert value_text(4854) == "4854.00"
    assert value_of("4854.00") == 4854
    assert isinstance(value_of("4854.00"), int)
    assert value_of("2.50") == 2.5
    assert value_of("1e+06") == 1_000_000
    assert whole(0.5) == 0.5


def test_what_a_text_is() -> None:
    assert [kind_of(text) for text in ("001ms32.778us", "468.00MB", "4854.00", "many", "")] == ["time", "bytes", "value", None, None]


@pytest.mark.parametrize(("read", "text"), [(time_of, "5 s"), (time_of, "us"), (size_of, "5 KB"), (size_of, "1.00XB"), (value_of, "many"), (value_of, "nan")])
def test_what_is_none(read: object, text: str) -> None:
    assert callable(read)
    with pytest.raises(ValueError, match=text):
        read(text)
