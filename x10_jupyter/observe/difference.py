"""What differs between two calls of a function that were compiled, what matters most first: what it was called with, and under what (`circumstances`)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from x10_jupyter.observe.apart import apart
from x10_jupyter.observe.arguments import Aval, Node, Row, Static
from x10_jupyter.observe.circumstances import added_settings, is_other_learnt, options, settings, transformed, transforms, unheard_transform
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.values import renewed
from x10_jupyter.records.cause import Change, Kind

ITEM = re.compile(r"(\w+)\[\d+\]")
"""A positional argument that has no name of its own: ``rest[1]`` of ``*rest``."""

JITTED_AGAIN = "jitted once more"
DEFINED_ANEW = " defined anew"
"""What follows the name of a class that is another one of that name."""
NONE = "None"


def differences(old: Signature, new: Signature) -> list[Change]:
    """Everything that differs; empty if nothing does that can be seen."""
    if new.is_derived or old.is_derived:
        return [*transforms(old, new), *settings(old, new), *added_settings(old, new)] or list(programs(old, new))
    rows = by_path(old.rows), by_path(new.rows)
    passed = list(conventions(old, new))
    found = [
        *(transforms(old, new) if old.is_whole or is_other_learnt(old, new) else ()),
        *(transformed(old, new) if old.is_whole else ()),
        *settings(old, new),
        *options(old, new),
        *structures(*rows),
        *(one for one in passed if one.kind != "calling_convention"),
        *statics(*rows),
        *arrays(*rows),
        *placements(*rows, is_known=old.is_whole),
        *(one for one in passed if one.kind == "calling_convention"),  # passed in the same way, it would be compiled for the others all the same
        *added_settings(old, new),
    ]
    return found or list(statics(*rows, is_internal=True)) or list(programs(old, new) if old.is_whole or old.program else unheard_transform(new))


def by_path(rows: tuple[Row, ...]) -> dict[str, Row]:
    """Rows by the way to them."""
    return {row.path: row for row in rows}


def conventions(old: Signature, new: Signature) -> Iterator[Change]:
    """The same arguments in another way: by position instead of by name, or given instead of left to their default."""
    if old.given == new.given:
        return
    before, after = dict(old.given), dict(new.given)
    for name, how in after.items():
        if name in before and before[name] != how:
            yield Change(kind="calling_convention", where=name, old=before[name], new=how)
    defaults = dict(old.defaults), dict(new.defaults)
    rests = {found[1] for name in before.keys() ^ after.keys() if (found := ITEM.fullmatch(name))}
    for rest in sorted(rests):
        yield Change(kind="pytree", where=rest, old=f"{items(before, rest)} given", new=f"{items(after, rest)} given")
    for name in [name for name in after if name not in before and not ITEM.fullmatch(name)]:
        yield given(name, defaults[0].get(name), told(new, name))
    for name in [name for name in before if name not in after and not ITEM.fullmatch(name)]:
        yield reversed_change(given(name, defaults[1].get(name), told(old, name)))


def items(names: Iterable[str], rest: str) -> int:
    """How many positional arguments ``*rest`` holds."""
    return sum(1 for name in names if (found := ITEM.fullmatch(name)) and found[1] == rest)


def told(signature: Signature, name: str) -> str:
    """What an argument is."""
    row = next((row for row in signature.rows if row.path == name), None)
    return text_of(row) if row is not None else ""


def given(name: str, default: str | None, text: str) -> Change:
    """An argument that is given, and was not before."""
    if default is None:
        return Change(kind="pytree", where=name, old="not given", new=text)
    if default == NONE and text != NONE:
        return Change(kind="pytree", where=name, old=NONE, new=text)
    kind: Kind = "calling_convention" if default == text else "static_argument"
    if kind == "static_argument" and ("[" in text and "]" in text):  # an array is no static value: the default was written into the program
        return Change(kind="calling_convention", where=name, old=f"left to its default, {default}", new=f"given as {text}")
    if kind == "calling_convention":
        return Change(kind=kind, where=name, old=f"left to its default, {default}", new="given")
    return Change(kind=kind, where=name, old=default, new=text)


def reversed_change(change: Change) -> Change:
    """The same the other way round."""
    return Change(kind=change.kind, where=change.where, old=change.new, new=change.old)


def structures(old: dict[str, Row], new: dict[str, Row]) -> Iterator[Change]:
    """Pytrees that are built of other parts; what is within such a one is told with it."""
    changed: list[str] = []
    for path, after in new.items():
        before = old.get(path)
        if before is None or any(path.startswith(above) for above in changed):
            continue
        if is_other_part(before, after):
            fields = fields_changed(path, before, after)
            if not fields:
                changed.append(path)
            yield from fields or (part_changed(path, before, after),)


def is_other_part(before: Row, after: Row) -> bool:
    """Whether something is of another kind, or holds other parts."""
    if type(before.what) is not type(after.what):
        return True
    return isinstance(before.what, Node) and before.what != after.what


def fields_changed(path: str, before: Row, after: Row) -> list[Change]:
    """The fields that are no data and have other values, if that is all that differs."""
    if not isinstance(before.what, Node) or not isinstance(after.what, Node) or before.what.text != after.what.text or is_class_anew(before.what, after.what):
        return []
    old, new = dict(before.what.fields), dict(after.what.fields)
    names = [name for name in new if name in old and new[name].evidence != old[name].evidence]
    return [Change(kind="pytree", where=path + name, old=old[name].text, new=renewed_static(old[name], new[name])) for name in names[:4]]


def part_changed(path: str, before: Row, after: Row) -> Change:
    """How something is built otherwise."""
    if isinstance(before.what, Static) or isinstance(after.what, Static):
        return Change(kind="static_argument", where=path, old=text_of(before), new=text_of(after))
    a, b = before.what, after.what
    if isinstance(a, Node) and isinstance(b, Node) and is_class_anew(a, b):
        return Change(kind="pytree", where=path, old=a.text, new=b.text + DEFINED_ANEW)
    if isinstance(a, Node) and isinstance(b, Node) and a.text == b.text:
        return Change(kind="pytree", where=path, old=a.extra or a.text, new=b.extra if b.extra and b.extra != a.extra else f"another {b.text}")
    return Change(kind="pytree", where=path, old=text_of(before), new=text_of(after))


def is_class_anew(before: Node | Static, after: Node | Static) -> bool:
    """Whether values are of two classes of one name."""
    return before.of is not None and after.of is not None and before.of != after.of and before.of.name == after.of.name


def text_of(row: Row) -> str:
    """A row in the user's words."""
    return row.what.text if isinstance(row.what, Node | Static) else str(row.what)


