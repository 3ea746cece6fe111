"""What differs between two versions of one operation: an input, the structure of the arguments, something static, the function itself."""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from x10_jupyter.base.units import count
from x10_jupyter.lazy.avals import Aval, aval_of, is_number, number_aval
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.line import Line, source
from x10_jupyter.lazy.marks import Exact, Nested, Same
from x10_jupyter.lazy.names import input_name, marked, named, number_name
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.placement import place_text
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.value import Value
from x10_jupyter.lazy.written import Place, operator_of, written
from x10_jupyter.records.cause import Cause


def between(before: State, now: State) -> Cause | None:
    """The difference between two calls of the same function; None if they are of different ones."""
    a, b = before.op.call, now.op.call
    operators = operator_of(a), operator_of(b)
    if operators[0] is not None and operators[1] is not None and operators[0][1] == operators[1][1]:
        return other_operand(before, now) or (same_arity(before, now) if a.base == b.base else None)
    if a.base != b.base:
        rebuilt = Cause(kind="function_rebuilt", where=b.name, old="a function", new="another function of that name", site=site_of(now.site))
        return rebuilt if a.name == b.name and a.is_users and b.is_users else None
    edited = edited_function(a.marks[0], b.marks[0], b.name) if a.marks and b.marks else None
    if edited is not None:
        fix = "Nothing: an edited function has to be compiled once."
        return Cause(kind="function_rebuilt", where=edited, old="as it was", new="edited", site=site_of(now.site), fix=fix)
    if a.tree is not None and b.tree is not None and a.tree != b.tree:
        return other_tree(before, now)
    return other_mark(before, now) or same_arity(before, now) or unseen(before, now)


def same_arity(before: State, now: State) -> Cause | None:
    """A difference of inputs, if there are as many."""
    return other_inputs(before, now) if len(before.op.ins) == len(now.op.ins) else None


def other_operand(before: State, now: State) -> Cause | None:
    """An operand of an operator has another dtype, such as a number of another kind, or is a number that is part of the program, and another one."""
    site = site_of(now.site)
    for which, ((x, old), (y, new)) in enumerate(zip(operands_of(before), operands_of(now), strict=False)):
        if x is None or y is None or (x is y and old == new):
            continue
        where = side(now, which)
        if x is not y:
            return Cause(kind=difference(x, y), where=where, old=repr(x), new=repr(y), site=site, fix=cure(x, y, where))
        if isinstance(old, Exact) and isinstance(new, Exact):
            fix = f"Keep `{where}` the same, or make it a float, which is a parameter of the program."
            return Cause(kind="static_argument", where=where, old=repr(old), new=repr(new), site=site, fix=fix)
    return None


def side(state: State, which: int) -> str:
    """What an operand of an operator is called, by its number in the order in which they are written."""
    operator = operator_of(state.op.call)
    place = Place(1 - which if operator is not None and operator[2] else which, "")
    return (written(state.op.call, state.site, place) if state.site is not None else "") or ("left operand", "right operand")[which]


def operands_of(state: State) -> list[tuple[Aval | None, Hashable]]:
    """What an operator's operands are, in the order in which they are written: the aval, None for what has no dtype, and the mark."""
    call, ins = state.op.call, iter(state.op.ins)
    if call.marks:
        found: list[tuple[Aval | None, Hashable]] = [(aval_of_mark(mark, ins), mark) for _, mark in marked(call)[-2:]]
    else:
        found = [(aval, None) for aval in (*ins, *map(number_aval, call.numbers))]
    operator = operator_of(call)
    return found[::-1] if operator is not None and operator[2] else found


def aval_of_mark(mark: Hashable, ins: Iterator[Aval]) -> Aval | None:
    """The aval of a leaf of the arguments: of a tensor the next of the inputs, of a number that of its kind; None for anything else."""
    if mark is Value:
        return next(ins)
    if isinstance(mark, type):
        return number_aval(mark)
    if isinstance(mark, Exact):
        return number_aval(mark.kind) if is_number(mark.value) else None
    return aval_of((), np.dtype(bool)) if isinstance(mark, tuple) and mark[:1] == (bool,) else None


def other_operation(before: State, now: State) -> Cause:
    """Another operation stands where one was."""
    site = site_of(now.site)
    old, new = [f"{s.op.call.name}({', '.join(map(repr, s.op.ins))})" for s in (before, now)]
    return Cause(kind="structure", where=str(site) if site else now.op.call.name, old=old, new=new, site=site)


