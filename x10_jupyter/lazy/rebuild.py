"""Building again what a call reads, with other arrays and numbers in place of its own."""

import functools
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any

Template = Callable[["Filling"], Any]
"""Builds an object again, with arrays in place of its tensors."""


class Filling:
    """The arrays and numbers that take the places of a walk's tensors and numbers, in its order."""

    def __init__(self, arrays: Iterator[Any], numbers: Iterator[Any]) -> None:
        self.arrays, self.numbers = arrays, numbers
        self.built: dict[int, Any] = {}


def next_array(filling: Filling) -> Any:
    """The template of a tensor."""
    return next(filling.arrays)


def next_number(filling: Filling) -> Any:
    """The template of a number that is a parameter."""
    return next(filling.numbers)


class FunctionPlan:
    """How to make a function that reads other values where the original read its closure, globals and defaults."""

    def __init__(self, fn: types.FunctionType, cells: list[str], names: list[tuple[str, ...]], templates: list[Template]) -> None:
        self.fn, self.code, self.cells, self.names, self.templates = fn, fn.__code__, cells, names, templates

    def build(self, filling: Filling, number: int) -> types.FunctionType:
        """The function."""
        fn = self.fn
        cells = {name: types.CellType() for name in self.code.co_freevars}
        # only a function whose globals are arguments needs a copy of them
        scope = dict(fn.__globals__) if self.names else fn.__globals__
        made = types.FunctionType(self.code, scope, fn.__name__, fn.__defaults__, tuple([cells[name] for name in self.code.co_freevars]))
        made.__kwdefaults__, made.__qualname__, made.__module__ = fn.__kwdefaults__, fn.__qualname__, fn.__module__
        filling.built[number] = made
        values = [template(filling) for template in self.templates]
        copies: dict[str, types.ModuleType] = {}
        for name in self.cells:
            cells[name].cell_contents = values.pop(0)
        for *way, name in self.names:
            place, here = scope, ""
            for module in way:
                here = f"{here}.{module}"
                if here not in copies:
                    place[module] = copies[here] = copy_of_module(place[module])
                place = copies[here].__dict__
            place[name] = values.pop(0)
        if fn.__defaults__:
            made.__defaults__ = values.pop(0)
        if fn.__kwdefaults__:
            made.__kwdefaults__ = values.pop(0)
        return made


def copy_of_module(module: types.ModuleType) -> types.ModuleType:
    """A module with the same contents."""
    made = types.ModuleType(module.__name__)
    made.__dict__.update(module.__dict__)
    return made


def build_partial(filling: Filling, templates: list[Template]) -> Any:
    """A partial function of new parts."""
    func, args, keywords = [t(filling) for t in templates]
    return functools.partial(func, *args, **keywords)


def build_list(filling: Filling, number: int, templates: list[Template]) -> list[Any]:
    """A list of new items."""
    made: list[Any] = []
    filling.built[number] = made
    made += [t(filling) for t in templates]
    return made


def build_dict(filling: Filling, number: int, keys: tuple[Any, ...], templates: list[Template]) -> dict[Any, Any]:
    """A dict with new values, in the same order."""
    made: dict[Any, Any] = {}
    filling.built[number] = made
    made.update(zip(keys, [t(filling) for t in templates], strict=True))
    return made


def build_object(filling: Filling, number: int, kind: type, attributes: Template) -> Any:
    """An object of the user's class with new attributes; a copy, so that what a function leaves on `self` while it is traced is not seen outside."""
    made = object.__new__(kind)
    filling.built[number] = made
    made.__dict__.update(attributes(filling))
    return made


def keep(filling: Filling, number: int, made: Any) -> Any:
    """Note what was built, for the places that refer to it again."""
    filling.built[number] = made
    return made


def constant(x: Any, mark: Hashable) -> tuple[Hashable, Template]:
    """Something that stays as it is."""
    return mark, lambda _: x


def again(number: int, x: Any) -> tuple[Hashable, Template]:
    """Something that was met before in this walk."""
    return ("again", number), lambda filling: filling.built.get(number, x)
