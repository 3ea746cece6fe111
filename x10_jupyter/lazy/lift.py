"""`lazy(fn)`: any pure function of pytrees as one operation."""

import inspect
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import jax
from jax.tree_util import PyTreeDef, keystr, tree_flatten, tree_flatten_with_path, tree_unflatten

from x10_jupyter.jax_gate.tracing import is_concretization_error, trace_state_clean
from x10_jupyter.lazy.autodiff import apply
from x10_jupyter.lazy.core import Trace, Value, record
from x10_jupyter.lazy.explain import explained
from x10_jupyter.lazy.fallback import fall_back
from x10_jupyter.lazy.local import LOCAL, tensor_of
from x10_jupyter.lazy.op import LEAF, Call, Op, specialise
from x10_jupyter.lazy.reads import SIMPLE, Filling, Met, Template, Walk, is_current

MOST_SITES = 4096
MOST_CALLS = 512
MANY_NUMBERS = 32
"""So many numbers in a call without a tensor are data, not arguments: it runs at once."""


class Site:
    """One function called with one structure of arguments."""

    __slots__ = ("calls", "is_tried", "paths", "statics")

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.calls: dict[Any, Call] = {}
        self.statics: frozenset[int] = frozenset()
        """Which of its numbers have to be static."""
        self.is_tried = False
        self.paths = paths


