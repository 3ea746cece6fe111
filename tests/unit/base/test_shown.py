"""Messages reach the user, once."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from x10_jupyter.base.shown import Shown, shown

NAME = "x10_jupyter.tests.shown"


@contextmanager
def no_root_handlers() -> Iterator[None]:
    """Logging as it is where nobody has set it up."""
    root, kept = logging.getLogger(), logging.getLogger().handlers[:]
    root.handlers.clear()
    yield
    root.handlers[:] = kept


def test_a_message_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with no_root_handlers():
        shown(NAME).info("New graph %s", "structure")
        shown(NAME).debug("not this")
    assert capsys.readouterr() == ("", "New graph structure\n")


def test_who_has_set_up_logging_gets_it_there_alone(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
    shown(NAME).info("here")
    assert caplog.messages == ["here"]
    assert capsys.readouterr().err == ""


def test_a_logger_is_set_up_once_and_keeps_the_users_level() -> None:
    logger = shown(NAME)
    logger.setLevel(logging.ERROR)
    try:
        assert shown(NAME).level == logging.ERROR
        assert [type(each) for each in logger.handlers] == [Shown]
    finally:
        logger.setLevel(logging.INFO)


def test_a_message_that_cannot_be_written_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    with no_root_handlers():
        shown(NAME).info("nobody hears")
