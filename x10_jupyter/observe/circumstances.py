"""Under what a function is compiled that is none of its arguments: the transformation, JAX's settings, the options of its jit; and what differs between two."""

from collections.abc import Iterator

from x10_jupyter.jax_gate.context import NO_SETTING, context_difference
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.values import renewed, short
from x10_jupyter.records.cause import Change, Kind

AXES = "axis env"
"""What JAX's settings call the axes that a ``vmap`` has named: no setting of the user's."""

OPTION_KINDS: dict[str, Kind] = {
    "in_shardings": "placement", "out_shardings": "placement", "device": "placement", "backend": "placement",
    "compiler_options": "config", "static_argnums": "static_argument", "static_argnames": "static_argument",
}  # fmt: skip
"""What an option of `jax.jit` decides; others decide how it is called."""

MOST_BY = 4
"""Arguments of a transformation that are told."""


def is_other_learnt(old: Signature, new: Signature) -> bool:
    """Whether a program that JAX's caches show to be of a ``vmap`` is of another transformation; more of it they don't show."""
    return bool(old.transform) and old.transform not in new.transform


def transforms(old: Signature, new: Signature) -> Iterator[Change]:
    """Another transformation."""
    if old.transform != new.transform:
        yield Change(kind="transform", where=new.transform or old.transform, old=old.transform or "called as it is", new=new.transform or "called as it is")


def unheard_transform(new: Signature) -> Iterator[Change]:
    """A transformation of what JAX knew in some other way, if nothing else differs."""
    if new.transform:
        yield Change(kind="transform", where=new.transform, new=new.transform)


def transformed(old: Signature, new: Signature) -> Iterator[Change]:
    """The same transformation of other arguments."""
    if old.transform == new.transform and old.by != new.by:
        yield Change(kind="transform", where=new.transform, old=f"by {', '.join(old.by[:MOST_BY])}", new=f"by {', '.join(new.by[:MOST_BY])}")


def settings(old: Signature, new: Signature) -> Iterator[Change]:
    """Other settings of JAX's."""
    if old.context is new.context or old.context == new.context:
        return
    for name, before, after in context_difference(old.context, new.context):
        if before == NO_SETTING or (name == AXES and old.transform != new.transform):
            continue
        yield Change(kind="transform" if name == AXES else "config", where=name, old=before, new=after)


def added_settings(old: Signature, new: Signature) -> Iterator[Change]:
    """Settings that there were not before, as a module of JAX's brings that is imported late: what else differs is more to the point."""
    for name, before, after in context_difference(old.context, new.context) if len(old.context) < len(new.context) else ():
        if before == NO_SETTING:
            yield Change(kind="config", where=name, old=before, new=after)


def options(old: Signature, new: Signature) -> Iterator[Change]:
    """Another use of `jax.jit`."""
    if old.options == new.options or not old.is_whole:
        return
    before, after = dict(old.options), dict(new.options)
    for name in [*before, *[name for name in after if name not in before]]:
        if before.get(name) != after.get(name):
            kind = OPTION_KINDS.get(name, "calling_convention")
            old_text, new_text = (short(given.get(name, "not given")) for given in (before, after))
            yield Change(kind=kind, where=name, old=old_text, new=renewed(old_text, new_text))