def statics(old: dict[str, Row], new: dict[str, Row], *, is_internal: bool = False) -> Iterator[Change]:
    """Other static values, either those of JAX's alone or all others; of a record the field that is another one."""
    for path, after in new.items():
        before = old.get(path)
        if before is None or not isinstance(before.what, Static) or not isinstance(after.what, Static) or before.what.evidence == after.what.evidence:
            continue
        if after.what.is_internal != is_internal:
            continue
        parts = dict(before.what.parts)
        anew = after.what.of.name if after.what.of is not None and is_class_anew(before.what, after.what) else ""
        if anew:
            yield Change(kind=after.what.kind, where=path, old=anew, new=anew + DEFINED_ANEW)
        fields = [(name, parts[name], text) for name, text in after.what.parts if name in parts and parts[name] != text]
        for name, was, text in fields[:4]:
            yield Change(kind=after.what.kind, where=path + name, old=was, new=text)
        if not fields and not anew:
            part = apart(before.what.evidence, after.what.evidence) if before.what.text == after.what.text else None
            where, was, text = part or ("", before.what.text, renewed(before.what.text, after.what.text))
            yield Change(kind=after.what.kind, where=path + where, old=was, new=text)


def renewed_static(old: Static, new: Static) -> str:
    """The text of another static value; that its class is another one, if that is all that can be told."""
    return new.of.name + DEFINED_ANEW if new.of is not None and is_class_anew(old, new) and old.text == new.text else renewed(old.text, new.text)


def arrays(old: dict[str, Row], new: dict[str, Row]) -> Iterator[Change]:
    """Arrays of another dtype, another shape, or another weak type: all of one kind before those of the next."""
    pairs = [(path, old[path].what, row.what) for path, row in new.items() if path in old and old[path].what != row.what]
    both = [(path, a, b) for path, a, b in pairs if isinstance(a, Aval) and isinstance(b, Aval)]
    yield from (Change(kind="dtype", where=path, old=str(a), new=str(b)) for path, a, b in both if a.dtype != b.dtype)
    yield from (Change(kind="shape", where=path, old=str(a), new=str(b)) for path, a, b in both if a.shape != b.shape)
    yield from (Change(kind="weak_type", where=path, old=str(a), new=str(b)) for path, a, b in both if a.weak != b.weak and a.dtype == b.dtype)


