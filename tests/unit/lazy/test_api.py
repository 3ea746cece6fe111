"""What the runtime offers, and that importing it puts its hooks in."""

from x10_jupyter.lazy import api
from x10_jupyter.lazy.local import Watch


def test_the_names_are_there() -> None:
    assert api.LazyTensorBarrier is api.barrier
    assert all(callable(getattr(api, name)) for name in ("barrier", "grad", "lazy", "members", "tensor", "value_and_grad"))


def test_the_hooks_are_in() -> None:
    assert Watch.is_on
