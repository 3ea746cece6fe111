import pytest

from reports import mixed
from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics.styles import STYLES, written


def test_each_style_by_its_name() -> None:
    assert list(STYLES) == ["x10", "torch_xla", "json", "openmetrics"]
    assert len({written(mixed(), style) for style in STYLES}) == 4


def test_there_is_no_other() -> None:
    with pytest.raises(UsageError, match=r"no style of this name for a metrics report; got 'html'. Use one of x10, torch_xla, json, openmetrics\."):
        written(mixed(), "html")
