"""JAX's persistent compile cache with one way of telling what went wrong, and no damaged entry left behind."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from x10_jupyter.jax_gate.private import Private, private
from x10_jupyter.jax_gate.replacement import Replacement

FIX = "Without it JAX's own warnings tell of a compile cache that cannot be used."
HOME = "jax._src.compilation_cache"
SUFFIX = "-cache"

Trouble = Callable[[Literal["read", "write", "damaged"], Exception], None]
"""Called with what failed; the program is compiled as without a cache."""


class CarefulCache:
    """A cache of JAX's that never raises.

    JAX warns at each read and each write that fails, with the name of the program, so that a full disk warns for every program. A file that could be
    written only in part stays, is never written again, and fails at every start.
    """

    def __init__(self, cache: Private, trouble: Trouble, unpacked: Callable[[bytes], bytes]) -> None:
        """Wrap a cache.

        Args:
            cache: JAX's own.
            trouble: Hears what fails.
            unpacked: Undoes the compression of an entry; raises if it is damaged.
        """
        self.cache, self.trouble, self.unpacked = cache, trouble, unpacked

    def __getattr__(self, name: str) -> Private:
        return getattr(self.cache, name)

    def get(self, key: str) -> bytes | None:
        """An entry, or None."""
        try:
            packed = self.cache.get(key)
        except Exception as error:  # noqa: BLE001 - whatever fails, the program can be compiled
            self.trouble("read", error)
            return None
        try:
            if packed is not None:
                self.unpacked(packed)  # a hundredth of what loading the program takes
        except Exception as error:  # noqa: BLE001 - each way of compressing has errors of its own
            self.discard(key)
            self.trouble("damaged", error)
            return None
        return packed

    def put(self, key: str, value: bytes) -> None:
        """Keep an entry, if that is possible."""
        try:
            self.cache.put(key, value)
        except Exception as error:  # noqa: BLE001 - the program is there, whatever fails
            self.discard(key)
            self.trouble("write", error)

    def discard(self, key: str) -> None:
        """Remove what is damaged, as far as that is allowed."""
        path = Path(self.cache._path) / f"{key}{SUFFIX}"  # noqa: SLF001 - its name in JAX's interface of caches
        try:
            path.unlink(missing_ok=True)
        except OSError:
            return


class CarefulCaches:
    """Makes the caches careful that JAX will open.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError.
    """

    def __init__(self, trouble: Trouble) -> None:
        """Find JAX's own.

        Args:
            trouble: Hears what fails.
        """
        unpacked: Callable[[bytes], bytes] = private(HOME, "decompress_executable", fix=FIX)
        self.replacement = Replacement(HOME, "get_file_cache", fix=FIX)
        original = self.replacement.original

        def careful(path: str) -> Private:
            try:
                found = original(path)
            except Exception as error:  # noqa: BLE001 - JAX goes on without a cache
                trouble("read", error)
                return None
            return found and (CarefulCache(found[0], trouble, unpacked), found[1])

        self.careful = careful

    def put(self) -> None:
        """From now on."""
        self.replacement.put(self.careful)

    def undo(self) -> None:
        """No longer."""
        self.replacement.undo()
