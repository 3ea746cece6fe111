import json
from collections.abc import Callable
from dataclasses import replace

from captures import hostile, training
from factories import ENVIRONMENT, capture
from standalone import assert_stands_alone
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.wire import document
from x10_jupyter.views.markup import element
from x10_jupyter.views.report import MOST_LINES, Section, report

CODE = "for x, y in batches:\n    w = step(w, x, y)  # <b>\n"


def section(made: Capture, **fields: object) -> Section:
    shown = Section(capture=made, view=element("div", "the view of", made.name or "it"), answer="the answer")
    return replace(shown, **fields)


def test_one_capture(golden: Callable[[str, str], None]) -> None:
    page = report([section(replace(training(), name="digits", source=CODE), cell=4)])
    assert_stands_alone(page)
    golden("report.html", page.strip())


def test_several_have_a_list_that_leads_to_each() -> None:
    pages = report([section(replace(training(), name="first")), section(capture(), cell=7), section(capture())], "Three <runs>")
    found = assert_stands_alone(pages)
    assert found.asks == ["#1", "#2", "#3"]
    assert found.targets == {"#1", "#2", "#3"}
    assert "<h1>Three &lt;runs&gt;</h1>" in pages
    assert "3 captures, 2.30 s together." in found.words
    assert [name in found.words for name in ("first", "cell [7]", "capture")] == [True] * 3


def test_of_several_captures_compiles_are_added_up_each_once() -> None:
    words = assert_stands_alone(report([section(training()), section(replace(training(), name="again")), section(capture())])).words
    assert "Compiles of all captures" in words
    assert "2 programs compiled in 1.10 s, 1 of them again" in words
    assert "Compiles of all captures" not in report([section(training())])
    assert "Compiles of all captures" not in report([section(capture()), section(capture())])


def test_what_it_ran_on_is_told_once_for_each_machine() -> None:
    other = replace(ENVIRONMENT, platform="gpu", device_kind="NVIDIA H200")
    page = report([section(capture()), section(capture()), section(capture(environment=other))])
    assert page.count("jaxlib 0.10.2") == 2
    assert "1 × NVIDIA H200 (gpu)" in page


def test_memory_and_packages_are_told_if_they_are_known() -> None:
    known = replace(ENVIRONMENT, packages=(("flax", "0.10.2"), ("optax", "0.2.4")), host_memory_bytes=32 * 2**30, device_memory_bytes=141 * 2**30)
    words = assert_stands_alone(report([section(capture(environment=known))])).words
    assert "flax 0.10.2, optax 0.2.4" in words
    assert "1 × cpu (cpu), 141 GiB" in words
    assert "2 cores, 32.0 GiB" in words


def test_how_lazy_tensors_were_recorded_is_told_if_it_is_known() -> None:
    known = replace(ENVIRONMENT, compiled_recording=False)
    assert "lazy tensorsrecorded in Python" in assert_stands_alone(report([section(capture(environment=known))])).words
    assert "lazy tensors" not in assert_stands_alone(report([section(capture())])).words


def test_the_data_stands_in_it_where_nothing_runs_it() -> None:
    bad = replace(hostile(), name="</script><script>alert(1)</script>")
    page = report([section(bad, document=document(bad)), section(capture(), document=document(capture())), section(capture())])
    found = assert_stands_alone(page)
    assert [json.loads(data) for data in found.data] == [document(bad), document(capture())]
    assert 'load_capture("FILE.html")' in found.words
    assert "load_capture" not in report([section(capture())])


def test_long_code_is_folded_and_none_takes_no_room() -> None:
    assert "<details open><summary>3 lines of code" in report([section(capture(source=CODE))])
    assert f"<details><summary>{MOST_LINES + 1} lines of code" in report([section(capture(source="x\n" * MOST_LINES + "x"))])
    assert "<details" not in report([section(capture(source="\n"))])


def test_what_the_user_wrote_is_text() -> None:
    bad = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
    made = replace(hostile(), name=bad, source=bad, environment=replace(ENVIRONMENT, device_kind=bad, python=bad))
    found = assert_stands_alone(report([section(made, answer=bad), section(made)], bad * 20))
    assert bad in found.words
