import pytest

from captures import hostile
from factories import MS, capture, device, held, holding, sampled, weighed
from x10_jupyter.base.errors import UsageError
from x10_jupyter.views.charts.memory import memory


def test_a_line_for_each_device_over_the_time_of_the_capture() -> None:
    events = [sampled(at * MS, device(at + 1), device(5, name="CPU:1")) for at in (9, 20, 110)]
    first, second = memory(capture(*events, start_ns=9 * MS, end_ns=110 * MS))["data"]
    assert (first["name"], first["x"], first["y"]) == ("CPU:0, arrays", [0.0, 0.011, 0.101], [10, 21, 111])
    assert (second["name"], second["y"]) == ("CPU:1, arrays", [5, 5, 5])
    assert first["line"]["color"] != second["line"]["color"]


def test_what_an_allocator_has_given_out_stands_beside_it() -> None:
    events = [sampled(0, device(1, name="GPU:0", allocated_bytes=30)), sampled(MS, device(2, name="GPU:0"))]
    arrays, allocated = memory(capture(*events))["data"]
    assert (arrays["y"], allocated["y"]) == ([1, 2], [30, None])
    assert allocated["name"] == "GPU:0, given out by its allocator"


def test_a_device_that_held_nothing_for_a_while_has_nought_there() -> None:
    (line,) = memory(capture(sampled(0), sampled(MS, device(7))))["data"]
    assert line["y"] == [0, 7]


def test_the_title_tells_the_peak() -> None:
    made = memory(capture(*weighed((0, "beginning", ()), (5, "between", (holding(4096),)), (9, "end", ()))))
    assert made["layout"]["title"]["text"] == "Memory of devices, at most 4.00 KiB"


def test_what_is_not_there_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match=r"holds no memory in use over time, since it was not to be looked at.*memory=True"):
        memory(hostile())
    with pytest.raises(UsageError, match="since it could not be had: JAX has none"):
        memory(capture(held(1, "end", reason="JAX has none.")))
