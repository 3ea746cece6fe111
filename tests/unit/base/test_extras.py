import pytest

from x10_jupyter.base.errors import MissingExtraError
from x10_jupyter.base.extras import imported


def test_a_module_that_is_there() -> None:
    assert imported("os.path", extra="charts", what="A chart").basename("a/b") == "b"


def test_one_that_is_not_names_the_extra() -> None:
    with pytest.raises(MissingExtraError) as caught:
        imported("no_such_package.inside", extra="charts", what="A chart")
    assert str(caught.value) == (
        "A chart needs the package `no_such_package`, which cannot be imported here; got No module named 'no_such_package'. "
        "Run: pip install 'x10_jupyter[charts]'"
    )
    assert isinstance(caught.value, ImportError)
