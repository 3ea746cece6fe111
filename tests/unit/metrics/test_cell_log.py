"""What is logged appears by default, once, and goes where the user's configuration says."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO

import pytest

from x10_jupyter.metrics.cell_log import LOGGER, log


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


def test_it_appears_though_nothing_is_configured() -> None:
    with unconfigured() as shown:
        log("Counter: MarkStep\n  Value: 1")
        log("again")
    assert shown.getvalue() == "Metrics:\nCounter: MarkStep\n  Value: 1\nMetrics:\nagain\n"


def test_the_users_own_handler_has_it_once() -> None:
    mine = StringIO()
    handler = logging.StreamHandler(mine)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
    with unconfigured() as shown:
        logging.getLogger().addHandler(handler)
        log("r")
    assert mine.getvalue() == "INFO x10_jupyter.metrics Metrics:\nr\n"
    assert shown.getvalue() == ""


@pytest.mark.parametrize("name", ["x10_jupyter", "x10_jupyter.metrics"])
def test_who_has_silenced_it_is_spared(name: str) -> None:
    with unconfigured() as shown:
        logging.getLogger(name).setLevel(logging.ERROR)
        try:
            log("r")
        finally:
            logging.getLogger(name).setLevel(logging.NOTSET)
    assert shown.getvalue() == ""


def test_in_a_process_of_its_own() -> None:
    code = "import x10_jupyter as x10, numpy as np; x = x10.tensor(np.ones(2)) + 1; x10.barrier(); x10.PrintX10Metrics()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr.startswith("Metrics:\nMetric: CompileTime\n  TotalSamples: 1\n  Counter: ")
    assert done.stderr.count("Metrics:") == 1
