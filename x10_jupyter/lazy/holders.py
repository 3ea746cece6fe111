"""Who holds a value that the user may think is gone."""

import gc
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType, FunctionType, GeneratorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.base.thawed import thawed
from x10_jupyter.lazy.abandoned import frames_of
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.value import Value

SEES_WITHOUT_PINNING = sys.version_info >= (3, 13)
"""Before Python 3.13 a look at a frame's locals leaves a copy of them behind, which keeps every tensor in them alive."""

MOST_OBJECTS = 20_000
"""Objects that are searched; a variable nearer to the surface is found first."""

MOST_NAMES = 3
LONGEST_KEY = 30
UNSEEN = "a variable of a function that is running, or a dict in one"
"""What holds a tensor that is not found: Python does not tell who holds an object by a dict of nothing that its collector looks at."""


def holders(t: Value, trace: Trace, frame: FrameType | None) -> str:
    """The variables that lead to a tensor, as text: ``history[3]``, ``model.w``, ``Out[5]``; else the containers that refer to it.

    Args:
        t: The tensor.
        trace: Its trace, whose own list does not count.
        frame: The user's innermost frame.
    """
    named = [f"`{path}`" for path in list(dict.fromkeys(paths(t, scopes(frame))))[:MOST_NAMES]]
    named += in_traceback(t)
    return ", ".join(named) or nameless(t, trace) or UNSEEN


def in_traceback(t: Value) -> list[str]:
    """The functions in the last error's traceback that have a variable for a tensor."""
    names = [f.f_code.co_name for f in frames_of(getattr(sys, "last_value", None)) if id(t) in map(id, gc.get_referents(f))]
    return [f"the last error's traceback, in `{name}`" for name in dict.fromkeys(names)]


def nameless(t: Value, trace: Trace) -> str:
    """The kinds of what refers to a tensor, when no variable leads there."""
    with thawed():
        kinds = [type(r).__name__ for r in gc.get_referrers(t) if r is not trace.tensors and not isinstance(r, FrameType)]
    return ", ".join(f"a {kind}" for kind in dict.fromkeys(kinds))


def scopes(frame: FrameType | None) -> Iterator[Mapping[str, Any]]:
    """What the user's running functions see, innermost first, and the notebook's variables."""
    seen: set[int] = set()
    while frame is not None:
        if not is_ours_or_library(frame.f_code.co_filename):
            is_function = bool(frame.f_code.co_flags & 1)
            if is_function and SEES_WITHOUT_PINNING:
                yield frame.f_locals
            if id(frame.f_globals) not in seen:
                seen.add(id(frame.f_globals))
                yield frame.f_globals
        frame = frame.f_back
    main = vars(sys.modules["__main__"])
    if id(main) not in seen:
        yield main


def paths(t: Value, roots: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Each way from a variable to a tensor, the shortest first; every container is looked into once."""
    named = [item for root in roots for item in list(root.items())]
    queue = deque(item for item in named if item[0][:1] != "_")
    others = deque(item for item in named if item[0][:1] == "_")  # such as IPython's: `_5` says less than `Out[5]`
    seen: set[int] = set()
    looked_at = 0
    while (queue or others) and looked_at < MOST_OBJECTS:
        path, it = (queue or others).popleft()
        looked_at += 1
        if it is t:
            yield path
        elif is_searched(it) and id(it) not in seen:
            seen.add(id(it))
            queue.extend((path + step, part) for step, part in parts(it) if part is t or is_searched(part))


SEARCHED = (list, tuple, dict, deque, FunctionType, MethodType, GeneratorType)


def is_searched(it: object) -> bool:
    """Whether something may lead to a tensor."""
    return isinstance(it, SEARCHED) or is_users_own(it)


def is_users_own(it: object) -> bool:
    """Whether something is an object of a class that the user wrote, or such a class."""
    kind = it if isinstance(it, type) else type(it)
    module = sys.modules.get(kind.__module__)
    if isinstance(it, ModuleType) or module is None or kind.__module__ == "builtins":
        return False
    file = getattr(module, "__file__", None)
    return kind.__module__ == "__main__" or (file is not None and not is_ours_or_library(file))


def parts(it: Any) -> Iterable[tuple[str, Any]]:
    """What an object refers to, each with what one writes to get there."""
    if isinstance(it, dict):
        return [(f"[{key_text(key)}]", value) for key, value in list(it.items())]
    if isinstance(it, (list, tuple, deque)):
        names = getattr(it, "_fields", None)
        return [(f".{names[i]}" if names else f"[{i}]", value) for i, value in enumerate(list(it))]
    if isinstance(it, FunctionType):
        return inside(it)
    if isinstance(it, MethodType):
        return [(".__self__", it.__self__)]
    if isinstance(it, GeneratorType):
        return [(" (a generator)", value) for value in gc.get_referents(it)]
    return ((f".{name}", value) for name, value in attributes(it))


def inside(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function keeps."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        for value in gc.get_referents(cell):  # empty while the variable is not bound
            yield f" (its `{name}`)", value
    yield from ((f".__defaults__[{i}]", value) for i, value in enumerate(function.__defaults__ or ()))


def attributes(it: Any) -> Iterator[tuple[str, Any]]:
    """An object's own attributes, without calling anything of its class."""
    yield from list(getattr(it, "__dict__", {}).items())
    for kind in type(it).__mro__:
        names = kind.__dict__.get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            slot = kind.__dict__.get(name)
            if isinstance(slot, MemberDescriptorType):
                try:
                    yield name, slot.__get__(it)
                except AttributeError:  # not set
                    continue


def key_text(key: object) -> str:
    """A key as one writes it, if that is short and safe."""
    text = repr(key) if isinstance(key, (str, int, float, bool, type(None))) else "..."
    return text if len(text) <= LONGEST_KEY else "..."
