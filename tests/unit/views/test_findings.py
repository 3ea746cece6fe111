from captures import hostile, training
from factories import MS, capture, compiled, executed, site, staged
from pages import Page
from x10_jupyter.records.cause import Cause
from x10_jupyter.views.findings import OPEN, findings


def test_share_time_and_kind_come_first_then_what_it_is_and_what_to_do() -> None:
    words = Page(findings(training())).words
    assert "29 %600 mswarm upCompiling `train` for the first time" in words
    assert "24 %500 msrecompileCompiling `train` again: `x` shape f32[32,64] → f32[17,64] at cell [4] line 7" in words
    assert "In `train`, at cell [4] line 7: drop or pad the last batch." in words
    assert "− It happens once: what runs again finds these programs." in words


def test_what_is_good_is_told_with_its_evidence_too() -> None:
    words = Page(findings(capture(executed(0, 1 * MS, 97 * MS)))).words
    assert "97 %97.0 mshealthyThe model running" in words
    assert "+ Programs were executing for 97.0 ms of 100 ms." in words


def test_nothing_found_is_nothing_shown() -> None:
    assert findings(capture()) == findings(hostile()) == ""


def test_small_ones_are_behind_a_line() -> None:
    causes = [Cause(kind="constant", where=f"rate{at}", site=site(at)) for at in range(1, 6)]
    made = findings(capture(*[compiled(at * 10 * MS, (at * 10 + 8) * MS, cause=cause) for at, cause in enumerate(causes)]))
    assert f"{len(causes) - OPEN} smaller findings" in Page(made).words


def test_what_the_user_named_is_text() -> None:
    bad = "<script>alert(1)</script>"
    why = Cause(kind="shape", where=bad, old=bad, new=bad, fix=bad, site=site(1, cell=None, function=bad))
    made = findings(capture(compiled(0, 30 * MS, cause=why, function=bad), staged(40 * MS, 90 * MS, function=bad)))
    assert "<script" not in made
    assert "&lt;script" in made
