"""What is logged appears by default, once, and goes where the user's configuration says."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from x10_jupyter.base.shown import shown

NAME = "x10_jupyter.tests.shown"
LOGGER = logging.getLogger(NAME)


@contextmanager
def unconfigured() -> Iterator[StringIO]:
    """Logging as a fresh process has it: no handler anywhere. What comes to the stream of errors is kept."""
    stream, root = StringIO(), logging.getLogger()
    before, root.handlers = root.handlers, []
    try:
        with redirect_stderr(stream):
            yield stream
    finally:
        root.handlers = before
    assert LOGGER.handlers == []
    assert LOGGER.level == logging.NOTSET


def tell(text: str) -> None:
    with shown(NAME) as logger:
        logger.info("%s", text)
        logger.debug("not this")


def test_it_appears_though_nothing_is_configured() -> None:
    with unconfigured() as stream:
        tell("Counter: MarkStep\n  Value: 1")
        tell("again")
    assert stream.getvalue() == "Counter: MarkStep\n  Value: 1\nagain\n"


def test_in_a_notebook_it_does_not_stand_on_red() -> None:
    class CellStream(StringIO):
        """As ipykernel's."""

        pub_thread = None

    cell = CellStream()
    with unconfigured() as stream, redirect_stdout(cell):
        tell("New graph structure")
    assert (cell.getvalue(), stream.getvalue()) == ("New graph structure\n", "")


def test_the_users_own_handler_has_it_once() -> None:
    mine = StringIO()
    handler = logging.StreamHandler(mine)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
    with unconfigured() as stream:
        logging.getLogger().addHandler(handler)
        tell("r")
    assert mine.getvalue() == f"INFO {NAME} r\n"
    assert stream.getvalue() == ""


@pytest.mark.parametrize("name", ["x10_jupyter", NAME])
def test_who_has_silenced_it_is_spared(name: str) -> None:
    with unconfigured() as stream:
        logging.getLogger(name).setLevel(logging.ERROR)
        try:
            tell("r")
        finally:
            logging.getLogger(name).setLevel(logging.NOTSET)
    assert stream.getvalue() == ""


def test_a_message_that_cannot_be_written_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    with unconfigured():
        monkeypatch.setattr(sys, "stderr", None)
        tell("nobody hears")
