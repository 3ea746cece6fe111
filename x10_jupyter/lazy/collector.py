"""Spares Python's collector most walks through JAX's own objects.

A full pass looks at every object there is: with JAX loaded some 130,000, 40 to 200 ms. A trace of some thousand operations brings one about every few
traces. So what is left after one is set aside (``gc.freeze``), and looked at again once in many passes, and whenever the user collects.
"""

import gc
import sys
from collections.abc import Mapping
from typing import Any, Literal

from x10_jupyter.base.config import config

EVERY = 20
"""One full pass in so many looks at all objects. What became garbage among those set aside waits for it: a cycle of an old model, say."""


FEW = 1_000
"""So many frozen objects are Python's own: 3.12 begins with some 400."""


class Collector:
    """Sets old objects aside."""

    def __init__(self) -> None:
        """Leave the collector alone until told otherwise."""
        self.is_on = self.is_aside = self.is_asked = False
        self.passes = 0

    def switch(self, is_on: bool) -> None:  # noqa: FBT001 - as settings are given
        """Begin to set objects aside after the next full pass, or look at all of them as ever. Whoever has frozen objects before us is left alone."""
        if is_on and not self.is_on and gc.get_freeze_count() < FEW:
            self.is_on = True
            gc.callbacks.append(self.hear)
        elif self.is_on and not is_on:
            self.is_on = False
            gc.callbacks.remove(self.hear)
            self.take_back()

    def set_aside(self) -> None:
        """Let the next passes look only at what will be made."""
        gc.freeze()
        self.is_aside, self.passes = True, 0

    def take_back(self) -> None:
        """Let the next pass look at all objects."""
        gc.unfreeze()
        self.is_aside = False

    def hear(self, phase: Literal["start", "stop"], about: Mapping[str, Any]) -> None:
        """A pass begins or has ended."""
        if about["generation"] < 2:
            return
        if phase == "start":
            self.is_asked = was_asked_for()
            self.passes += 1
            if self.is_aside and (self.is_asked or self.passes >= EVERY):
                self.take_back()
        elif not self.is_aside and not self.is_asked:  # who has asked may want to look at all objects now
            self.set_aside()


def was_asked_for() -> bool:
    """Whether the code that is interrupted by a pass calls ``collect``: then it wants everything collected that can be."""
    frame = sys._getframe(1).f_back  # pyright: ignore[reportPrivateUsage] # whoever runs when a pass begins
    return frame is not None and "collect" in frame.f_code.co_names


COLLECTOR = Collector()
config.listen("gc_freeze", COLLECTOR.switch)
