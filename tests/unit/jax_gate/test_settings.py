"""JAX's settings objects tell when they are set, and are given back as they were."""

import gc
from collections.abc import Iterator

import jax
import pytest
from jax._src import config

from x10_jupyter.jax_gate.settings import EVERY_THREAD, THIS_THREAD, Settings, telling

NAME = "jax_enable_x64"
Heard = list[tuple[str, bool]]


@pytest.fixture
def heard() -> Iterator[Heard]:
    """What one setting tells while it is adopted."""
    told: Heard = []
    settings = Settings(lambda name, every_thread: told.append((name, every_thread)))
    assert settings.adopt([NAME]) == []
    yield told
    settings.release()


def test_a_change_is_told_and_setting_the_same_is_not(heard: Heard) -> None:
    with jax.enable_x64(True):
        assert heard == [(NAME, THIS_THREAD)]
        heard.clear()
        with jax.enable_x64(True):
            pass
        assert heard == []
    assert heard == [(NAME, THIS_THREAD)]


def test_a_change_for_every_thread(heard: Heard) -> None:
    jax.config.update(NAME, True)
    try:
        assert heard == [(NAME, EVERY_THREAD)]
    finally:
        jax.config.update(NAME, False)


def test_release_gives_the_class_back() -> None:
    setting = config.config_states[NAME]
    before, init = type(setting), config.UserConfig.__init__
    settings = Settings(lambda *_: None)
    settings.adopt([NAME])
    settings.adopt([NAME])
    assert type(setting) is telling(before, settings.tell)
    assert config.UserConfig.__init__ is not init
    settings.release()
    assert type(setting) is before
    assert config.UserConfig.__init__ is init


def test_names_of_nothing_are_handed_back() -> None:
    settings = Settings(lambda *_: None)
    try:
        assert settings.adopt([NAME, "no_such_setting"]) == ["no_such_setting"]
    finally:
        settings.release()


def test_objects_that_somebody_has_frozen_are_found() -> None:
    gc.freeze()
    try:
        settings = Settings(lambda name, every_thread: None)
        assert settings.adopt([NAME]) == []
        settings.release()
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


class Interrupted:
    """Is told of changes, and interrupted while it is, once."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.is_pressed = False

    def __call__(self, name: str, _every_thread: bool) -> None:
        if self.is_pressed:
            self.is_pressed = False
            raise KeyboardInterrupt
        self.heard.append(name)


@pytest.fixture
def pressed() -> Iterator[Interrupted]:
    """What one setting tells, and may be interrupted in."""
    telling_of = Interrupted()
    settings = Settings(telling_of)
    settings.adopt([NAME])
    yield telling_of
    settings.release()


def test_a_with_that_is_interrupted_at_its_start_leaves_the_setting_as_it_was(pressed: Interrupted) -> None:
    pressed.is_pressed = True
    with pytest.raises(KeyboardInterrupt), jax.enable_x64(True):
        pass
    assert config.enable_x64.value is False
    assert config.enable_x64.get_local() is config.debug_nans.get_local()  # set by nobody


def test_an_interrupt_at_the_end_of_a_with_is_raised_and_the_change_told(pressed: Interrupted) -> None:
    inside = jax.enable_x64(True)
    inside.__enter__()
    pressed.heard.clear()
    pressed.is_pressed = True
    with pytest.raises(KeyboardInterrupt):
        inside.__exit__(None, None, None)
    assert (config.enable_x64.value, pressed.heard) == (False, [NAME])


def test_an_interrupt_at_a_change_for_every_thread_is_raised_and_the_change_told(pressed: Interrupted) -> None:
    pressed.is_pressed = True
    try:
        with pytest.raises(KeyboardInterrupt):
            jax.config.update(NAME, True)
        assert pressed.heard == [NAME]
    finally:
        jax.config.update(NAME, False)
