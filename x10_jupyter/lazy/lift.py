"""`lazy(fn)`: any pure function of pytrees as one operation."""

from collections.abc import Callable, Hashable
from typing import Any

import jax
from jax.tree_util import tree_flatten, tree_unflatten

from x10_jupyter.base.errors import LeakedValueError, OperandError
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.tracing import cheap_errors, is_concretization_error, is_leaked, trace_state_clean
from x10_jupyter.lazy.autodiff import UNKNOWN, apply
from x10_jupyter.lazy.checks import is_current
from x10_jupyter.lazy.code import essence
from x10_jupyter.lazy.core import Trace, look_if_needed
from x10_jupyter.lazy.explain import raise_explained
from x10_jupyter.lazy.fallback import fall_back
from x10_jupyter.lazy.fits import all_fit
from x10_jupyter.lazy.kinds import SIMPLE
from x10_jupyter.lazy.known import Calls, learn, like_before
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import LOCAL, made_of, tensor_of
from x10_jupyter.lazy.marks import Same
from x10_jupyter.lazy.op import Call, NeedsValuesError, Op, Tree, means_the_same, specialise
from x10_jupyter.lazy.precision import PrecisionsDifferError
from x10_jupyter.lazy.producer import CLOCK, EVENTS, happened, site_of
from x10_jupyter.lazy.read import for_jax
from x10_jupyter.lazy.reads import Met, Walk
from x10_jupyter.lazy.rebuild import Filling
from x10_jupyter.lazy.sites import SITES, Site, paths_of
from x10_jupyter.lazy.statics import choose
from x10_jupyter.lazy.value import Value
from x10_jupyter.records.runtime_events import Retraced

MANY_NUMBERS = 32
"""So many numbers in a call without a tensor are data, not arguments: it runs at once."""