def placements(old: dict[str, Row], new: dict[str, Row], *, is_known: bool) -> Iterator[Change]:
    """Arrays that lie elsewhere, or on a mesh of other axes.

    Args:
        old: The rows of the earlier call.
        new: Those of this one.
        is_known: Whether it is known where the earlier ones lay.
    """
    for path, row in new.items():
        before = old.get(path)
        if before is None or not isinstance(before.what, Aval) or not isinstance(row.what, Aval):
            continue
        if is_known and before.place != row.place:
            yield Change(kind="placement", where=path, old=place(before.place), new=place(row.place))
        elif before.what.shape == row.what.shape and (before.what.spread, before.what.mesh) != (row.what.spread, row.what.mesh):
            yield Change(kind="placement", where=path, old=on_mesh(before), new=on_mesh(row) if before.what.mesh else place(row.place))


def on_mesh(row: Row) -> str:
    """Where an array lies, with the axes of the mesh that is a part of its type."""
    mesh = row.what.mesh if isinstance(row.what, Aval) else None
    axes = ", ".join(f"{name}={size}" for name, size in zip(*mesh[:2], strict=True)) if isinstance(mesh, tuple) else ""
    return f"{row.place or row.what} of mesh({axes})" if axes else "on no mesh"


def place(text: str) -> str:
    """A place in the user's words."""
    return text or "not committed"


def programs(old: Signature, new: Signature) -> Iterator[Change]:
    """Other inputs of a program that a transformation made, if nothing else differs: they tell the shapes that its tracers hide."""
    paths = [row.path for row in new.rows if isinstance(row.what, Aval)]
    for index, (before, after) in enumerate(zip(old.program, new.program, strict=False)):
        if before != after:
            where = paths[index] if len(paths) == len(new.program) else f"input {index} of the {new.transform or 'program'}"
            is_dtype = before.partition("[")[0] != after.partition("[")[0]
            yield Change(kind="dtype" if is_dtype else "shape", where=where, old=before, new=after)
    if len(old.program) != len(new.program):
        yield Change(kind="transform", where=new.transform, old=f"{len(old.program)} inputs", new=f"{len(new.program)} inputs")


def rebuilt(function: Function, old: Signature, now: Signature) -> Sequence[Change]:
    """That a function was made anew, and what was written into it, or what it reads, that is another value."""
    if old.token == now.token:
        return ()
    if function.is_jitted:
        return (Change(kind="function_rebuilt", where=function.name, old="jitted", new=JITTED_AGAIN),)
    before = dict(old.held)
    held = [(name, before[name], text) for name, text in now.held if name in before and before[name] != text]
    found = [Change(kind="function_rebuilt", where=name, old=was, new=text) for name, was, text in held]
    found += [one for one in read_anew(old, now) if all(one.where != name for name, *_ in held)]
    return found or (Change(kind="function_rebuilt", where=function.name),)


def read_anew(old: Signature, now: Signature) -> Iterator[Change]:
    """What a function reads from around it that is another value, or was edited."""
    before = dict(old.reads)
    for name, read in now.reads:
        was = before.get(name)
        if was is None or was.evidence == read.evidence:
            continue
        if was.is_code and read.is_code and was.text == read.text:
            yield Change(kind="function_rebuilt", where=name, old="as it was", new="edited")
        else:
            yield Change(kind="function_rebuilt", where=name, old=was.text, new=renewed(was.text, read.text))


def evicted(where: str, old: Signature) -> Change:
    """That JAX has known the same, and knows it no more."""
    return Change(kind="evicted", where=where, old=f"compiled at {old.site}" if old.site else "compiled", new="forgotten")


def unheard_placements(now: Signature, *, is_traced: bool) -> list[Change]:
    """Where arrays lie, if JAX had traced the same before, so that only that can be another one; where they lay is not known."""
    return [] if is_traced else [Change(kind="placement", where=row.path, new=row.place) for row in now.rows if row.place]