def other_inputs(before: State, now: State) -> Cause | None:
    """The same call on other inputs."""
    site = site_of(now.site)
    for which, (x, y) in enumerate(zip(before.op.ins, now.op.ins, strict=True)):
        if x is not y:
            where = input_name(now, which)
            return Cause(kind=difference(x, y), where=where, old=repr(x), new=repr(y), site=site, fix=cure(x, y, where))
    for x, y in zip(before.op.outs, now.op.outs, strict=False):
        if x.held_as != y.held_as:
            fix = "Have x10.mixed_precision on at each call, or at none."
            return Cause(kind="dtype", where=f"the result of `{now.op.call.name}`", old=repr(x), new=repr(y), site=site, fix=fix)
    for which, (x, y) in enumerate(zip(places(before), places(now), strict=True)):
        if x != y:
            where = input_name(now, which)
            fix = f"Put `{where}` there from the start, with `device=`." if x is None else f"Keep `{where}` where it is."
            return Cause(kind="placement", where=where, old=place_text(x, before.op.context), new=place_text(y, now.op.context), site=site, fix=fix)
    which = next((i for i, (x, y) in enumerate(zip(before.key[1:], now.key[1:], strict=True)) if x != y), None)
    if which is None:
        return None
    where = f"{input_name(now, which)} of `{now.op.call.name}`"
    return Cause(kind="structure", where=where, old=origin(before, which), new=origin(now, which), site=site)


def places(state: State) -> list[Hashable]:
    """Where each input of an operation lies that is a leaf of the trace; None for the others, and for the default."""
    leaves = [s.key for s in path_to(state) if s.op is None]
    keys = [leaves[-1 - ref] if ref < 0 else None for ref in state.key[1:]]
    return [key[1] if isinstance(key, tuple) else None for key in keys]


def unseen(before: State, now: State) -> Cause | None:
    """The same call in every way that can be seen, though it was traced to something else."""
    a, b = before.op.call, now.op.call
    if a.key == b.key or not b.opaque:
        return None
    where, fix = f"what `{b.name}` reads from {b.opaque}", f"Pass to `{b.name}` as a tensor what it reads from there."
    return Cause(kind="constant", where=where, old="one value", new="another", site=site_of(now.site), fix=fix)


def origin(state: State, which: int) -> str:
    """Where an operand of an operation comes from."""
    ref = state.key[1 + which]
    if ref < 0:
        return f"input {-1 - ref} of the trace"
    maker = next((s for s in path_to(state) if s.op is not None and s.ref <= ref < s.ref + len(s.op.outs)), None)
    return named(maker) if maker is not None else "another value"


def difference(old: Aval, new: Aval) -> Any:
    """What differs between two avals."""
    if old.shape != new.shape:
        return "shape"
    if (old.dtype, old.held_as) != (new.dtype, new.held_as):
        return "dtype"
    return "weak_type" if old.weak_type != new.weak_type else "placement"


def cure(old: Aval, new: Aval, where: str) -> str:
    """What to write instead."""
    if difference(old, new) == "placement":
        return f"Spread `{where}` in the same way each time."
    if old.shape == new.shape:
        if old.dtype == new.dtype and old.is_reduced != new.is_reduced:
            return f"Pass `{where}` through x10.to_{'reduced' if old.is_reduced else 'full'}_precision."
        kind = "from the start" if old.dtype == new.dtype else "before it is used"
        return f"Convert `{where}` to {old.dtype} {kind}."
    if old.shape[1:] == new.shape[1:] and len(old.shape) == len(new.shape) and new.shape[0] < old.shape[0]:
        return f"Pad `{where}` to {old.shape[0]} rows, or drop the last, smaller batch."
    return f"Keep the shape of `{where}`: pad it to a few fixed sizes."


def other_tree(before: State, now: State) -> Cause:
    """The same function, called with another structure of arguments."""
    old, new = described(before), described(now)
    gone, come = [p for p in old if p not in new], [p for p in new if p not in old]
    where = (come or gone or [now.op.call.name])[0]
    top = where.partition("[")[0].partition(".")[0]
    missing = "None" if top == where else "absent"
    return Cause(
        kind="pytree", where=where, old=old.get(where, missing), new=new.get(where, missing), site=site_of(now.site),
        fix=f"Give `{top}` the same structure at each call.",
    )  # fmt: skip