class Lazy:
    """A pure function of pytrees, recorded as one operation whenever it is called with tensors."""

    looked_through = "__wrapped__"

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        name: str | None = None,
        follows_values: bool = False,
        is_operator: bool = False,
        is_users: bool = False,
        family: Hashable = None,
    ) -> None:
        """Wrap a function.

        Args:
            fn: Takes and returns pytrees of arrays, and has no side effects.
            name: What to call it; its own name when None.
            follows_values: Whether the function may do something else for a number whose value it knows, as JAX's own do for ``x ** 2``.
                Such a number is a parameter only if the function does the same with it either way.
            is_operator: Whether it is written as an operator, so that its numbers may be literals.
            is_users: Whether it is the user's own function, not JAX's.
            family: Equal for two versions of the function; made of its names when None.
        """
        self.__wrapped__ = fn
        self.__name__ = name or getattr(fn, "__name__", type(fn).__name__)
        self.__doc__ = getattr(fn, "__doc__", None)
        self.__module__ = getattr(fn, "__module__", None) or __name__
        self._family = family or family_of(fn, self.__name__)
        self._follows_values, self._is_operator, self._is_users = follows_values, is_operator, is_users
        self._own: Walk | None = None
        self._own_mark: Hashable = None
        self._calls = Calls()

    def __repr__(self) -> str:
        return f"<lazy {self.__name__}>"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Used as a method, it gets the object first, as a function does."""
        if instance is None:
            return self
        bound = self.__wrapped__.__get__(instance, owner)
        return Lazy(bound, name=self.__name__, follows_values=self._follows_values, is_operator=self._is_operator, is_users=self._is_users)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Record the call; returns what the function returns, with pending tensors in place of arrays.

        Raises:
            OperandError: The function refuses these shapes or dtypes.
        """
        trace = LOCAL.trace
        own = self._own
        try:
            if own is not None:
                result = like_before(trace, own.checks, self._calls, args, kwargs)
                if result is not UNKNOWN:
                    return result
            try:
                return self._call(trace, args, kwargs)
            except Met as met:
                traced = met.args
            refuse_leaked(self.__name__, (traced, args, kwargs))
            args, kwargs = jax.tree.map(lambda x: for_jax(x, "jax") if isinstance(x, Value) else x, (args, kwargs))
            return self.__wrapped__(*args, **kwargs)
        except Exception as error:
            without_ours(error)
            raise

    def _own_walk(self) -> Walk:
        """What the function itself reads, looked up anew unless all of it is where it was."""
        walk = self._own
        if walk is None or not walk.is_fixed or not is_current(walk.checks):
            self._calls.clear()
            self._own, walk = None, Walk(tensor_of)
            self._own_mark, _ = walk.tree(self.__wrapped__)
            self._own = walk  # not before: the walk may have met a tracer
        return walk

    def _call(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        own, lift = self._own_walk(), Lifting()
        leaves, tree = tree_flatten((args, kwargs))
        site = SITES.at((self._family, self._own_mark, tree), lambda: paths_of(self.__wrapped__, args, kwargs))
        marks, walk = self._marked(own, leaves, site.statics, lift)
        if not walk.tensors:
            if not trace_state_clean():  # a constant made inside a function that JAX traces
                raise Met
            if len(walk.numbers) > MANY_NUMBERS:
                return as_tensors(self.__wrapped__(*args, **kwargs))
        look_if_needed(trace)  # what follows asks what the call means, which the settings in force say
        call = site.calls.get(marks)
        if call is None:
            marks, walk, call = self._first_call(trace, site, own, walk, marks, leaves, tree, lift)
        if walk.numbers and not walk.tensors and not all_fit(call, walk.numbers, trace.context):
            return as_tensors(self.__wrapped__(*args, **kwargs))  # which may refuse it
        opaque = own.opaque or walk.opaque
        if opaque:
            call = self._traced_again(trace, site, marks, call, walk, leaves, tree)
            call.opaque = opaque[0]
            report_retraced(self.__name__, opaque[0])
        elif own.is_fixed and not (own.tensors or own.numbers):
            learn(self._calls.known, args, kwargs, walk, call)
        return perform(trace, call, walk)

    def _first_call(
        self, trace: Trace, site: Site, own: Walk, walk: Walk, marks: tuple[Hashable, ...], leaves: list[Any], tree: Tree, lift: "Lifting"
    ) -> tuple[tuple[Hashable, ...], Walk, Call]:
        """A call that was not seen before, with the marks and the walk that belong to it: at a new site it is found out which numbers are static."""
        trace.begin()
        if walk.numbers and not site.is_tried:
            site.statics, site.is_tried = self._choose_statics(trace, site, walk, leaves, tree), True
            marks, walk = self._marked(own, leaves, site.statics, lift)
        return marks, walk, site.add(marks, self._new_call(site, leaves, tree, site.statics))

    def _choose_statics(self, trace: Trace, site: Site, walk: Walk, leaves: list[Any], tree: Tree) -> frozenset[int]:
        """Which of a call's numbers are to be static."""
        ins = tuple([t.aval for t in walk.tensors])
        # beside reduced operands NumPy's numbers are narrowed, which a constant is not
        is_mixed = not trace.context.holds and (trace.reduces or any(a.is_reduced for a in ins))  # else results become narrow whatever they were made of
        narrow = frozenset([i for i, n in enumerate(walk.numbers) if hasattr(n, "dtype")] if is_mixed else [])

        def attempt(statics: frozenset[int]) -> Op | None:
            new = trace.in_precision(self._new_call(site, leaves, tree, statics - narrow))
            try:
                return specialise(new, ins, trace.context)
            except PrecisionsDifferError as error:
                raise_explained(error, new, walk.tensors)
            except Exception:  # noqa: BLE001 - what is wrong besides comes out when the call is made
                return None

        with cheap_errors():
            return choose(attempt, walk.number_count, follows_values=self._follows_values)

    def _traced_again(self, trace: Trace, site: Site, marks: Hashable, call: Call, walk: Walk, leaves: list[Any], tree: Tree) -> Call:
        """The call as it is now: what it reads cannot all be seen, so it may mean something else each time."""
        now = self._new_call(site, leaves, tree, site.statics)
        now.key = (call.key, Same(now))
        try:
            trace.look()
            ins = tuple([t.aval for t in walk.tensors])
            if means_the_same(*[specialise(trace.in_precision(each), ins, trace.context) for each in (call, now)]):
                return call
        except Exception:  # noqa: BLE001 - what is wrong comes out when the call is made
            return now
        return site.add(marks, now)

    def _marked(self, own: Walk, leaves: list[Any], statics: frozenset[int], lift: "Lifting") -> tuple[tuple[Hashable, ...], Walk]:
        """What each leaf is, and the tensors and numbers among them, after those of the function itself."""
        walk = Walk(lift, statics)
        marks: list[Hashable] = []
        if own.numbers:
            marks.append(walk.tree(self.__wrapped__)[0])
            walk.forget()
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

    def _new_call(self, site: Site, leaves: list[Any], tree: Tree, statics: frozenset[int]) -> Call:
        """A way of calling the function that was not seen before."""
        walk = Walk(same, statics)  # its tensors are only counted, and so are not brought to a device
        own_mark, own_template = walk.tree(self.__wrapped__)
        walk.forget()  # a function and its arguments are built apart
        parts = [walk.visit(x) for x in leaves]
        templates = [t for _, t in parts]
        tensor_count = len(walk.tensors)

        def flat(*xs: Any) -> Any:
            arrays, numbers = iter(xs[:tensor_count]), iter(xs[tensor_count:])
            fn = own_template(Filling(arrays, numbers))
            filling = Filling(arrays, numbers)
            args, kwargs = tree_unflatten(tree, [template(filling) for template in templates])
            return fn(*args, **kwargs)

        marks = (own_mark, *[m for m, _ in parts])
        kinds = tuple([n.__class__ for n in walk.numbers])
        return Call(
            self.__name__,
            flat,
            key=(tree, marks),
            numbers=kinds,
            base=self._family,
            tree=tree,
            marks=marks,
            paths=site.paths,
            is_operator=self._is_operator,
            is_users=self._is_users,
        )


class Lifting:
    """Makes tensors of one call's arrays, each only once, though the arguments may be looked at twice."""

    __slots__ = ("made",)

    def __init__(self) -> None:
        self.made: dict[int, tuple[Any, Value]] = {}
        """By the address of an array, with the array, so that it stays its."""

    def __call__(self, array: Any) -> Value:
        """The tensor of an array."""
        known = self.made.get(id(array))
        if known is None:
            known = self.made[id(array)] = (array, tensor_of(array))
        return known[1]


def same(x: Any) -> Any:
    """The argument."""
    return x


def family_of(fn: Any, name: str) -> Hashable:
    """Equal for two versions of a function: where it is defined, whatever it reads. A lambda has no name, so it is known by its place and code."""
    owner = type(getattr(fn, "__self__", None)).__qualname__
    qualified = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    code = getattr(fn, "__code__", None)
    place = (code.co_filename, code.co_firstlineno, essence(code)) if code is not None and fn.__name__ == "<lambda>" else None
    return (getattr(fn, "__module__", None), qualified, owner, name, place)


def perform(trace: Trace, call: Call, walk: Walk) -> Any:
    """Record a call, or run it at once if it needs concrete values."""
    if complex in call.numbers and not all_fit(call, walk.numbers, trace.context, tuple([t.aval for t in walk.tensors])):
        raise OperandError(f"`{call.name}` makes real numbers of these operands", got=repr(walk.numbers), fix="Ask for a complex dtype.")
    call = trace.in_precision(call)
    try:
        return apply(trace, call, walk.tensors, walk.numbers)
    except NeedsValuesError:
        pass
    except Exception as error:  # noqa: BLE001 - it is raised again
        if not is_concretization_error(error):
            raise_explained(error, call, walk.tensors)
        call.concrete.add((trace.context, tuple([t.aval for t in walk.tensors])))
    return fall_back(trace, call, walk.tensors, walk.numbers)


def refuse_leaked(name: str, arguments: Any) -> None:
    """Raise if what JAX traced was kept beyond its function's end.

    Raises:
        LeakedValueError: One of the arguments is such a value.
    """
    if any(is_leaked(x) for x in jax.tree.leaves(arguments)):
        fix = "Return it from the function instead of keeping it in a variable outside."
        raise LeakedValueError(f"`{name}` was given a value from inside a traced function that has ended", got=f"at {site_of(user_line())}", fix=fix)


def report_retraced(name: str, what: str) -> None:
    """Tell that a function is traced at each call."""
    if EVENTS:
        now_ns = CLOCK.now_ns()
        EVENTS.emit(Retraced(op=name, reads=what, **happened(user_line(), now_ns, now_ns)))


def as_tensors(result: Any) -> Any:
    """A result of JAX with tensors in place of its arrays."""
    return jax.tree.map(lambda x: made_of(x) if isinstance(x, jax.Array) else x, result)


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
