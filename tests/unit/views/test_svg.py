from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from pages import assert_survives, pictures
from x10_jupyter.views.svg import LEAST, label, picture, shape


@given(st.text(), st.text())
def test_any_text_can_be_drawn_and_read_back(written: str, alt: str) -> None:
    made = picture(10, 20, label(1, 2, written), shape("path", d=written), alt=alt)
    assert_survives(made)
    text, path = ElementTree.fromstring(pictures(made)[0])
    if written.isprintable():
        assert (text.text or "") == written
        assert path.attrib["d"] == written


def test_what_a_picture_can_not_hold_is_replaced() -> None:
    assert shape("text", "a\x00\ud800\uffffb") == "<text>a\ufffd\ufffd\ufffdb</text>"


def test_numbers_have_a_decimal_at_most() -> None:
    assert shape("path", x=1.0, y=2.26, z=3) == '<path x="1" y="2.3" z="3"/>'


def test_a_picture_becomes_smaller_where_there_is_less_room_as_far_as_it_can_be_read() -> None:
    made = picture(300, 20, alt="nothing & more")
    assert 'alt="nothing &amp; more" style="display:block;width:300px;max-width:100%;min-width:300px;height:auto"' in made
    assert f"width:960px;max-width:100%;min-width:{LEAST}px;" in picture(960, 20, alt="wide")
    assert made.startswith('<div style="overflow-x:auto">')
    assert pictures(made)[0].startswith('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="20" viewBox="0 0 300 20"')
