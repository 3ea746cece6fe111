"""Tracing a block in IPython's core: what is shown, kept and refused, with a front end that a test looks at."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from factories import compiled, site, staged
from screen import Screen
from stage import Stage
from x10_jupyter.base.errors import ExpectationError
from x10_jupyter.magics.options import Options
from x10_jupyter.magics.tracing import IS_LIVE, LAST, PLAIN, Leaving, Tracing
from x10_jupyter.records.cause import Cause
from x10_jupyter.session import load_capture

SHAPE = Cause(kind="shape", where="x", old="f32[32]", new="f32[17]", fix="Pad `x`.", site=site(7))
RATE = Cause(kind="constant", where="lr", old="0.1", new="0.2", site=site(9))
Trace = Callable[..., Tracing]


@pytest.fixture
def screen(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> Screen:
    made: Any = Screen()
    monkeypatch.setattr(shell, "display_pub", made, raising=False)
    return made


@pytest.fixture
def trace(shell: InteractiveShell, stage: Stage) -> Trace:
    return lambda **asked: Tracing(shell, Options(**asked), stage.capture, stage.live, Leaving())


@pytest.fixture(autouse=True)
def nothing_is_left(stage: Stage, screen: Screen) -> Iterator[None]:
    yield
    assert not stage.events
    assert not screen.hooks
    assert not IS_LIVE.get()


def test_what_goes_on_is_shown_and_then_replaced_by_what_happened(trace: Trace, stage: Stage, screen: Screen, shell: InteractiveShell) -> None:
    with trace():
        stage.turns.turn()
        stage.turns.turn()
    live, again, final = screen.shown
    assert live.text.startswith("Running for")
    assert (live.update, again.update, final.update) == (False, True, True)
    assert live.id == again.id == final.id
    assert final.text == str(shell.user_ns[LAST])
    assert set(final.data) >= {"text/plain", "text/html"}


def test_what_ends_at_once_is_shown_only_then(trace: Trace, screen: Screen, shell: InteractiveShell) -> None:
    with trace():
        pass
    (only,) = screen.shown
    assert (only.text, only.update, only.id) == (str(shell.user_ns[LAST]), False, "")


@pytest.mark.parametrize("asked", [{"no_live": True}, {"quiet": True}], ids=str)
def test_nothing_goes_on_if_that_is_asked_for(trace: Trace, stage: Stage, screen: Screen, asked: dict[str, bool]) -> None:
    with trace(**asked):
        assert stage.turns.waits == []
        assert not screen.hooks
    assert len(screen.shown) == (0 if "quiet" in asked else 1)


def test_where_the_output_was_cleared_the_view_is_shown_anew(trace: Trace, stage: Stage, screen: Screen) -> None:
    with trace():
        stage.turns.turn()
        screen.clear_output()
        stage.turns.last_turn()
    live, final = screen.shown
    assert (live.update, final.update) == (False, False)
    assert final.id != live.id


def test_where_the_front_end_fails_the_view_comes_all_the_same(trace: Trace, stage: Stage, screen: Screen) -> None:
    with trace():
        stage.turns.turn()
        screen.is_broken = True
        stage.turns.last_turn()
        screen.is_broken = False
    _, final = screen.shown
    assert (final.update, final.id) == (False, "")


def test_without_a_front_end_that_replaces_nothing_goes_on(trace: Trace, stage: Stage, screen: Screen, shell: InteractiveShell, monkeypatch: Any) -> None:
    bundles: list[dict[str, str]] = []

    class Terminal:
        def publish(self, data: dict[str, str], **_: object) -> None:
            bundles.append(data)

    monkeypatch.setattr(shell, "display_pub", Terminal())
    with trace():
        assert stage.turns.waits == []
    assert [bundle["text/plain"] for bundle in bundles] == [str(shell.user_ns[LAST])]


def test_an_inner_block_is_part_of_what_goes_on_already(trace: Trace, stage: Stage, screen: Screen) -> None:
    with trace(out="outer"):
        with trace(out="inner"):
            assert len(screen.hooks) == 1
        stage.turns.turn()
    inner, live, final = screen.shown
    assert (inner.update, live.update, final.update) == (False, False, True)
    assert live.text.startswith("Running for")


def test_a_block_that_raises_is_shown_and_raises(trace: Trace, stage: Stage, screen: Screen, shell: InteractiveShell) -> None:
    with pytest.raises(ZeroDivisionError), trace(out="mine", max_recompiles=0):
        stage.turns.turn()
        stage.events.emit(compiled(0, 1, cause=SHAPE))
        raise ZeroDivisionError("division by zero")
    assert screen.shown[-1].text.startswith("Stopped by ZeroDivisionError: division by zero.")
    assert shell.user_ns["mine"] is shell.user_ns[LAST]


def test_too_many_recompiles_are_an_error_that_names_the_causes(trace: Trace, stage: Stage, screen: Screen, shell: InteractiveShell) -> None:
    def run(most: int) -> None:
        with trace(max_recompiles=most):
            for index, cause in enumerate((Cause(kind="first"), SHAPE, RATE, SHAPE)):
                stage.events.emit(compiled(index, index + 1, cause=cause))

    run(3)
    with pytest.raises(ExpectationError) as caught:
        run(2)
    assert str(caught.value) == (
        "At most 2 recompiles of functions and lazy traces may happen here; got 3: `train` 2 times: `x` shape f32[32] → f32[17] at cell [4] line 7; "
        "`train`: `lr` constant 0.1 → 0.2 at cell [4] line 9. Pad `x`."
    )
    assert screen.shown[-1].text == str(shell.user_ns[LAST])


def test_operations_that_ran_at_once_are_no_recompiles(trace: Trace, stage: Stage) -> None:
    """A beginner's `jnp.zeros(3)`, `jnp.zeros(4)`: each is a program of its own, and none of a function of the user's."""
    with trace(max_recompiles=0):
        for index in range(3):
            stage.events.emit(staged(index, index + 1, function="broadcast_in_dim", cause=SHAPE, is_eager=True))

    def several() -> None:
        with trace(max_recompiles=0):
            stage.events.emit(staged(0, 1, function="broadcast_in_dim", cause=SHAPE, is_eager=True))
            stage.events.emit(staged(1, 2, function="step", cause=SHAPE))

    with pytest.raises(ExpectationError, match=r"^At most 0 recompiles .*; got 1 \(and 1 of operations that ran at once, which do not count\): `step`: "):
        several()


def test_a_file_that_cannot_be_written_is_told_before_anything_runs(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Make .*/no first\."):
        trace(save=str(tmp_path / "no" / "a.json"))


def test_the_capture_is_saved_also_when_the_block_raises(trace: Trace, stage: Stage, shell: InteractiveShell, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with trace(save=str(path), name="first"):
        stage.events.emit(compiled(0, 5))
    loaded = load_capture(path)
    assert (loaded.name, loaded.events) == ("first", shell.user_ns[LAST].events)
    with pytest.raises(ZeroDivisionError), trace(save=str(path), name="second"):
        raise ZeroDivisionError
    assert load_capture(path).name == "second"


def test_a_file_that_can_no_longer_be_written_is_told_and_nothing_is_lost(trace: Trace, shell: InteractiveShell, screen: Screen, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    with pytest.raises(UsageError, match=r"The capture is still there: `_x10\.to_json\(path\)`\."), trace(save=str(folder / "a.json")):
        folder.rmdir()
    assert screen.shown[-1].text == str(shell.user_ns[LAST])
    folder.mkdir()
    with pytest.warns(RuntimeWarning, match="still there"), pytest.raises(ZeroDivisionError), trace(save=str(folder / "a.json")):
        folder.rmdir()
        raise ZeroDivisionError


def test_what_is_pending_at_the_end_of_plain_code_belongs_to_the_capture(trace: Trace, stage: Stage, shell: InteractiveShell) -> None:
    shell.user_ns["jnp"] = jnp
    with trace(lazy=True, quiet=True):
        shell.user_ns["x"] = shell.user_ns["jnp"].ones(3) * 5
    assert shell.user_ns["_x10"].is_plain
    assert isinstance(shell.user_ns["x"], jax.Array)
    assert PLAIN.get() is None


def test_what_is_asked_for_while_something_is_traced_is_done_once_at_the_end_of_all() -> None:
    leaving, done = Leaving(), list[str]()
    leaving.begin()
    leaving.begin()
    leaving.when_idle(lambda: done.append("first"))
    leaving.when_idle(lambda: done.append("second"))
    leaving.end()
    assert done == []
    leaving.end()
    leaving.begin()
    leaving.end()
    assert done == ["second"]


def test_where_nothing_is_traced_it_is_done_at_once() -> None:
    leaving, done = Leaving(), list[str]()
    leaving.when_idle(lambda: done.append("now"))
    assert done == ["now"]


def test_who_stays_does_nothing() -> None:
    leaving, done = Leaving(), list[str]()
    leaving.begin()
    leaving.when_idle(lambda: done.append("never"))
    leaving.stay()
    leaving.end()
    assert done == []
