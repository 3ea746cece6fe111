from pages import assert_survives
from x10_jupyter.views.markup import Markup, element, folded, join, readings, safe, section, swatch, table


def test_text_is_escaped_once_and_markup_is_not() -> None:
    inner = element("b", "1 < 2")
    assert element("div", inner, "&") == "<div><b>1 &lt; 2</b>&amp;</div>"
    assert safe(Markup("<b>")) == "<b>"
    assert join("<", inner) == "&lt;<b>1 &lt; 2</b>"


def test_style_is_escaped_too() -> None:
    assert element("i", font_size='1px"><script>') == '<i style="font-size:1px&quot;&gt;&lt;script&gt;"></i>'


def test_a_table_escapes_its_cells_and_aligns_its_columns() -> None:
    made = table([["<a>", "1"]], header=["name", "n"], align={1: "right"})
    assert "&lt;a&gt;" in made
    assert made.count("text-align:right") == 2
    assert made.count("text-align:left") == 2
    assert made.count("white-space:normal") == 2
    assert "min-width" not in table([["a"]], header=[""], align={})
    assert table([["a"]], header=["b"], align={}).count("min-width") == 1


def test_a_title_is_an_attribute_and_escaped() -> None:
    assert element("span", title='"x', width="1px") == '<span title="&quot;x" style="width:1px"></span>'


def test_a_section_without_parts_is_nothing() -> None:
    assert section("Steps", "", "") == ""
    assert section("<b>", "x").startswith("<div")
    assert "&lt;b&gt;" in section("<b>", "x")


def test_what_is_folded_stands_behind_its_summary() -> None:
    assert folded("a < b", "x").startswith("<details")
    assert ">a &lt; b</summary>x</details>" in folded("a < b", "x")
    assert "background:#123456" in swatch("#123456")


def test_readings_stand_beside_each_other_and_break_into_lines() -> None:
    made = readings({"50 %": "<1>", "sum": "2"})
    assert assert_survives(made).words == "50 % <1> sum 2 "
    assert made.count("display:inline-block") == 2


def test_columns_of_names_wrap_and_the_others_do_not() -> None:
    made = table([["a_long_name", "1", "why"]], header=[], align={}, wraps={0: "8em"})
    first, second, last = [cell.partition(">")[0] for cell in made.split("<td")[1:]]
    assert "white-space:normal;overflow-wrap:anywhere;min-width:8em" in first
    assert "white-space:nowrap" in second
    assert "white-space:normal;overflow-wrap:break-word" in last
