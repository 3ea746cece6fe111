from collections.abc import Callable

from reports import mixed
from x10_jupyter.metrics import x10_style
from x10_jupyter.metrics.torch_xla_style import write


def test_each_kind(golden: Callable[[str, str], None]) -> None:
    golden("metrics.torch_xla.txt", write(mixed()))


def test_it_is_that_of_x10_but_for_the_label_of_a_sum() -> None:
    assert write(mixed()).replace("  Accumulator: ", "  Counter: ") == x10_style.write(mixed())