class Sites:
    """All sites, the most recent ones."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Site] = {}

    def at(self, key: Hashable, paths: Callable[[], tuple[str, ...]]) -> Site:
        """The site of a key, made if it is new."""
        site = self.known.get(key)
        if site is None:
            site = self.known[key] = Site(paths())
            while len(self.known) > MOST_SITES:
                del self.known[next(iter(self.known))]
        return site


SITES = Sites()


class Lazy:
    """A pure function of pytrees, recorded as one operation whenever it is called with tensors."""

    looked_through = "__wrapped__"

    def __init__(
        self, fn: Callable[..., Any], *, name: str | None = None, follows_values: bool = False, is_operator: bool = False, is_users: bool = False
    ) -> None:
        """Wrap a function.

        Args:
            fn: Takes and returns pytrees of arrays, and has no side effects.
            name: What to call it; its own name when None.
            follows_values: Whether the function may do something else for a number whose value it knows, as JAX's own do for ``x ** 2``.
                Such a number is a parameter only if the function does the same with it either way.
            is_operator: Whether it is written as an operator, so that its numbers may be literals.
            is_users: Whether it is the user's own function, not JAX's.
        """
        self.__wrapped__ = fn
        self.__name__ = name or getattr(fn, "__name__", type(fn).__name__)
        self.__doc__ = getattr(fn, "__doc__", None)
        self.__module__ = getattr(fn, "__module__", None) or __name__
        self._follows_values, self._is_operator, self._is_users = follows_values, is_operator, is_users
        self._own: Walk | None = None
        self._own_mark: Hashable = None
        self._own_template: Template | None = None
        self._plain: dict[tuple[type, ...], Call] = {}

    def __repr__(self) -> str:
        return f"<lazy {self.__name__}>"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Used as a method, it gets the object first, as a function does."""
        return self if instance is None else Lazy(self.__wrapped__.__get__(instance, owner), name=self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Record the call; returns what the function returns, with pending tensors in place of arrays.

        Raises:
            OperandError: The function refuses these shapes or dtypes.
        """
        trace = LOCAL.trace
        if not kwargs and trace.tape is None and self._own is not None and self._own.is_fixed and not self._own.tensors and not self._own.numbers:
            call = self._plain.get(tuple([a.__class__ for a in args]))
            if call is not None and is_current(self._own.checks):
                try:
                    outs = record(trace, call, args, ())
                except Exception as error:
                    raise explained(error, call, args) from error
                op = trace.state.op
                return outs[0] if op.tree is LEAF and not op.fixed else op.result(outs)
        try:
            return self._call(trace, args, kwargs)
        except Met:
            return self.__wrapped__(*args, **kwargs)

    def _own_walk(self) -> Walk:
        """What the function itself reads, looked up anew unless all of it is where it was."""
        walk = self._own
        if walk is None or not walk.is_fixed or not is_current(walk.checks):
            self._plain.clear()
            walk = self._own = Walk(tensor_of)
            self._own_mark, self._own_template = walk.visit(self.__wrapped__)
        return walk

    def _call(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        own = self._own_walk()
        leaves, tree = tree_flatten((args, kwargs))
        site = SITES.at((self._own_mark, tree), lambda: paths_of(self.__wrapped__, args, kwargs))
        marks, walk = self._marked(own, leaves, site.statics)
        if not walk.tensors:
            if not trace_state_clean():  # a constant made inside a function that JAX traces
                raise Met
            if len(walk.numbers) > MANY_NUMBERS:
                return as_tensors(self.__wrapped__(*args, **kwargs))
        call = site.calls.get(marks)
        if call is None:
            if walk.numbers and not site.is_tried:
                site.is_tried = True
                site.statics = self._statics(trace, site, leaves, tree)
                marks, walk = self._marked(own, leaves, site.statics)
            call = site.calls[marks] = self._new_call(site, leaves, tree, site.statics)
            while len(site.calls) > MOST_CALLS:
                del site.calls[next(iter(site.calls))]
        if call.concrete:
            return fall_back(trace, call, walk.tensors, walk.numbers)
        if not kwargs and not own.tensors and args and all([a.__class__ is trace.kind for a in args]):
            self._plain[tuple([a.__class__ for a in args])] = call
        try:
            return apply(trace, call, walk.tensors, walk.numbers)
        except Exception as error:
            if is_concretization_error(error):
                call.concrete = True
                return fall_back(trace, call, walk.tensors, walk.numbers)
            raise explained(error, call, walk.tensors) from error

    def _marked(self, own: Walk, leaves: list[Any], statics: frozenset[int]) -> tuple[tuple[Hashable, ...], Walk]:
        """What each leaf is, and the tensors and numbers among them, after those of the function itself."""
        walk = Walk(tensor_of, statics)
        marks: list[Hashable] = []
        if own.numbers:
            marks.append(walk.visit(self.__wrapped__)[0])
        else:
            walk.tensors += own.tensors
        tensors, kind = walk.tensors, LOCAL.trace.kind
        for x in leaves:
            if x.__class__ is kind:
                tensors.append(x)
                marks.append(Value)
            elif x.__class__ in SIMPLE:
                marks.append((x.__class__, x))
            else:
                marks.append(walk.visit(x)[0])
        return tuple(marks), walk

    def _new_call(self, site: Site, leaves: list[Any], tree: PyTreeDef, statics: frozenset[int]) -> Call:
        """A way of calling the function that was not seen before."""
        walk = Walk(tensor_of, statics)
        own_mark, own_template = walk.visit(self.__wrapped__)
        inner = Walk(tensor_of, frozenset([i - walk.number_count for i in statics]))
        parts = [inner.visit(x) for x in leaves]
        templates = [t for _, t in parts]
        tensor_count = len(walk.tensors) + len(inner.tensors)

        def flat(*xs: Any) -> Any:
            arrays, numbers = iter(xs[:tensor_count]), iter(xs[tensor_count:])
            fn = own_template(Filling(arrays, numbers))
            filling = Filling(arrays, numbers)
            args, kwargs = tree_unflatten(tree, [template(filling) for template in templates])
            return fn(*args, **kwargs)

        marks = (own_mark, *[m for m, _ in parts])
        kinds = tuple([n.__class__ for n in (*walk.numbers, *inner.numbers)])
        return Call(
            self.__name__,
            flat,
            key=(tree, marks),
            numbers=kinds,
            base=self._family(),
            tree=tree,
            marks=marks,
            paths=site.paths,
            is_operator=self._is_operator,
            is_users=self._is_users,
        )

    def _family(self) -> Hashable:
        """Equal for two versions of a function: where it is defined, whatever it reads."""
        fn = self.__wrapped__
        owner = type(getattr(fn, "__self__", None)).__qualname__
        return (getattr(fn, "__module__", None), getattr(fn, "__qualname__", None) or type(fn).__qualname__, owner, self.__name__)

    def _statics(self, trace: Trace, site: Site, leaves: list[Any], tree: PyTreeDef) -> frozenset[int]:
        """Which numbers have to be static: those that the function must know, or does something else for when it does."""
        _, walk = self._marked(self._own_walk(), leaves, frozenset())
        ins = tuple([t.aval for t in walk.tensors])
        everything = frozenset(range(walk.number_count))

        def attempt(statics: frozenset[int]) -> Op | None:
            try:
                return specialise(self._new_call(site, leaves, tree, statics), ins, trace.context)
            except Exception:  # noqa: BLE001 - what is wrong besides comes out when the call is made
                return None

        known = attempt(everything)
        if known is None:
            return everything if attempt(frozenset()) is None else frozenset()

        def does_the_same(op: Op | None) -> bool:
            return op is not None and op.outs == known.outs and (not self._follows_values or primitives(op) == primitives(known))

        if does_the_same(attempt(frozenset())):
            return frozenset()
        if len(everything) > MANY_STATICS:
            return everything
        chosen = frozenset([i for i in everything if len(everything) == 1 or not does_the_same(attempt(everything - {i}))])
        return chosen if does_the_same(attempt(chosen)) else everything


MANY_STATICS = 8
"""Numbers of a call that are tried one by one."""
MOVES = {"convert_element_type", "broadcast_in_dim", "reshape", "squeeze", "copy", "copy_p", "pjit", "jit", "stop_gradient"}
"""Primitives that only bring a number into the right form."""


def primitives(op: Op) -> Counter[str]:
    """How often each primitive occurs in an operation, but for those that only bring values into form."""
    found: Counter[str] = Counter()
    stack = [op.jaxpr.jaxpr]
    while stack:
        for eqn in stack.pop().eqns:
            found[eqn.primitive.name] += eqn.primitive.name not in MOVES
            stack.extend([getattr(p, "jaxpr", p) for p in jax.tree.leaves(list(eqn.params.values()), is_leaf=is_jaxpr) if is_jaxpr(p)])
    return +found


def is_jaxpr(x: object) -> bool:
    """Whether a parameter of a primitive is a program of its own."""
    return hasattr(x, "eqns")


def paths_of(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, ...]:
    """What the user calls each leaf of the arguments: ``x``, ``params['w']``."""
    try:
        names = [p.name if p.kind != p.VAR_POSITIONAL else None for p in inspect.signature(fn).parameters.values()]
    except (TypeError, ValueError):
        names = []
    found = []
    for path, _ in tree_flatten_with_path((args, kwargs))[0]:
        place = path[1]
        if path[0].idx == 0:
            name = names[place.idx] if place.idx < len(names) else None
            start = name or f"argument {place.idx}"
        else:
            start = str(place.key)
        found.append(start + keystr(path[2:]))
    return tuple(found)


def as_tensors(result: Any) -> Any:
    """A result of JAX with tensors in place of its arrays, and lazy functions in place of functions."""
    return jax.tree.map(lambda x: tensor_of(x) if isinstance(x, jax.Array) else x, result)


def lazy(fn: Callable[..., Any]) -> Lazy:
    """Make a pure function record itself as one operation.

    Whatever the function reads is an argument of it: closure cells, globals (its own and its helpers'), defaults, attributes of ``self``. Tensors and arrays
    there are inputs, numbers are parameters, everything else goes by value; so an edited helper or a changed global is seen at once, and a
    lambda made anew in a loop is the same function.

    Args:
        fn: Takes pytrees and returns a pytree, without side effects: a Flax ``apply``, an Optax ``update``, an Equinox module.

    Returns:
        A function of the same arguments. Called with tensors, it records one operation and returns pending tensors; called by
        JAX with tracers, it is the function itself. If it needs concrete values, the trace is cut, it runs at once, and that is recorded as a fallback.
    """
    return fn if isinstance(fn, Lazy) else Lazy(fn, is_users=True)
