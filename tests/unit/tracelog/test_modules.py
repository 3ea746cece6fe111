"""Programs that failed, and programs that were slow."""

from pathlib import Path

import pytest

from factories import dumped, read
from x10_jupyter.tracelog.modules import FailedPrograms, SlowPrograms


def test_a_program_that_failed_is_appended(tmp_path: Path) -> None:
    log = FailedPrograms(lambda: str(tmp_path / "hlo"))
    assert log.extras == ("dumps",)
    for event in (dumped(), read(0, 1), dumped(why="slow"), dumped(hlo="HloModule other\n", thread=7)):
        log.emit(event)
    assert (tmp_path / "hlo").read_text() == "[HLO Graph 0 From Thread 1]\nHloModule jit_train\n\n[HLO Graph 0 From Thread 7]\nHloModule other\n\n"


def test_a_slow_one_has_a_file_of_its_own_with_whole_seconds(tmp_path: Path) -> None:
    log = SlowPrograms(str(tmp_path / "slow" / "ones"))
    assert log.extras == ("dumps",)
    for event in (dumped(), read(0, 1), dumped(why="slow"), dumped(why="slow", compile_ns=999_999_999)):
        log.emit(event)
    found = {path.name: path.read_text() for path in (tmp_path / "slow" / "ones").iterdir()}
    assert found == dict.fromkeys(["hlo_module-0-2s.txt", "hlo_module-1-0s.txt"], "HloModule jit_train\n\n")


def test_a_folder_that_cannot_be_made_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    log = SlowPrograms(str(tmp_path / "file" / "folder"))
    log.emit(dumped(why="slow"))
    log.emit(dumped(why="slow"))
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"XLA_SLOW_COMPILE_HLO_FOLDER: {tmp_path / 'file' / 'folder'} cannot be written (")
