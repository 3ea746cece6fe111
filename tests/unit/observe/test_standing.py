import linecache
import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

from x10_jupyter.observe.standing import Place, standing


class Looked:
    """An array that tells where the thread stands that reads it."""

    shape = (3,)

    def __init__(self) -> None:
        self.places: list[Place | None] = []

    def look(self) -> None:
        frame: FrameType | None = sys._getframe(2)
        assert frame is not None
        self.places.append(standing(frame))

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        self.look()
        return np.ones(3)

    def __float__(self) -> float:
        self.look()
        return 1.0


def places(source: str, name: str, **more: object) -> list[Place | None]:
    """Where the thread stands while some code reads the array ``x``.

    Args:
        source: The code.
        name: Its file, which no two tests share.
        more: Other names that it finds.
    """
    x = Looked()
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    exec(compile(source, name, "exec"), {"np": np, "x": x, "loss": [x], **more})
    return x.places


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("y = np.asarray(x)", "np.asarray()"),
        ("y = 1 + np.array(\n    x,\n).sum()", "np.array()"),
        ("from numpy import asarray as a\ny = 3 * a(x)", "np.asarray()"),
        ("y = np.mean(x)", "np.mean()"),
        ("y = np.linalg.norm(x)", "np.norm()"),
        ("y = np.add(x, 1)", "np.add()"),
        ("é = 'é'; y = np.asarray(x)", "np.asarray()"),
        ("def f(v):\n    return np.asarray(v)\nf(x)", "np.asarray()"),
    ],
)
def test_a_call_of_numpys_is_told_with_its_line(source: str, how: str) -> None:
    (place, *_) = places(source, f"<told {source}>")
    assert place is not None
    assert (place.how, place.site.file) == (how, f"<told {source}>")
    assert "(x" in source.splitlines()[place.site.line - 1] or source.splitlines()[place.site.line - 1].endswith(("(", "(v)"))


@pytest.mark.parametrize(
    "source",
    [
        "y = float(x)",
        "def f(np):\n    return np.asarray(x)\nf(np)",
        "y = [np.asarray][0](x)",
        "y = held.np.asarray(x)",
    ],
)
def test_what_is_not_certain_is_not_told(source: str) -> None:
    class Held:
        pass

    held: Any = Held()
    held.np = np
    assert places(source, f"<not told {source}>", held=held)[:1] == [None]


def test_what_reads_files_is_not_told() -> None:
    from x10_jupyter.observe.standing import reads_arrays

    assert [reads_arrays(one) for one in (np.asarray, np.mean, np.add, memoryview)] == [True] * 4
    assert [reads_arrays(one) for one in (np.load, np.save, np.savez, np.loadtxt, np.fromfile, print, np.random.normal)] == [False] * 7


def test_where_there_is_no_source_nothing_is_told() -> None:
    x = Looked()
    exec(compile("np.asarray(x)", "<no source>", "exec"), {"np": np, "x": x})
    assert x.places == [None]
