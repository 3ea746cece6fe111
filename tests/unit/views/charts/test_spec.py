import plotly.graph_objects as go

from x10_jupyter.views.charts.spec import figure, plain, spec


def test_a_figure_has_its_traces_and_axes() -> None:
    made = spec([{"type": "bar", "x": [1], "y": [2]}], title="a <b>", axes={"xaxis": {"type": "log"}}, barmode="stack")
    assert made["data"] == [{"type": "bar", "x": [1], "y": [2]}]
    assert made["layout"]["title"]["text"] == "a &lt;b&gt;"
    assert made["layout"]["xaxis"]["type"] == "log"
    assert made["layout"]["barmode"] == "stack"


def test_it_is_plotlys_own_object() -> None:
    made = figure(spec([{"type": "bar", "x": [1], "y": [2]}], title="t", axes={}))
    assert isinstance(made, go.Figure)
    assert made.to_dict()["data"][0]["y"] == [2]


def test_what_looks_like_html_is_text() -> None:
    assert plain('<a href="x">') == '&lt;a href="x"&gt;'
