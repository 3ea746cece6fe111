import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.ending import array_of, end
from x10_jupyter.records.runtime_events import Cut, Pending


def test_all_that_is_pending_is_computed_at_once_and_says_for_whom() -> None:
    with x10.capture() as capturing:
        x = x10.numpy.arange(3.0) * 2
        y = x + 1
        end("the end")
    (cut,) = [event for event in capturing.capture.events if isinstance(event, Cut)]
    assert (cut.how, cut.why, capturing.capture.step_count) == ("the end", "read", 0)
    assert [np.asarray(array_of(t)).tolist() for t in (x, y)] == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]


def test_what_waits_at_the_end_of_a_capture_is_told() -> None:
    end("the end")
    with x10.capture() as capturing:
        x = x10.numpy.arange(3.0) * 2
    assert [event.ops for event in capturing.capture.events if isinstance(event, Pending)] == [2]
    assert "; 2 operations wait for a read or `x10.barrier()`" in str(capturing.capture)
    with x10.capture() as capturing:
        x = x10.numpy.arange(3.0) + x
        float(x[0])
    assert [event for event in capturing.capture.events if isinstance(event, Pending)] == []


def test_what_is_no_computed_tensor_has_no_array() -> None:
    assert array_of(np.ones(3)) is None
    assert array_of(x10.numpy.ones(3) + 1) is None, "pending"


def test_an_array_that_is_handed_out_is_never_overwritten() -> None:
    x = x10.numpy.ones(100_000) * 3
    end("the end")
    array = array_of(x)
    assert array is not None
    x = x * 2
    x10.barrier()
    assert float(array[0]) == 3.0


def test_a_reduced_tensor_is_handed_out_as_what_it_says() -> None:
    with x10.config(use_bf16=True):
        x = x10.numpy.ones(3) * 1.5
        end("the end")
        assert str(getattr(array_of(x), "dtype", None)) == "float32"


def test_nothing_pending_is_nothing_to_do() -> None:
    x10.barrier()
    with x10.capture() as capturing:
        end("the end")
    assert not [event for event in capturing.capture.events if isinstance(event, Cut)]
