import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate import private as gate
from x10_jupyter.jax_gate.profiler_session import MakingRoom, ProfilerSession, is_in_use


@pytest.fixture
def room() -> Iterator[MakingRoom]:
    made = MakingRoom()
    yield made
    made.undo()


def test_a_session_records_operations() -> None:
    step = jax.jit(lambda x: jnp.sort(x))
    step(jnp.ones(8))
    session = ProfilerSession()
    assert not is_in_use()  # that asks for the user's own
    step(jnp.ones(8)).block_until_ready()
    stats = [dict(event.stats) for plane in session.stop().planes for line in plane.lines for event in line.events]
    assert any("hlo_op" in each and "program_id" in each for each in stats)


def test_whoever_begins_one_is_let_in(room: MakingRoom, tmp_path: Path) -> None:
    session, gone = ProfilerSession(), list[str]()

    def go() -> None:
        session.stop()
        gone.append("ours")

    room.put(go)
    jax.profiler.start_trace(str(tmp_path))
    assert is_in_use()
    jax.profiler.stop_trace()  # would raise if ours had been running when it began
    assert gone == ["ours"]
    assert list(tmp_path.rglob("*.xplane.pb"))
    assert not is_in_use()


def test_nothing_is_left_behind(room: MakingRoom) -> None:
    def session() -> object:
        return gate.private("jax._src.lib", "_profiler.ProfilerSession", fix="")

    original = session()
    room.put(lambda: None)
    assert session() is not original
    room.undo()
    assert session() is original


def test_a_filter_that_makes_errors_of_warnings_does_not_end_the_process() -> None:
    code = (
        "import warnings; from x10_jupyter.jax_gate.profiler_session import ProfilerSession; import jax; warnings.simplefilter('error');"
        "session = ProfilerSession(); jax.numpy.ones(3); print(sum(1 for p in session.stop().planes for l in p.lines for e in l.events for s in e.stats) > 0)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (0, "True"), ran.stderr


def test_a_jax_without_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "import_module", lambda _: object())
    assert not is_in_use()
    with pytest.raises(UnsupportedJaxError, match="ProfilerSession"):
        ProfilerSession()