def described(state: State) -> dict[str, str]:
    """The leaves of an operation's arguments as text: an aval, a number, a value."""
    ins = iter(state.op.ins)
    found = [(path, repr(next(ins)) if mark is Value else text(mark)) for path, mark in marked(state.op.call)]
    return dict(found[own_count(state.op.call) :])


def other_mark(before: State, now: State) -> Cause | None:
    """The same function and structure, but something static, or the kind of a number, is another."""
    a, b = before.op.call, now.op.call
    own, site = own_count(b), site_of(now.site)
    old_ins, new_ins = iter(before.op.ins), iter(now.op.ins)
    for place, ((_, old), (path, new)) in enumerate(zip(marked(a), marked(b), strict=False)):
        x, y = aval_of_mark(old, old_ins), aval_of_mark(new, new_ins)
        if old == new:
            continue
        if x is not None and y is not None and x is not y:
            return Cause(kind=difference(x, y), where=path or b.name, old=repr(x), new=repr(y), site=site, fix=cure(x, y, path))
        kind: Any = "constant" if place < own else "static_argument"
        fix = f"Keep `{path}` the same, or call with few different values."
        return Cause(kind=kind, where=path or b.name, old=text(old), new=text(new), site=site, fix=fix)
    return None


def edited_function(a: Hashable, b: Hashable, name: str) -> str | None:
    """The function whose code is another, among a function and those it refers to; None if all are the same."""
    if not isinstance(a, Nested) or not isinstance(b, Nested):
        return name if isinstance(a, Same) and isinstance(b, Same) and a != b and repr(a) == repr(b) else None  # else it is another function
    if a.names == b.names:
        for part, x, y in zip(a.names, a.marks, b.marks, strict=True):
            found = edited_function(x, y, part) if isinstance(x, (Nested, Same)) and isinstance(y, (Nested, Same)) else None
            if found is not None:
                return found
    return name if a.key != b.key or a.names != b.names else None


def own_count(call: Call) -> int:
    """How many leaves the function itself reads."""
    return len(marked(call)) - sum(1 for _ in call.paths)


def text(mark: Hashable) -> str:
    """A mark as the user would write the value."""
    if mark is Value:
        return "a tensor"
    if isinstance(mark, type):
        return mark.__name__
    if isinstance(mark, tuple) and mark[:1] == (slice,):
        start, stop, step = ["" if part is None else repr(part) for part in mark[1]]
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
    if isinstance(mark, tuple) and len(mark) >= 2 and isinstance(mark[0], type):
        return repr(mark[1])
    return repr(mark)


def changed_number(place: tuple[Call, int, Any], old: Any, new: Any, numbers: int, nearest: str) -> Cause:
    """A number that was baked into a program has another value."""
    more = f" and {numbers - 1} more" if numbers > 1 else ""
    fix = "Nothing: it is a parameter of the program from now on."
    return Cause(kind="constant", where=number_at(place) + more, old=repr(old), new=repr(new), site=site_of(place[2]), nearest=nearest, fix=fix)


def parted_number(place: tuple[Call, int, Any], old: Any, new: Any, nearest: str) -> Cause:
    """Two numbers of one line were equal so far, and no longer are."""
    where = f"{number_at(place)}, which had one value at all passes"
    fix = "Nothing: it has a parameter for each pass from now on."
    return Cause(kind="constant", where=where, old=repr(old), new=repr(new), site=site_of(place[2]), nearest=nearest, fix=fix)


def other_donation(program: Any, donated: dict[int, int], line: Line) -> Cause:
    """Other inputs of a program are held by someone than before."""
    old, new = [f"{count(len(each), 'input')} overwritten" for each in (program.choice.pairs, donated)]
    fix = (
        "Rebind the parameters before the barrier, at every step."
        if len(donated) < len(program.choice.pairs)
        else "Nothing: the program needs less memory now."
    )
    return Cause(kind="donation", where=f"what is held at {site_of(line)}", old=old, new=new, site=site_of(line), nearest=program.executable.name, fix=fix)


def number_at(place: tuple[Call, int, Any]) -> str:
    """What the user calls a number: its argument's name, or the expression it stands in."""
    call, which, line = place
    return number_name(call, which) or f"the number in `{source(line) or call.name}`"
