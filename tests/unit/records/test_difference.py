from factories import site
from x10_jupyter.records.difference import Difference


def test_it_is_told_in_one_line() -> None:
    made = Difference(kind="shape", node=3, old="f32[4]", new="f32[3]", old_site=site(7), new_site=None)
    assert str(made) == "%3: shape: f32[4] at cell [4] line 7 -> f32[3]"
    ended = Difference(kind="structure", node=9, old="", new="f32[] x10::exp(%8)", old_site=None, new_site=site(2, cell=None))
    assert str(ended) == "%9: structure: nothing -> f32[] x10::exp(%8) at 1234.py:2"
