from collections.abc import Callable

from x10_jupyter.base.config import Config
from x10_jupyter.base.settings import TABLE, from_environment
from x10_jupyter.views.settings import settings_html, settings_text


def changed() -> Config:
    config = Config(*from_environment({"XLA_SAVE_TENSORS_FILE": "/logs/<b>trace</b>.log"}))
    config.update(XLA_USE_BF16=True)
    return config


def test_a_table(golden: Callable[[str, str], None]) -> None:
    entries = changed().entries("XLA_USE_BF16", "save_tensors_file", "trim_graph_size", "metrics_percentiles")
    golden("settings.txt", settings_text(entries))
    golden("settings.html", settings_html(entries))


def test_every_setting_says_what_it_does() -> None:
    entries = changed().entries()
    assert [each.name for each in entries] == list(TABLE)
    assert all(each.about and len(each.about) < 100 for each in entries)


def test_what_the_user_gave_is_no_markup() -> None:
    assert "<b>" not in settings_html(changed().entries())
