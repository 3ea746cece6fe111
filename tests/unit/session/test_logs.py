"""The settings say which logs there are, while the process runs."""

import multiprocessing
import os
from pathlib import Path

import jax
import pytest

from factories import dumped, graphed
from x10_jupyter.base.config import Config
from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.settings import Settings
from x10_jupyter.records.sink import FanOut
from x10_jupyter.session import logs as module
from x10_jupyter.session.logs import Logs, logs, suffix
from x10_jupyter.tracelog.changes import ChangeLog
from x10_jupyter.tracelog.modules import FailedPrograms, SlowPrograms
from x10_jupyter.tracelog.writer import Writer


def test_each_setting_has_its_log(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    assert logs(Settings()) == ()
    assert [type(each) for each in logs(Settings(save_tensors_file=path))] == [Writer]
    assert [type(each) for each in logs(Settings(log_graph_changes=True))] == [ChangeLog]
    assert [type(each) for each in logs(Settings(save_hlo_file=path, slow_compile_hlo_folder=path))] == [FailedPrograms, SlowPrograms]
    assert logs(Settings(save_tensors_file=path, save_tensors_fmt="hlo"))[0].extras == ("graphs", "hlo")


def test_they_come_and_go_with_the_settings(tmp_path: Path) -> None:
    events, config = FanOut(), Config(Settings())
    Logs(events, config)
    assert events.sinks == ()
    one, other = tmp_path / "one", tmp_path / "other"
    with config(XLA_SAVE_TENSORS_FILE=str(one)):
        events.emit(graphed())
        with config(XLA_SAVE_TENSORS_FILE=str(other), XLA_SAVE_TENSORS_FMT="dot"):
            events.emit(graphed())
        assert len(events.sinks) == 1
    assert (events.sinks, events.wanted) == ((), frozenset())
    events.emit(graphed())
    assert "IR {" in one.read_text()
    assert one.read_text().count("BEGIN_GRAPH") == 1
    assert "digraph G {" in other.read_text()


def test_what_the_environment_said_is_there_from_the_start(tmp_path: Path) -> None:
    events, config = FanOut(), Config(Settings(save_hlo_file=str(tmp_path / "hlo"), slow_compile_hlo_folder=str(tmp_path / "slow")))
    Logs(events, config)
    events.emit(dumped())
    events.emit(dumped(why="slow"))
    assert {path.name for path in tmp_path.iterdir()} == {"hlo", "slow"}
    config.update(XLA_SAVE_HLO_FILE=None, XLA_SLOW_COMPILE_HLO_FOLDER=None)
    assert events.sinks == ()


def test_a_change_that_is_refused_leaves_the_logs_as_they_were(tmp_path: Path) -> None:
    events, config = FanOut(), Config(Settings())
    Logs(events, config)
    with pytest.raises(UsageError, match=r"^XLA_SAVE_TENSORS_FMT must be"):
        config.update(XLA_SAVE_TENSORS_FILE=str(tmp_path / "log"), XLA_SAVE_TENSORS_FMT="png")
    assert events.sinks == ()


def test_each_of_several_processes_has_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert suffix() == ""
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: "a process")
    assert suffix() == f".{os.getpid()}"
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    monkeypatch.setattr(jax, "process_index", lambda: 1)
    assert suffix() == ".1"
    monkeypatch.setattr(module, "ordinal", lambda: 3)
    assert suffix() == ".3"
    events, config = FanOut(), Config(Settings(save_tensors_file=str(tmp_path / "log")))
    Logs(events, config)
    events.emit(graphed())
    assert [path.name for path in tmp_path.iterdir()] == ["log.3"]
