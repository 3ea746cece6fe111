"""`%x10config` in IPython's core, with settings of its own."""

from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from stage import Stage
from x10_jupyter.base.config import Config
from x10_jupyter.base.settings import TABLE, from_environment
from x10_jupyter.magics import x10config
from x10_jupyter.magics.install import install, uninstall

Run = Callable[[str], str]


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Config:
    made = Config(*from_environment({"XLA_COMPILATION_CACHE_SIZE": "9"}))
    monkeypatch.setattr(x10config, "config", made)
    return made


@pytest.fixture
def bundles() -> list[dict[str, str]]:
    return []


@pytest.fixture
def run(shell: InteractiveShell, stage: Stage, config: Config, bundles: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a line; returns what it showed: text, help or the error."""
    monkeypatch.setattr(shell.display_pub, "publish", lambda data, **_: bundles.append(data))

    def line(text: str) -> str:
        bundles.clear()
        with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
            shell.run_cell(text)
        return bundles[0]["text/plain"] if bundles else stdout.getvalue() + stderr.getvalue()

    install(shell, stage.capture, stage.live)
    yield line
    uninstall(shell)


def completions(shell: InteractiveShell, line: str) -> list[str]:
    """What a kernel offers at the end of a line."""
    assert shell.Completer is not None
    with provisionalcompleter():
        return [found.text for found in shell.Completer.completions(line, len(line))]


def test_alone_it_shows_all(run: Run, bundles: list[dict[str, str]]) -> None:
    lines = run("%x10config").splitlines()
    assert lines[0].split()[:3] == ["setting", "value", "from"]
    assert len(lines) == 1 + len(TABLE)
    assert "XLA_COMPILATION_CACHE_SIZE 9 environment programs kept;" in " ".join(" ".join(lines).split())
    assert bundles[0]["text/html"].count("<tr") == len(lines)


def test_it_changes_settings_and_shows_them(run: Run, config: Config) -> None:
    shown = run("%x10config XLA_USE_BF16=1 save_tensors_fmt=dot XLA_SAVE_TENSORS_FILE='/a b' XLA_METRICS_PERCENTILES")
    now = config.now
    assert (now.use_bf16, now.save_tensors_fmt, now.save_tensors_file) == (True, "dot", "/a b")
    rows = [line.split()[:3] for line in shown.splitlines()[1:]]
    assert rows[0] == ["XLA_USE_BF16", "True", "update"]
    assert rows[-1] == ["XLA_METRICS_PERCENTILES", "0.01:0.05:0.1:0.2:0.5:0.8:0.9:0.95:0.99", "default"]
    run("%x10config XLA_SAVE_TENSORS_FILE= XLA_USE_BF16=off")
    assert (config.now.save_tensors_file, config.now.use_bf16) == (None, False)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("XLA_TRIM_GRAPH_SIZE=7 XLA_SAVE_TENSORS_FMT=xml", "XLA_SAVE_TENSORS_FMT must be one of text, hlo, dot, stablehlo, jaxpr; got xml."),
        ("XLA_TRIM_GRAPH_SIZE=7 XLA_USEBF16=1", "There is no setting of this name; got XLA_USEBF16. Did you mean XLA_USE_BF16?"),
        ("XLA_TRIM_GRAPH_SIZE=7 nonsense", "Use one of XLA_TRIM_GRAPH_SIZE, XLA_TRIM_GRAPH_CHECK_FREQUENCY,"),
        ("XLA_TRIM_GRAPH_SIZE=7 XLA_TRIM_GRAPH_SIZE=8", "one value for a setting; got `XLA_TRIM_GRAPH_SIZE` twice"),
        ("XLA_TRIM_GRAPH_SIZE=7 trim_graph_size=8", "A setting is given by two of its names"),
        ("XLA_TRIM_GRAPH_SIZE = 7", "NAME=VALUE without blanks around `=`"),
        ("XLA_TRIM_GRAPH_SIZE='7", "cannot read"),
        ("XLA_TRIM_GRAPH_SIZE=7 --all", "unrecognized arguments: --all"),
    ],
)
def test_what_is_wrong_is_told_and_changes_nothing(run: Run, config: Config, line: str, told: str) -> None:
    before = config.now
    said = run(f"%x10config {line}")
    assert said.startswith("UsageError: ")
    assert told in said
    assert "Traceback" not in said
    assert config.now == before


def test_help(run: Run) -> None:
    assert "NAME[=VALUE]" in run("%x10config -h")
    assert "%x10config NAME=VALUE" in run("%x10config?")


def test_names_and_values_are_completed(shell: InteractiveShell, run: Run) -> None:
    def completed(line: str) -> list[str]:
        return completions(shell, line)

    assert completed("%x10config XLA_SAVE_T") == ["XLA_SAVE_TENSORS_FILE=", "XLA_SAVE_TENSORS_FMT="]
    assert completed("%x10config XLA_USE_BF16=1 trim_graph_s") == ["trim_graph_size="]
    assert "XLA_SAVE_TENSORS_FMT=stablehlo" in completed("%x10config XLA_SAVE_TENSORS_FMT=")
    assert completed("%x10config XLA_METRICS_FILE=STD") == ["XLA_METRICS_FILE=STDERR", "XLA_METRICS_FILE=STDOUT"]
    assert not [each for each in completed("%x10config XLA_TRIM_GRAPH_SIZE=") if each.startswith("XLA_")]
    assert completed("%x10config --h") == ["--help"]


def test_nothing_is_completed_after_unloading(shell: InteractiveShell, stage: Stage) -> None:
    install(shell, stage.capture, stage.live)
    uninstall(shell)
    assert "XLA_SAVE_TENSORS_FMT=" not in completions(shell, "%x10config XLA_SAVE")
