from collections.abc import Callable
from typing import get_args

import pytest

from captures import hostile, restarted, training
from factories import MS, capture, compiled, site
from pages import assert_survives
from x10_jupyter.diagnosis.folding import fold
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Cause, Kind
from x10_jupyter.records.compile import Compile
from x10_jupyter.views.explained import INDENT, MEANING, explained, explained_html, recompiles
from x10_jupyter.views.text import compile_line

SHAPE = Cause(
    kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", fix="Pad `x` to 32 rows, or drop the last, smaller batch.", site=site(7), nearest="train_1"
)
RATE = Cause(kind="constant", where="the number of `mul`", old="0.1", new="0.2", fix="Give it a name.", site=site(9))
EVICTED = Cause(kind="evicted", fix="Raise XLA_COMPILATION_CACHE_SIZE.", site=None)


def epoch() -> Capture:
    """Three recompiles of one cause and one of another, in two functions."""
    return capture(
        compiled(0, 500 * MS),
        compiled(600 * MS, 900 * MS, cause=SHAPE, line=12),
        compiled(1000 * MS, 1200 * MS, cause=SHAPE, line=12, program="p2"),
        compiled(1300 * MS, 1400 * MS, cause=RATE, function="Trainer.evaluate", line=9),
        compiled(1500 * MS, 1650 * MS, cause=SHAPE, line=12, program="p3"),
        compiled(1700 * MS, 1702 * MS, cause=EVICTED, cache="hit"),
        end_ns=2000 * MS,
    )


def test_the_last_recompiles(golden: Callable[[str, str], None]) -> None:
    golden("explained.txt", explained(epoch().compiles, last=10))


def test_one_unless_more_are_asked_for() -> None:
    compiles = epoch().compiles
    assert explained(compiles) == explained(compiles, last=10).split("\n\n")[0]
    assert explained(compiles, last=2) == "\n\n".join(explained(compiles, last=10).split("\n\n")[:2])


@pytest.mark.parametrize("name", ["Trainer.evaluate", "evaluate"])
def test_of_one_function(name: str) -> None:
    told = explained(epoch().compiles, of=name, last=10)
    assert told.startswith("`Trainer.evaluate` was compiled again: ")
    assert told.count("was compiled again") == 1


def test_of_one_program() -> None:
    assert [one.program for one in recompiles(epoch().compiles, "p2")] == ["p2"]


def test_it_says_what_the_other_view_says() -> None:
    for one in (training(), epoch()):
        last = explained(one.compiles).splitlines()[0].partition(": ")[2]
        assert any(last in compile_line(group, one) for group in fold(one.compiles))


def test_nothing_was_compiled_again(golden: Callable[[str, str], None]) -> None:
    golden("explained_first.txt", explained(restarted().compiles))
    assert explained(()) == "Nothing was compiled again; nothing was compiled at all."
    assert explained((), of="step") == "Nothing was compiled of the name `step`. Nothing was compiled."
    assert explained(epoch().compiles, of="step") == "Nothing was compiled of the name `step`. There is `Trainer.evaluate`, `train`."


def test_every_kind_of_cause_is_explained() -> None:
    assert set(MEANING) == set(get_args(Kind))
    assert all(sentence.endswith(".") for sentence in MEANING.values())


def test_nothing_is_endless() -> None:
    compiles: tuple[Compile, ...] = hostile().compiles
    assert max(map(len, explained(compiles, last=30).splitlines())) < 400


def test_in_a_notebook_it_is_a_table_that_says_the_same_and_wraps() -> None:
    compiles = epoch().compiles
    markup = explained_html(compiles, last=2)
    page, lines = assert_survives(markup), explained(compiles, last=2).splitlines()
    for line in filter(None, lines):
        assert line in page.words or (line[:INDENT].strip() in page.words and line[INDENT:] in page.words)
    assert "Nothing was compiled of the name `other`" in assert_survives(explained_html(compiles, of="other")).words
