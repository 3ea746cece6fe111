"""What JAX's persistent compile cache says of a compile."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import jax
import jax.monitoring

Said = Literal["none", "hit", "miss"]
HIT = "/jax/compilation_cache/cache_hits"
FOLDER = "jax_compilation_cache_dir"


class Cache:
    """What was heard so far."""

    said: Said = "none"


@contextmanager
def listening_to_cache() -> Iterator[Cache]:
    """Listen while the block compiles something on this thread.

    Yields:
        Its ``said`` is ``none`` when no cache is set up, ``hit`` when the program came from it, ``miss`` when XLA compiled.
    """
    cache = Cache()
    if not getattr(jax.config, FOLDER):
        yield cache
        return
    cache.said = "miss"
    thread = threading.get_ident()

    def hear(event: str, **_: Any) -> None:
        if event == HIT and threading.get_ident() == thread:
            cache.said = "hit"

    jax.monitoring.register_event_listener(hear)
    try:
        yield cache
    finally:
        jax.monitoring.unregister_event_listener(hear)
