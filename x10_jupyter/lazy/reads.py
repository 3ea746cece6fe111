"""What a function reads is an argument of it: closure cells, globals (its own, its nested code's, its helpers'), defaults, partial arguments, `self`.

A walk goes through a call's arguments and through the function itself. It collects the tensors and the numbers, gives everything else a mark
that is equal when it means the same, and makes a template from which the same objects are built again with other arrays in place of the tensors.
"""

import enum
import functools
import sys
import types
from collections.abc import Callable, Hashable
from typing import Any

import jax
import numpy as np
from jax.tree_util import tree_flatten, tree_unflatten

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.lazy.avals import is_number, is_too_big
from x10_jupyter.lazy.checks import ABSENT, contents_of
from x10_jupyter.lazy.code import Names, essence, names_read
from x10_jupyter.lazy.kinds import (
    FIXED,
    JITTED,
    SIMPLE,
    attributes_of,
    is_attributes,
    is_hashable,
    is_library_class,
    is_part,
    is_plain,
    is_user_module,
    is_wrapped_library,
    unwrapped,
)
from x10_jupyter.lazy.marks import Exact, Nested, Same, content
from x10_jupyter.lazy.narrow import check_whole
from x10_jupyter.lazy.rebuild import FunctionPlan, Template, again, build_dict, build_list, build_object, build_partial, constant, keep, next_array, next_number
from x10_jupyter.lazy.value import Value

SEE_ALL = {"eval", "exec", "globals", "vars", "__import__"}
"""Builtin functions by which code may read what it does not name."""


class Met(Exception):  # noqa: N818 - a way out of the walk, not an error
    """A tracer was met: the call is part of a function that JAX traces, and is JAX's business."""


