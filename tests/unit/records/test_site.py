import pytest

from factories import site
from x10_jupyter.base.frames import Cells
from x10_jupyter.records.site import Site, site_at, site_in


def test_a_cell_is_told_by_its_number_and_a_file_by_its_name() -> None:
    assert str(site(7)) == "cell [4] line 7"
    assert str(site(7, cell=None)) == "1234.py:7"


def test_a_line_has_the_number_of_its_cell_now(monkeypatch: pytest.MonkeyPatch) -> None:
    assert site_at("train.py", 3, "step") == Site(file="train.py", line=3, function="step")
    monkeypatch.setattr(Cells, "number", {"/tmp/ipykernel_1/1234.py": 4}.get)
    assert site_at("/tmp/ipykernel_1/1234.py", 3, "step").cell == 4
    (code,) = [one for one in compile("def step():\n    pass\n", "/tmp/ipykernel_1/1234.py", "exec").co_consts if hasattr(one, "co_qualname")]
    assert site_in(code, 2) == Site(file="/tmp/ipykernel_1/1234.py", line=2, function="step", cell=4)
