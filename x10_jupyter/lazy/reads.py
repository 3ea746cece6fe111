"""What a function reads is an argument of it: closure cells, globals (its own, its nested code's, its helpers'), defaults, partial arguments, `self`.

A walk goes through a call's arguments and through the function itself. It collects the tensors and the numbers, gives everything else a mark
that is equal when it means the same, and makes a template from which the same objects are built again with other arrays in place of the tensors.
"""

import functools
import hashlib
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import jax
import numpy as np
from jax.tree_util import tree_flatten, tree_unflatten

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.lazy.avals import is_number, is_too_big
from x10_jupyter.lazy.code import essence, names_read
from x10_jupyter.lazy.core import Value

FIXED = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    type(jax.numpy.sin),
    type(jax.jit(abs)),
    jax.custom_jvp,
    jax.custom_vjp,
)
"""Known by identity: nothing in them changes."""
SIMPLE = (str, bytes, bool, type(None), type(...), type(NotImplemented), np.dtype)
ABSENT = object()


class Same:
    """Equal when it holds the same object, which it keeps alive, so that its address is never another's."""

    __slots__ = ("it",)

    def __init__(self, it: object) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return other.__class__ is Same and self.it is other.it  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return getattr(self.it, "__name__", None) or type(self.it).__name__


class Exact:
    """A number by its exact value: tells ``1``, ``1.0`` and ``True``, ``0.0`` and ``-0.0`` apart; a nan equals itself."""

    __slots__ = ("kind", "text", "value")

    def __init__(self, value: Any) -> None:
        self.value, self.kind = value, value.__class__
        self.text = value.hex() if self.kind is float else repr(value)

    def __hash__(self) -> int:
        return hash((self.kind, self.text))

    def __eq__(self, other: object) -> bool:
        return other.__class__ is Exact and self.kind is other.kind and self.text == other.text  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return repr(self.value)


class Nested:
    """The mark of something that was looked into: what it is, and the marks of what it reads, by name."""

    __slots__ = ("key", "marks", "names")

    def __init__(self, key: Hashable, names: tuple[str, ...], marks: tuple[Hashable, ...]) -> None:
        self.key, self.names, self.marks = key, names, marks

    def __hash__(self) -> int:
        return hash((self.key, self.names, self.marks))

    def __eq__(self, other: object) -> bool:
        return other.__class__ is Nested and self.key == other.key and self.names == other.names and self.marks == other.marks  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return ", ".join(f"{n}={m!r}" for n, m in zip(self.names, self.marks, strict=True))