class Walk:
    """One pass over what a call reads."""

    def __init__(self, lift: Callable[[Any], Value], statics: frozenset[int] = frozenset()) -> None:
        """Begin.

        Args:
            lift: Makes a tensor of a NumPy or JAX array.
            statics: Which numbers, counted from 0 in the order they are met, are to be static.
        """
        self.lift, self.statics = lift, statics
        self.tensors: list[Value] = []
        self.numbers: list[Any] = []
        self.number_count = 0
        self.checks: list[tuple[str, Any, Any, Any]] = []
        """Where each function and object was found, to see later whether it is still there."""
        self.is_fixed = True
        """Whether all is as it was as long as the checks hold."""
        self.opaque: list[str] = []
        """Kinds of objects that can't be seen into."""
        self._seen: dict[int, int] = {}
        self._frozen = 0
        self._in_library = False
        """Whether what is met belongs to a library's function: its numbers are settings, such as the 0.999 that Optax takes from 1 in double precision."""
        self._kept: list[Any] = []

    def visit(self, x: Any) -> tuple[Hashable, Template]:  # noqa: C901, PLR0911
        """The mark and the template of one leaf."""
        kind = x.__class__
        if isinstance(x, Value):
            return self._array(x) if not self._frozen else constant(x, Same(x))
        if is_number(x):
            return self._number(x)
        if kind in SIMPLE:
            return constant(x, (kind, x))
        if isinstance(x, jax.Array):
            if is_tracer(x):
                raise Met(x)
            return self._array(self.lift(x)) if not self._frozen else constant(x, Same(x))
        if isinstance(x, np.ndarray):
            self.is_fixed = False
            return self._array(self.lift(x)) if not self._frozen and x.dtype != object else constant(x.copy(), content(x))
        if id(x) in self._seen:
            return again(self._seen[id(x)], x)
        inner = getattr(kind, "looked_through", None)
        if inner is not None or (kind is JITTED and not is_wrapped_library(x)):
            return self.tree(getattr(x, inner or "__wrapped__"))
        if isinstance(x, (types.FunctionType, types.MethodType, functools.partial, types.ModuleType, type)):
            return self._code(x)
        if kind is object or isinstance(x, FIXED) or is_wrapped_library(x):
            return constant(x, Same(x))
        return self._object(x, kind)

    def tree(self, x: Any) -> tuple[Hashable, Template]:
        """The mark and the template of a pytree. The items of a dict keep their order, which JAX's own trees do not."""
        kind = x.__class__
        if kind is dict or kind is list or kind is tuple:
            return self._container(x, kind)
        parts, tree = tree_flatten(x, is_leaf=lambda part: part is not x)
        if len(parts) == 1 and parts[0] is x:
            return self.visit(x)
        if not isinstance(x, tuple):
            self.is_fixed = False
        seen = [self.tree(part) for part in parts]
        templates = [t for _, t in seen]
        return (tree, tuple([m for m, _ in seen])), lambda filling: tree_unflatten(tree, [t(filling) for t in templates])

    def _container(self, x: Any, kind: type) -> tuple[Hashable, Template]:
        if kind is tuple:
            mark, templates = self._several(tuple, [(f"[{i}]", part) for i, part in enumerate(x)])
            return mark, lambda filling: tuple([t(filling) for t in templates])
        self.is_fixed = False
        if id(x) in self._seen:
            return again(self._seen[id(x)], x)
        number = self._enter(x)
        if kind is list:
            mark, templates = self._several(list, [(f"[{i}]", part) for i, part in enumerate(x)])
            return mark, lambda filling: build_list(filling, number, templates)
        keys = tuple(x)
        mark, templates = self._several((dict, self._as_it_is(keys)), [(f"[{key!r}]", part) for key, part in x.items()])
        return mark, lambda filling: build_dict(filling, number, keys, templates)

    def _as_it_is(self, x: Any) -> Hashable:
        """The mark of something that cannot be rebuilt, with whatever is in it."""
        self._frozen += 1
        try:
            return self.tree(x)[0]
        finally:
            self._frozen -= 1

    def forget(self) -> None:
        """Know no more what was met: what comes next is built apart from it."""
        self._seen.clear()

    def _array(self, t: Value) -> tuple[Hashable, Template]:
        self.tensors.append(t)
        return Value, next_array

    def _number(self, x: Any) -> tuple[Hashable, Template]:
        if self._frozen or self._in_library:
            return constant(x, Exact(x))
        check_whole(x)
        self.number_count += 1
        if self.number_count - 1 in self.statics or is_too_big(x):
            return constant(x, Exact(x))
        self.numbers.append(x)
        return x.__class__, next_number

    def _enter(self, x: object) -> int:
        self._kept.append(x)
        self._seen[id(x)] = number = len(self._seen)
        return number

    def _several(self, key: Hashable, named: list[tuple[str, Any]]) -> tuple[Nested, list[Template]]:
        parts = [self.tree(value) for _, value in named]
        return Nested(key, tuple([n for n, _ in named]), tuple([m for m, _ in parts])), [t for _, t in parts]

    def _code(self, x: Any) -> tuple[Hashable, Template]:
        if isinstance(x, functools.partial):
            number = self._enter(x)
            mark, templates = self._several("partial", [("func", x.func), ("args", x.args), ("keywords", x.keywords)])
            return mark, lambda filling: keep(filling, number, build_partial(filling, templates))
        if isinstance(x, types.MethodType):
            number = self._enter(x)
            mark, templates = self._several("method", [("func", x.__func__), ("self", x.__self__)])
            return mark, lambda filling: keep(filling, number, types.MethodType(templates[0](filling), templates[1](filling)))
        if isinstance(x, types.FunctionType):
            return self._function(x)
        if isinstance(x, type):
            return self._class(x)
        if is_user_module(x):  # what is read from it is seen only where code names it and the attribute
            self.opaque.append(f"module {x.__name__}")
        return constant(x, Same(x))

    def _function(self, fn: types.FunctionType) -> tuple[Hashable, Template]:
        code, is_user = fn.__code__, not is_ours_or_library(fn.__code__.co_filename)
        cells = list(zip(code.co_freevars, fn.__closure__ or (), strict=True))
        if not is_user and not cells:  # nor does anybody change the defaults of a library's function
            return constant(fn, Same(fn))
        number = self._enter(fn)
        self.checks.append(("attribute", fn, "__code__", code))
        self.checks += [("attribute", fn, name, getattr(fn, name)) for name in ("__defaults__", "__kwdefaults__")]
        inside: list[tuple[str, Any]] = []
        filled = [(name, cell) for name, cell in cells if contents_of(cell) is not ABSENT]
        inside += [(name, cell.cell_contents) for name, cell in filled]
        self.checks += [("cell", cell, name, contents_of(cell)) for name, cell in cells]
        names = self._globals(fn, inside) if is_user else []
        if fn.__defaults__:
            inside.append(("defaults", fn.__defaults__))
        if fn.__kwdefaults__:
            inside.append(("keyword defaults", fn.__kwdefaults__))
        around, self._in_library = self._in_library, not is_user
        mark, templates = self._several(("code", essence(code) if is_user else Same(code)), inside)
        self._in_library = around
        plan = FunctionPlan(fn, [n for n, _ in filled], names, templates)
        return mark, lambda filling: plan.build(filling, number)

    def _globals(self, fn: types.FunctionType, inside: list[tuple[str, Any]]) -> list[tuple[str, ...]]:
        """Add what a function reads from its globals, and from the user's modules among them; returns where each was found: a name, or the way to it."""
        scope, found, names = fn.__globals__, [], names_read(fn.__code__)
        for name in names.read:
            value = scope.get(name, ABSENT)
            self.checks.append(("item", scope, name, value))
            if value is not ABSENT:
                found += self._reached((name,), value, names, inside, ())
            elif name in SEE_ALL:
                self.opaque.append(f"{name}()")
        for name in names.imported:
            module = sys.modules.get(name)
            if module is None or is_user_module(module):
                self.is_fixed = False
                self.opaque.append(f"import {name}")
        return found

    def _reached(self, way: tuple[str, ...], value: Any, names: Names, inside: list[tuple[str, Any]], around: tuple[Any, ...]) -> list[tuple[str, ...]]:
        """Add something that code names, or what it names of it, if it is a module of the user's of which nothing else is done."""
        if not isinstance(value, types.ModuleType) or not is_user_module(value) or way[-1] in names.bare:
            inside.append((".".join(way), value))
            return [way]
        found = []
        for attribute in names.named:
            part = value.__dict__.get(attribute, ABSENT)
            self.checks.append(("item", value.__dict__, attribute, part))
            if any(part is module for module in around):
                self.opaque.append(f"module {part.__name__}")
            elif part is not ABSENT:
                found += self._reached((*way, attribute), part, names, inside, (*around, value))
        return found

    def _class(self, cls: type) -> tuple[Hashable, Template]:
        """A class of the user's own is itself and its functions: a method may be replaced, or a helper that it calls."""
        if is_library_class(cls):
            return constant(cls, Same(cls))
        self._enter(cls)
        self.checks.append(("attribute", cls, "__mro__", cls.__mro__))
        named: list[tuple[str, Any]] = [] if is_library_class(type(cls)) else [("metaclass", type(cls))]
        for base in cls.__mro__:
            if not is_library_class(base):
                parts = [(name, part) for name, part in vars(base).items() if is_part(name, part)]
                named += [(name, unwrapped(part)) for name, part in parts]
                self.checks += [("attribute of class", base, name, part) for name, part in parts]
                self.checks.append(("size", base, "", len(vars(base))))
        self._frozen += 1  # what methods read cannot be replaced, so it is part of the mark
        try:
            mark, _ = self._several(Same(cls), named)
        finally:
            self._frozen -= 1
        return mark, lambda _: cls

    def _object(self, x: Any, kind: type) -> tuple[Hashable, Template]:
        if isinstance(x, (set, frozenset)):
            self.is_fixed = False
            return constant(x.copy(), (kind, frozenset([self._as_it_is(v) for v in x])))
        if kind is slice:
            parts = (x.start, x.stop, x.step)
            return constant(x, (slice, tuple([None if p is None else Exact(p) for p in parts])))
        number = self._enter(x)
        class_mark, _ = self._class(kind)
        is_librarys, inside = is_library_class(kind), getattr(x, "__dict__", None)
        if inside is not None and not is_librarys and is_plain(kind):
            self.is_fixed = False
            mark, templates = self._several(("object", Same(kind), class_mark, Same(x) if self._frozen else None), [("attributes", dict(inside))])
            return mark, lambda filling: build_object(filling, number, kind, templates[0])
        mark = self._whole(x, kind)
        if mark is not None:
            return constant(x, (class_mark, mark))
        if is_librarys and inside == {} and is_attributes(kind):  # such as a sentinel
            self.checks.append(("size", x, "", 0))
        elif not (is_librarys and callable(x) and not inside):
            self.is_fixed = False
            self.opaque.append(kind.__qualname__)
        return constant(x, Same(x))

    def _whole(self, x: Any, kind: type) -> Hashable | None:
        """The mark of an object that is not built anew, but can be compared; None if it can't."""
        is_descriptor = is_library_class(kind) and hasattr(kind, "__get__") and not callable(x)  # such as `functools.cached_property`
        if is_descriptor or isinstance(x, (jax.custom_jvp, jax.custom_vjp)):  # called anew each time, unlike what `jax.jit` made
            return Same(x), self._as_it_is(tuple(vars(x).items())) if hasattr(x, "__dict__") else None
        if isinstance(x, enum.Enum):
            return Same(x), self._as_it_is(x.value)
        fields = getattr(kind, "__dataclass_fields__", None)
        has_value = kind.__hash__ not in (object.__hash__, None) and is_hashable(x)
        if fields is None:
            return (kind, x) if has_value and is_library_class(kind) else None
        if not has_value and not attributes_of(x) <= fields.keys():  # nor does it say itself what it is
            return None
        values = {name: getattr(x, name, None) for name in fields}
        self.checks += [("attribute", x, name, value) for name, value in values.items()]
        # two that are equal may still differ: in 1 and 1.0, in a field that is not compared, in a function that was edited
        return kind, x if has_value else Same(x), self._as_it_is(values)
