"""Which of the static values whose hashes are equal are equal: JAX looks at both, and hashes may collide."""

import threading
import weakref
from collections import OrderedDict
from typing import Any

MOST = 4096
"""Values of different hashes that are remembered, the newest."""

Known = list[tuple[weakref.ref[Any], int]]


class Equals:
    """Numbers values of one hash: equal ones have the same number. It keeps no value alive."""

    def __init__(self) -> None:
        self._known = OrderedDict[tuple[str, int], Known]()
        self._lock = threading.RLock()

    def number_of(self, value: Any, number: int) -> int:  # noqa: ANN401 - the user's value
        """The number of a value among those of its type that have its hash.

        One that is gone can't be compared any more: a value of its hash is taken for equal to it, unless values of its type are equal to none but themselves.

        Args:
            value: It.
            number: Its hash.
        """
        try:
            ref = weakref.ref(value)
        except TypeError:  # only its hash is known
            return 0
        with self._lock:
            key = type(value).__qualname__, number
            known = self._known.setdefault(key, [])
            self._known.move_to_end(key)
            if len(self._known) > MOST:
                self._known.popitem(last=False)
            gone: list[int] = []
            for at, (other, count) in enumerate(known):
                held = other()
                if held is value or (held is not None and are_equal(held, value)):
                    return count
                if held is None:
                    gone.append(at)
            if gone and type(value).__eq__ is not object.__eq__:
                known[gone[-1]] = ref, known[gone[-1]][1]
                return known[gone[-1]][1]
            count = max((count for _, count in known), default=-1) + 1
            known[:] = [*[one for one in known if one[0]() is not None], (ref, count)]
            return count


def are_equal(one: Any, other: Any) -> bool:  # noqa: ANN401 - the user's values
    """Whether two values are, as far as they can say."""
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - the user's code
        return False


EQUALS = Equals()
