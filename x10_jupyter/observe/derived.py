"""Programs that JAX derives of a function whose call has ended, such as the way back of a gradient: they are made as that call was another one."""

from collections.abc import Sequence

from x10_jupyter.jax_gate.compiling_call import CompilingCall
from x10_jupyter.jax_gate.context import settled_context
from x10_jupyter.jax_gate.eager_operation import source_of
from x10_jupyter.observe.calls import inputs, key_of
from x10_jupyter.observe.difference import differences, evicted, rebuilt
from x10_jupyter.observe.history import Family, History
from x10_jupyter.observe.making import Making
from x10_jupyter.observe.nearest import nearest
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.transforms import derived
from x10_jupyter.observe.wording import caused
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.site import Site


def making_of_derived(call: CompilingCall, history: History, *, forgotten: int, site: Site | None) -> Making | None:
    """A program that JAX has derived of a function, whose call has ended.

    Args:
        call: What runs it.
        history: What was compiled so far.
        forgotten: How often JAX had forgotten everything.
        site: The user's line.

    Returns:
        None if the function is not known.
    """
    source = source_of(call.program)
    key = history.of_source(source)
    family = history.family(key) if key is not None else None
    if family is None or family.function is None:
        return None
    function = family.function
    signature = Signature(
        token=function.token, held=(), options=(), given=(), defaults=(), rows=(), context=settled_context(), transform=derived(call.frame), by=(),
        program=inputs(call.program), forgotten=forgotten, site=site, is_derived=True, forward=forward_of(family, inputs(call.program)),
    )  # fmt: skip
    return Making(key_of(call), function, signature, source, is_traced=False, is_ahead=False)


def forward_of(family: Family, needed: Sequence[str]) -> Signature | None:
    """The call that a derived program is of: the newest of which none is known, if it gives what that needs or was the last to be made.

    Args:
        family: The function's.
        needed: The inputs of the derived program.
    """
    have = {id(one.forward) for one, _ in family.known if one.is_derived}
    made = [one for one, _ in family.known]
    free = [one for one in reversed(made) if one.transform and not one.is_derived and id(one) not in have]
    return next((one for one in free if one is made[-1] or set(needed) <= {*one.program, *one.results}), None)


def cause_of_derived(made: Making, family: Family, history: History) -> Cause | None:
    """Why a program is made that JAX has derived of a call: as that call is another one than those that the known ones are of.

    Args:
        made: The program.
        family: What is known of its function.
        history: What was compiled so far.

    Returns:
        None if there is nothing to compare it with.
    """
    function, now = made.function, made.signature
    beside = [one for one, _ in family.known if one.is_derived and one.transform == now.transform]
    if not beside:  # the first of its kind
        if now.forward is not None and now.forward.cause is not None:
            return now.forward.cause
        old = next((one for one, _ in reversed(family.known) if not one.transform and one.is_whole), None)
        return caused(differences(old, now)[:1], function, old, now) if old is not None else None
    calls = [(one.forward, history.sections(one.forward)) for one in beside if one.forward is not None]
    old = nearest(calls, history.sections(now.forward)) if now.forward is not None else None
    if old is not None and now.forward is not None and (changes := [*rebuilt(function, old, now.forward), *differences(old, now.forward)]):
        return caused(changes, function, old, now.forward, [one for one, _ in calls])
    old = nearest([(one, history.sections(one)) for one in beside], history.sections(now))
    assert old is not None
    changes = differences(old, now)
    if not changes and (asked := cause_of_asking(family, now)) is not None:
        return asked
    if not changes and now.forgotten != old.forgotten:
        changes = [evicted("jax.clear_caches()", old)]
    return caused(changes, function, old, now)


def cause_of_asking(family: Family, now: Signature) -> Cause | None:
    """Why a function was made under another transformation, if that is what a program is derived of that is like the known ones: a gradient of a gradient."""
    asked = now.forward or next((one for one, _ in reversed(family.known) if not one.is_derived), None)
    return asked.cause if asked is not None and asked.cause is not None and asked.cause.kind == "transform" else None