class Met(Exception):  # noqa: N818 - a way out of the walk, not an error
    """A tracer was met: the call is part of a function that JAX traces, and is JAX's business."""


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
                raise Met
            return self._array(self.lift(x)) if not self._frozen else constant(x, Same(x))
        if isinstance(x, np.ndarray):
            self.is_fixed = False
            return self._array(self.lift(x)) if not self._frozen and x.dtype != object else constant(x.copy(), content(x))
        if id(x) in self._seen:
            return again(self._seen[id(x)], x)
        inner = getattr(kind, "looked_through", None)
        if inner is not None:
            return self.visit(getattr(x, inner))
        if isinstance(x, (types.FunctionType, types.MethodType, functools.partial, types.ModuleType, type)):
            return self._code(x)
        if isinstance(x, FIXED) or is_wrapped_library(x):
            return constant(x, Same(x))
        return self._object(x, kind)

    def tree(self, x: Any) -> tuple[Hashable, Template]:
        """The mark and the template of a pytree."""
        leaves, tree = tree_flatten(x)
        if len(leaves) == 1 and leaves[0] is x:
            return self.visit(x)
        if not isinstance(x, tuple):
            self.is_fixed = False
        parts = [self.visit(leaf) for leaf in leaves]
        templates = [t for _, t in parts]
        return (tree, tuple([m for m, _ in parts])), lambda filling: tree_unflatten(tree, [t(filling) for t in templates])

    def _array(self, t: Value) -> tuple[Hashable, Template]:
        self.tensors.append(t)
        return Value, next_array

    def _number(self, x: Any) -> tuple[Hashable, Template]:
        if self._frozen:
            return constant(x, Exact(x))
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
        return constant(x, Same(x))  # a module by itself; what is read from it is seen with the code that reads it

    def _function(self, fn: types.FunctionType) -> tuple[Hashable, Template]:
        code, is_user = fn.__code__, not is_ours_or_library(fn.__code__.co_filename)
        cells = list(zip(code.co_freevars, fn.__closure__ or (), strict=True))
        if not is_user and not cells and not fn.__defaults__ and not fn.__kwdefaults__:
            return constant(fn, Same(fn))
        number = self._enter(fn)
        self.checks.append(("attribute", fn, "__code__", code))
        inside: list[tuple[str, Any]] = []
        filled = [(name, cell) for name, cell in cells if not is_empty(cell)]
        for name, cell in filled:
            inside.append((name, cell.cell_contents))
            self.checks.append(("cell", cell, name, cell.cell_contents))
        names = self._globals(fn, inside) if is_user else []
        if fn.__defaults__:
            inside.append(("defaults", fn.__defaults__))
        if fn.__kwdefaults__:
            inside.append(("keyword defaults", fn.__kwdefaults__))
        mark, templates = self._several(("code", essence(code) if is_user else Same(code)), inside)
        plan = FunctionPlan(fn, [n for n, _ in filled], names, templates)
        return mark, lambda filling: plan.build(filling, number)

    def _globals(self, fn: types.FunctionType, inside: list[tuple[str, Any]]) -> list[tuple[str, str | None]]:
        """Add what a function reads from its globals, and from the user's modules among them; returns the names: (name, module's attribute)."""
        scope, found = fn.__globals__, []
        read, named = names_read(fn.__code__)
        for name in read:
            value = scope.get(name, ABSENT)
            self.checks.append(("item", scope, name, value))
            if value is ABSENT:
                continue
            if isinstance(value, types.ModuleType) and is_user_module(value):
                for attribute in named:
                    if attribute in value.__dict__:
                        part = value.__dict__[attribute]
                        self.checks.append(("item", value.__dict__, attribute, part))
                        inside.append((f"{name}.{attribute}", part))
                        found.append((name, attribute))
            else:
                inside.append((name, value))
                found.append((name, None))
        return found

    def _class(self, cls: type) -> tuple[Hashable, Template]:
        """A class of the user's own is itself and its functions: a method may be replaced, or a helper that it calls."""
        if is_library_class(cls):
            return constant(cls, Same(cls))
        self._enter(cls)
        self._frozen += 1  # what methods read cannot be replaced, so it is part of the mark
        try:
            named = [(name, unwrapped(part)) for base in cls.__mro__ if not is_library_class(base) for name, part in vars(base).items() if is_part(name, part)]
            for base in cls.__mro__:
                if not is_library_class(base):
                    self.checks += [("attribute of class", base, name, part) for name, part in vars(base).items() if is_part(name, part)]
            mark, _ = self._several(Same(cls), named)
        finally:
            self._frozen -= 1
        return mark, lambda _: cls

    def _object(self, x: Any, kind: type) -> tuple[Hashable, Template]:
        if isinstance(x, (set, frozenset)):
            self.is_fixed = False
            return constant(x.copy(), (kind, frozenset([self.visit(v)[0] for v in x])))
        if kind is slice:
            parts = (x.start, x.stop, x.step)
            return constant(x, (slice, tuple([None if p is None else Exact(p) for p in parts])))
        number = self._enter(x)
        class_mark, _ = self._class(kind)
        if kind.__hash__ is not object.__hash__ and kind.__hash__ is not None and is_hashable(x):
            if is_library_class(kind) or hasattr(kind, "__dataclass_fields__"):
                return constant(x, (kind, x, class_mark))
        inside = getattr(x, "__dict__", None)
        if inside is not None and not is_library_class(kind) and is_plain(kind):
            self.is_fixed = False
            named = [("attributes", dict(inside))]
            mark, templates = self._several(("object", Same(kind), class_mark, Same(x) if self._frozen else None), named)
            return mark, lambda filling: build_object(filling, number, kind, templates[0])
        if kind.__hash__ is object.__hash__ and is_library_class(kind) and not callable(x):
            self.opaque.append(kind.__qualname__)
        self.is_fixed = self.is_fixed and callable(x)
        return constant(x, Same(x))


