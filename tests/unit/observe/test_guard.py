"""What fails in a hook stays there."""

import gc
import weakref

from x10_jupyter.observe.guard import ERRORS, guarded


class Held:
    pass


def test_what_a_call_returns_comes_back_and_what_it_raises_is_kept_as_text() -> None:
    ERRORS.clear()
    held = Held()
    ref = weakref.ref(held)

    def fails(argument: object) -> None:
        raise ZeroDivisionError("on purpose")

    assert guarded(max, 3, 4) == 4
    assert guarded(fails, held) is None
    (told,) = ERRORS
    assert "ZeroDivisionError: on purpose" in told
    del held
    gc.collect()
    assert ref() is None
    ERRORS.clear()
