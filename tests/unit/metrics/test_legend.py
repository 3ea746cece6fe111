from x10_jupyter.metrics.legend import FIELDS, WIDTH, legend, meanings
from x10_jupyter.metrics.parse import FIELDS as PARSED
from x10_jupyter.metrics.parse import SKIPPED


def test_every_line_of_a_report_is_explained() -> None:
    explained = {name for names in FIELDS for name in names.split(", ")}
    assert set(PARSED) - set(SKIPPED) | {"Value"} == explained


def test_the_names_that_are_asked_for() -> None:
    text = legend(["CompileTime", "x10::add", "x10::mul", "unheard of"])
    assert "ValueRate" in text
    assert text.count("x10::…") == 1
    assert "CompileTime" in text
    assert "ExecuteTime" not in text
    assert all(len(line) <= WIDTH for line in text.splitlines())


def test_everything_that_is_known() -> None:
    text = legend(meanings())
    assert all(name in text for name in meanings())