class FunctionPlan:
    """How to make a function that reads other values where the original read its closure, globals and defaults."""

    def __init__(self, fn: types.FunctionType, cells: list[str], names: list[tuple[str, str | None]], templates: list[Template]) -> None:
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
        for name in self.cells:
            cells[name].cell_contents = values.pop(0)
        modules: dict[str, types.ModuleType] = {}
        for name, attribute in self.names:
            value = values.pop(0)
            if attribute is None:
                scope[name] = value
            else:
                modules.setdefault(name, copy_of_module(fn.__globals__[name])).__dict__[attribute] = value
        scope.update(modules)
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


def content(x: np.ndarray) -> Hashable:
    """An array by its content."""
    data = repr(x.tolist()).encode() if x.dtype == object else np.ascontiguousarray(x).tobytes()
    return (np.ndarray, x.shape, x.dtype.str, hashlib.blake2b(data).digest())


def is_empty(cell: types.CellType) -> bool:
    """Whether a closure cell has no value yet."""
    try:
        cell.cell_contents  # noqa: B018 - reading it is the test
    except ValueError:
        return True
    return False


def is_hashable(x: object) -> bool:
    """Whether an object has a hash."""
    try:
        hash(x)
    except Exception:  # noqa: BLE001 - a user's __hash__ may raise anything
        return False
    return True


def is_user_module(module: types.ModuleType) -> bool:
    """Whether a module is the user's own file."""
    file = getattr(module, "__file__", None)
    return file is not None and not is_ours_or_library(file)


@functools.lru_cache(maxsize=1024)
def is_library_class(cls: type) -> bool:
    """Whether a class comes from a library or from Python."""
    module = __import__("sys").modules.get(cls.__module__)
    if cls.__module__ == "__main__":
        return False
    file = getattr(module, "__file__", None)
    return module is None or file is None or is_ours_or_library(file)


def is_wrapped_library(x: object) -> bool:
    """Whether an object is a library's callable, such as ``jax.nn.relu`` or a jitted function of it."""
    wrapped = getattr(x, "__wrapped__", None)
    return isinstance(wrapped, types.FunctionType) and not isinstance(x, types.FunctionType) and is_ours_or_library(wrapped.__code__.co_filename)


def is_part(name: str, part: object) -> bool:
    """Whether something in a class may change what its methods do."""
    return not (name.startswith("__") and not callable(unwrapped(part))) and name not in {
        "__weakref__",
        "__dict__",
        "__class__",
        "__firstlineno__",
        "__static_attributes__",
    }


def unwrapped(part: Any) -> Any:
    """The function of a static method, class method or property."""
    if isinstance(part, (staticmethod, classmethod)):
        return part.__func__
    if isinstance(part, property):
        return (part.fget, part.fset)
    return part


def is_plain(kind: type) -> bool:
    """Whether an object of a class is its attributes and nothing else."""
    return all(base is object or (not is_library_class(base) and not vars(base).get("__slots__")) for base in kind.__mro__)


def is_current(checks: list[tuple[str, Any, Any, Any]]) -> bool:
    """Whether everything is still where a walk found it."""
    for how, where, name, it in checks:
        if how == "item":
            now = where.get(name, ABSENT)
        elif how == "cell":
            now = where.cell_contents
        elif how == "attribute":
            now = getattr(where, name)
        else:
            now = vars(where).get(name, ABSENT)
        if now is not it:
            return False
    return True
