from x10_jupyter.views.markup import Markup, element, join, safe, table


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
