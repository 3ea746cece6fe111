"""Compiled programs are kept for the next process, and what goes wrong with that costs no value."""

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles, forget
from x10_jupyter.base.errors import UsageError
from x10_jupyter.lazy import hooks

NAMES = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs", "jax_persistent_cache_min_entry_size_bytes")


def of_jax() -> dict[str, Any]:
    return {name: getattr(jax.config, name) for name in NAMES}


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    """A folder that programs are kept in."""
    with x10.config(XLA_PERSISTENT_CACHE_PATH=tmp_path / "programs"):
        yield tmp_path / "programs"


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.WARNING, logger="x10_jupyter")
    return lambda: [record.getMessage() for record in caplog.records]


def step() -> x10.Tensor:
    y = x10.numpy.tanh(x10.tensor(np.ones(7, np.float32))) * 3.0
    x10.barrier()
    return y


def says() -> list[str]:
    """What the cache says as after a restart of the kernel: the runtime has forgotten its programs; values are right whatever it says."""
    forget()
    made: list[x10.Tensor] = []
    said = [c.cache for c in compiles(lambda: made.append(step()))]
    np.testing.assert_allclose(np.asarray(made[0]), np.tanh(np.ones(7)) * 3, rtol=1e-6)
    return said


def test_without_a_cache_nothing_is_said() -> None:
    assert says() == ["none"]


def test_a_program_that_is_in_the_cache_is_a_hit(cache: Path) -> None:
    assert [says(), says()] == [["miss"], ["hit"]]
    assert list(cache.iterdir())


def test_a_cache_of_jax_alone_is_heard_too(tmp_path: Path) -> None:
    from jax.experimental.compilation_cache import compilation_cache

    before, wanted = of_jax(), {**dict(zip(NAMES, (str(tmp_path), 0.0, -1), strict=True))}
    for settings, said in ((wanted, [["miss"], ["hit"]]), (before, [["none"], ["none"]])):
        for name, value in settings.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()
        assert [says(), says()] == said


def test_a_cache_that_jax_is_told_not_to_use_says_nothing(cache: Path) -> None:
    from jax.experimental.compilation_cache import compilation_cache

    jax.config.update("jax_enable_compilation_cache", False)
    try:
        compilation_cache.reset_cache()
        assert says() == ["none"]
    finally:
        jax.config.update("jax_enable_compilation_cache", True)


def test_another_folder_takes_effect_at_once(cache: Path, tmp_path: Path) -> None:
    assert says() == ["miss"]
    with x10.config(persistent_cache_path=str(tmp_path / "a" / "b")):
        assert [says(), says()] == [["miss"], ["hit"]]
    assert says() == ["hit"]
    with x10.config(persistent_cache_path=None):
        assert says() == ["none"]


def test_what_the_user_told_jax_is_kept_and_put_back(tmp_path: Path) -> None:
    before = of_jax()
    try:
        jax.config.update(NAMES[0], str(tmp_path / "theirs"))
        jax.config.update(NAMES[1], 5.0)
        theirs = of_jax()
        with x10.config(persistent_cache_path=str(tmp_path / "ours")):
            assert of_jax() == {NAMES[0]: str(tmp_path / "ours"), NAMES[1]: 5.0, NAMES[2]: -1}
        assert of_jax() == theirs
        with x10.config(persistent_cache_path=str(tmp_path / "ours")):
            jax.config.update(NAMES[0], str(tmp_path / "later"))
        assert of_jax() == {**theirs, NAMES[0]: str(tmp_path / "later")}
    finally:
        for name, value in before.items():
            jax.config.update(name, value)


def test_what_is_taken_out_of_jax_takes_the_cache_with_it(cache: Path) -> None:
    hooks.uninstall()
    try:
        assert of_jax()[NAMES[0]] is None
        assert says() == ["none"]
    finally:
        hooks.install()
    assert [says(), says()] == [["miss"], ["hit"]]


