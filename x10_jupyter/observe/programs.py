"""The programs that JAX has compiled while somebody listened, by a name that no other has. None is kept alive: JAX may drop each when it likes."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from types import FrameType
from typing import Any
from weakref import ref

from x10_jupyter.jax_gate.extended import get_backend
from x10_jupyter.jax_gate.made_program import loaded, lowered
from x10_jupyter.observe.executables import Executable

MOST = 4096
"""Programs that can be asked for, the newest; each takes some 0.6 kB."""


class Made:
    """Where a program is to be found, as long as it is there."""

    __slots__ = ("fingerprint", "identity", "jaxpr", "module", "platform")

    def __init__(self, jaxpr: "ref[Any] | None", module: "ref[Any]", executable: Any) -> None:  # noqa: ANN401 - XLA's
        """Note it.

        Args:
            jaxpr: What JAX traced; None if nobody heard of that.
            module: What XLA was given.
            executable: What XLA made of it.
        """
        self.jaxpr, self.module = jaxpr, module
        self.identity, self.fingerprint = id(executable), Executable(executable).fingerprint
        self.platform = str(executable.client.platform)

    def executable(self) -> Executable | None:
        """The program as XLA runs it; None if it is gone.

        XLA's programs can't be referred to weakly. So it is looked for among those that are alive; another one may have come to lie in the same place, but not
        with the same fingerprint: that tells even lines of the source apart.
        """
        for one in get_backend(self.platform).live_executables():
            if id(one) == self.identity:
                found = Executable(one)
                return found if found.fingerprint == self.fingerprint else None
        return None


class Programs:
    """All of them, as they are made."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # the collector may run while it is held
        self._names = Counter[str]()
        """How many programs had a name. It is never reset, since a capture may tell of a program long after."""
        self._lowered = OrderedDict[int, tuple["ref[Any]", "ref[Any]"]]()
        """By the identity of a module, it and what it was made of."""
        self._made = OrderedDict[str, Made]()

    def lower(self, frame: FrameType) -> None:
        """A program was lowered, as is seen from the hook's frame."""
        found = lowered(frame)
        if found is None:
            return
        with self._lock:
            self._lowered[id(found.module)] = ref(found.module), ref(found.jaxpr)
            bounded(self._lowered)

    def put(self, frame: FrameType, function: str) -> str:
        """A program was compiled, as is seen from the hook's frame.

        Args:
            frame: The hook's.
            function: What JAX calls it.

        Returns:
            Its name: ``jit(step)``, and ``jit(step).2`` for the next of that name. Empty if it can't be told which program it is.
        """
        found = loaded(frame)
        if found is None:
            return ""
        with self._lock:
            module, jaxpr = self._lowered.get(id(found.module), (None, None))
            known = jaxpr if module is not None and module() is found.module else None
            self._names[function] += 1
            times = self._names[function]
            name = f"jit({function}){f'.{times}' if times > 1 else ''}"
            self._made[name] = Made(known, ref(found.module), found.executable)
            bounded(self._made)
            return name

    def get(self, name: str) -> Made | None:
        """Where a program is to be found; None if nobody knows."""
        return self._made.get(name)

    def names(self) -> Iterable[str]:
        """The names of those that can be asked for, in order."""
        return tuple(self._made)

    def clear(self) -> None:
        """Know of none."""
        with self._lock:
            self._lowered.clear()
            self._made.clear()


def bounded(table: OrderedDict[Any, Any]) -> None:
    """Forget the oldest of a table if it has grown too long."""
    while len(table) > MOST:
        table.popitem(last=False)
