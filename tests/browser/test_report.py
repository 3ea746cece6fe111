"""The report in a browser that has no network."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from captures import training
from factories import program
from x10_jupyter.session.result import Capture, load_capture, write_report

SCHEMES = ("light", "dark")


@pytest.fixture
def report(tmp_path: Path) -> Path:
    made = training()
    fields = {name: getattr(made, name) for name in made.__dataclass_fields__}
    named = tuple(program(f"jit(train_step_with_regularisation_and_a_schedule).{number}") for number in range(3))
    first = Capture(**{**fields, "name": "first <epoch>", "programs": named})
    return write_report([(first, 4), (Capture(**fields), None)], tmp_path / "report.html", title="Two epochs")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_shows_offline_and_asks_for_nothing(browser: Browser, report: Path, pictures: Path, scheme: str) -> None:
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light", offline=True)
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(report.as_uri())
    page.screenshot(path=pictures / f"report_{scheme}.png", full_page=True)
    assert [url for url in asked if not url.startswith("data:")] == [report.as_uri()]
    assert said == []
    expect(page.get_by_role("heading", name="Two epochs")).to_be_visible()
    page.get_by_role("link", name="first <epoch>").click()
    assert page.url.endswith("#1")
    expect(page.get_by_text("shape f32[32,64] → f32[17,64]").first).to_be_visible()
    text, background = page.evaluate("() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
    assert (text, background) == (("rgb(255, 255, 255)", "rgb(18, 18, 18)") if scheme == "dark" else ("rgb(0, 0, 0)", "rgb(255, 255, 255)"))
    assert load_capture(report, 1).name == "first <epoch>"
    context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_in_a_narrow_window_no_table_is_scrolled_sideways(browser: Browser, report: Path, width: int, scheme: str) -> None:
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light", viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(report.as_uri())
    page.evaluate("() => document.querySelectorAll('details').forEach(each => each.open = true)")
    hidden = (
        "() => [...document.querySelectorAll('table')].filter(one => one.parentElement.scrollWidth > one.parentElement.clientWidth).map(one => one.innerText)"
    )
    assert page.evaluate(hidden) == []
    assert "OutboundData" in page.inner_text("body")
    assert "transcendental" in page.inner_text("body")
    context.close()