def test_a_folder_that_cannot_be_made_is_refused_and_the_old_one_stays(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("taken")
    for path in (tmp_path / "file", tmp_path / "file" / "below", "/dev/null/below"):
        with pytest.raises(UsageError, match=r"^XLA_PERSISTENT_CACHE_PATH must be a folder, or a path where one can be made; got /.*None for no cache\.$"):
            x10.config.update(XLA_PERSISTENT_CACHE_PATH=path)
    assert x10.config.persistent_cache_path == str(cache)
    assert [says(), says()] == [["miss"], ["hit"]]


def test_a_damaged_entry_is_told_and_made_anew(cache: Path, told: Any) -> None:
    assert says() == ["miss"]
    for entry in cache.glob("*-cache"):
        entry.write_bytes(entry.read_bytes()[:100])
    assert [says(), says()] == [["miss"], ["hit"]]
    [message] = told()
    assert message.startswith(f"The compile cache in {cache} has a damaged entry (")


@pytest.mark.parametrize("is_open", [True, False])
def test_a_folder_that_is_gone_is_told_once(cache: Path, told: Any, is_open: bool) -> None:
    if is_open:
        assert says() == ["miss"]
    for entry in cache.iterdir():
        entry.unlink()
    cache.rmdir()
    cache.write_text("a file in its place")
    assert [says(), says()] == [["miss"], ["miss"]]
    [message] = told()
    assert message.startswith(
        f"The compile cache in {cache} cannot be {'written' if is_open else 'read'} ({'NotADirectory' if is_open else 'FileExists'}Error: "
    )
    assert message.endswith("Choose another folder: x10.config.update(XLA_PERSISTENT_CACHE_PATH=...).")


def test_a_folder_that_may_only_be_read_serves_what_it_has(cache: Path, told: Any) -> None:
    assert says() == ["miss"]
    cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert says() == ["hit"]
        assert told() == []
    finally:
        cache.chmod(stat.S_IRWXU)


TRAINING = """
import os
import sys
import numpy as np
import x10_jupyter as x10
xnp = x10.numpy

def loss(w, b):
    return ((xnp.tanh(x @ w) + b - y) ** 2).mean()

x, y = x10.tensor(np.ones((8, 4), np.float32)), x10.tensor(np.zeros((8, 2), np.float32))
w, b = x10.tensor(np.full((4, 2), 0.1, np.float32)), x10.tensor(np.zeros(2, np.float32))
if "full" in sys.argv:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
with x10.capture() as capturing:
    for _ in range(3):
        value, (dw, db) = x10.value_and_grad(loss, argnums=(0, 1))(w, b)
        w, b = w - 0.1 * dw, b - 0.1 * db
        x10.barrier()
    kept = [xnp.sin(x), xnp.cos(x), xnp.tan(x) * 2.0, xnp.exp(x) + x]
    x10.barrier()
print([c.cache for c in capturing.capture.compiles], round(float(value), 6), sep="|")
print(str(capturing.capture).partition("\\n")[0])
"""


def train(folder: Path | str, seed: str = "1", *words: str) -> tuple[list[str], str]:
    """Train in a process of its own; what it printed, and what it said beside."""
    environment = {
        "PYTHONHASHSEED": seed, "JAX_PLATFORMS": "cpu", "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "XLA_PERSISTENT_CACHE_PATH": str(folder), "HOME": os.environ.get("HOME", ""),
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-W", "error", "-c", TRAINING, *words], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines(), done.stderr


def test_another_process_finds_the_programs_and_says_so(tmp_path: Path) -> None:
    """Python's hashes differ from process to process; an order of results that came from them missed the cache after a restart."""
    [(first, _), (second, said), (third, _)] = [train(tmp_path, seed) for seed in ("1", "2", "3")]
    value = first[0].partition("|")[2]
    assert first == [f"['miss', 'miss']|{value}", first[1]]
    assert second[0] == third[0] == f"['hit', 'hit']|{value}"
    assert "; 2 programs compiled in " in first[1]
    assert "; 2 programs read from the cache in " in second[1]
    assert said == ""


def test_a_full_disk_costs_neither_a_value_nor_the_next_start(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: both let a file be written in part."""
    [(full, said), (after, _), (again, nothing)] = [train(tmp_path, "1", "full"), train(tmp_path), train(tmp_path)]
    assert full[0].startswith("['miss', 'miss']|")
    assert said.count("The compile cache in") == 1
    assert f"The compile cache in {tmp_path} cannot be written (OSError: " in said
    assert after[0] == full[0]
    assert again[0] == full[0].replace("miss", "hit")
    assert nothing == ""


def test_a_folder_of_no_use_in_the_environment_is_told_and_training_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("taken")
    printed, said = train(tmp_path / "file")
    assert printed[0].startswith("['none', 'none']|")
    assert said.count("\n") == 1
    assert said.startswith("Programs are not kept for the next process: XLA_PERSISTENT_CACHE_PATH must be a folder, or a path where one can be made; got ")
