"""Settings are read, changed and put back."""

import re
import threading
from typing import Any

import pytest

from x10_jupyter.base.config import Config
from x10_jupyter.base.errors import UnknownSettingError, UsageError
from x10_jupyter.base.settings import Settings, from_environment


@pytest.fixture
def config() -> Config:
    return Config(Settings())


@pytest.mark.parametrize("called", ["XLA_TRIM_GRAPH_SIZE", "trim_graph_size"])
def test_a_setting_is_read_and_changed_by_both_names(config: Config, called: str) -> None:
    assert getattr(config, called) == Settings().trim_graph_size
    config.update(**{called: 7})
    assert (config.trim_graph_size, config.XLA_TRIM_GRAPH_SIZE, config.now.trim_graph_size) == (7, 7, 7)


def test_a_setting_of_our_own_name_goes_by_that_of_x10_too(config: Config) -> None:
    config.update(enable_param_aliasing="0")
    assert (config.donate, config.XLA_ENABLE_PARAM_ALIASING) == (False, False)


def test_a_block_changes_settings_and_puts_them_back(config: Config) -> None:
    before = repr(config)
    with pytest.raises(ZeroDivisionError), config(trim_graph_size=7, donate=False):
        assert (config.trim_graph_size, config.donate) == (7, False)
        with config(trim_graph_size=8):
            assert config.trim_graph_size == 8
        assert config.trim_graph_size == 7
        raise ZeroDivisionError
    assert (config.now, repr(config)) == (Settings(), before)


def test_an_unknown_name_is_told_with_those_nearest(config: Config) -> None:
    for ask in (lambda: config.update(trim_grph_size=3), lambda: config(XLA_TRIM_GRAPHSIZE=3), lambda: config.trim_graph):
        with pytest.raises(UnknownSettingError, match=r"There is no setting of this name; got \w+\. Did you mean XLA_TRIM_GRAPH_SIZE\?"):
            ask()
    with pytest.raises(UnknownSettingError, match=r"got zzz\. Use one of XLA_TRIM_GRAPH_SIZE, "):
        config.update(zzz=1)
    assert not hasattr(config, "_repr_html_")


def test_a_bad_value_changes_nothing(config: Config) -> None:
    for ask in (config.update, config):
        with pytest.raises(UsageError, match=r"^XLA_TRIM_GRAPH_SIZE must be a whole number above zero; got many\."):
            ask(donate=False, XLA_TRIM_GRAPH_SIZE="many")
    with pytest.raises(UsageError, match=r"two of its names; got trim_graph_size\. Give XLA_TRIM_GRAPH_SIZE alone"):
        config.update(XLA_TRIM_GRAPH_SIZE=1, trim_graph_size=2)
    assert config.now == Settings()


def test_a_setting_is_not_assigned_to(config: Config) -> None:
    with pytest.raises(UnknownSettingError, match=re.escape("Write config.update(donate=False).")):
        config.donate = False
    assert config.donate


def test_who_listens_is_told_of_each_new_value_once(config: Config) -> None:
    heard: list[Any] = []
    config.listen("trim_graph_size", heard.append)
    config.update(trim_graph_size=7)
    config.update(trim_graph_size=7, donate=False)
    with config(XLA_TRIM_GRAPH_SIZE=8):
        pass
    assert heard == [7, 8, 7]


def test_who_follows_is_told_when_the_value_is_in_force(config: Config) -> None:
    seen: list[int] = []
    config.follow("trim_graph_size", lambda: seen.append(config.trim_graph_size))
    config.update(trim_graph_size=7)
    config.update(trim_graph_size=7, donate=False)
    with config(XLA_TRIM_GRAPH_SIZE=8):
        assert seen == [7, 8]
    assert seen == [7, 8, 7]


def test_who_listens_may_refuse_and_then_all_is_as_before(config: Config) -> None:
    heard: list[Any] = []

    def refuse(value: Any) -> None:
        raise OSError("no room")

    config.listen("trim_graph_size", heard.append)
    config.listen("donate", refuse)
    with pytest.raises(OSError, match="no room"):
        config.update(donate=False, trim_graph_size=7)
    assert (config.now, heard) == (Settings(), [7, Settings().trim_graph_size])


def test_it_shows_every_setting_with_its_value_and_where_that_comes_from() -> None:
    config = Config(*from_environment({"XLA_COMPILATION_CACHE_SIZE": "9"}))
    config.update(XLA_TRIM_GRAPH_SIZE=7)
    rows = [line.split(maxsplit=4) for line in repr(config).splitlines()]
    assert ["XLA_TRIM_GRAPH_SIZE", "trim_graph_size", "7", "update"] in [row[:4] for row in rows]
    assert ["XLA_COMPILATION_CACHE_SIZE", "compilation_cache_size", "9", "environment"] in [row[:4] for row in rows]
    assert ["XLA_ENABLE_PARAM_ALIASING", "donate", "True", "default"] in [row[:4] for row in rows]
    assert all(len(row) == 5 for row in rows)


def test_what_the_build_settles_is_told_as_such(config: Config) -> None:
    config.settle("compiled_recording", value=False)
    (found,) = config.entries("compiled_recording")
    assert (config.compiled_recording, found.value, found.origin) == (False, "False", "build")


def test_names_can_be_completed(config: Config) -> None:
    assert {"update", "XLA_TRIM_GRAPH_SIZE", "trim_graph_size", "donate", "enable_param_aliasing"} <= set(dir(config))


def test_threads_change_settings_one_after_the_other(config: Config) -> None:
    heard: list[int] = []

    def apply(value: int) -> None:
        heard.append(value)

    config.listen("trim_graph_size", apply)

    def change(base: int) -> None:
        for i in range(200):
            config.update(trim_graph_size=base + i, compilation_cache_size=base + i)

    threads = [threading.Thread(target=change, args=(base,)) for base in (1_000, 2_000, 3_000)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(heard) == 600
    assert config.trim_graph_size == config.compilation_cache_size == heard[-1]
