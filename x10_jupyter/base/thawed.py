"""A look at all objects that Python's collector knows, frozen ones, too."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def thawed() -> Generator[None]:
    """While the block runs, ``gc.get_objects`` and ``gc.get_referrers`` see objects that somebody has frozen; then these are frozen again, with all others."""
    is_frozen = gc.get_freeze_count() > 0
    gc.unfreeze()
    try:
        yield
    finally:
        if is_frozen:
            gc.freeze()
