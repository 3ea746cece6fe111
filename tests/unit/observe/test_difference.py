"""What differs, and in which order."""

from typing import Any

import pytest

from signatures import function, signature
from x10_jupyter.observe.arguments import Aval, Node, Row, Static
from x10_jupyter.observe.difference import differences, given, rebuilt, reversed_change
from x10_jupyter.observe.reads import Read
from x10_jupyter.observe.signature import Signature

F4, F5, I4 = (Row("a", Aval(shape, dtype, weak=False)) for shape, dtype in (((4,), "float32"), ((5,), "float32"), ((4,), "int32")))


def on_mesh(axis: str) -> Row:
    return Row("a", Aval((4,), "f", weak=False, mesh=((axis,), (2,))))


def told(old: Signature, new: Signature) -> list[tuple[str, str, str, str]]:
    return [(one.kind, one.where, one.old, one.new) for one in differences(old, new)]


def of(*rows: Row, **fields: Any) -> Signature:
    return signature(rows=rows, **fields)


def test_nothing_differs() -> None:
    assert differences(of(F4), of(F4)) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (of(F4), of(F5), [("shape", "a", "f32[4]", "f32[5]")]),
        (of(F4), of(I4), [("dtype", "a", "f32[4]", "i32[4]")]),
        (of(Row("a", Aval((), "f", weak=True))), of(Row("a", Aval((), "f", weak=False))), [("weak_type", "a", "f[]~", "f[]")]),
        (of(on_mesh("x")), of(on_mesh("y")), [("placement", "a", "f[4] of mesh(x=2)", "f[4] of mesh(y=2)")]),
        (
            of(F4._replace(place="CPU:0")),
            of(on_mesh("x")._replace(place="P('x',)")),
            [("dtype", "a", "f32[4]", "f[4]"), ("placement", "a", "CPU:0", "P('x',)")],
        ),
        (of(F4._replace(place="CPU:0")), of(F4), [("placement", "a", "CPU:0", "not committed")]),
        (of(Row("a", Static("1", 1))), of(Row("a", Static("2", 2))), [("static_argument", "a", "1", "2")]),
        (of(Row("a", Static("a M", 1))), of(Row("a", Static("a M", 2))), [("static_argument", "a", "a M", "another M")]),
        (of(Row("a", Static("1", 1))), of(F4), [("static_argument", "a", "1", "f32[4]")]),
        (of(Row("a", Node("None", None))), of(F4), [("pytree", "a", "None", "f32[4]")]),
        (of(Row("a", Node("S", 1, "1"))), of(Row("a", Node("S", 2, "2"))), [("pytree", "a", "1", "2")]),
        (of(Row("a", Node("S", 1))), of(Row("a", Node("S", 2))), [("pytree", "a", "S", "another S")]),
        (of(program=("f32[3]",)), of(program=("f32[4]",)), [("shape", "input 0 of the program", "f32[3]", "f32[4]")]),
        (of(program=("f32[3]",)), of(program=("bf16[3]",)), [("dtype", "input 0 of the program", "f32[3]", "bf16[3]")]),
        (of(program=("f32[3]",)), of(program=("f32[3]", "f32[3]")), [("transform", "", "1 inputs", "2 inputs")]),
    ],
)
def test_one_thing_differs(old: Signature, new: Signature, expected: object) -> None:
    assert told(old, new) == expected


def test_what_a_function_reads_is_told_if_it_was_made_anew() -> None:
    def reading(token: int, rate: int, code: str) -> Signature:
        return of(F4, token=token, reads=(("rate", Read(str(rate), rate)), ("act", Read("act", ("function", code))), ("opt", Read("a Opt", rate))))

    old = reading(1, 1, "a")
    assert rebuilt(function(), old, reading(1, 2, "b")) == ()
    assert [(one.where, one.old, one.new) for one in rebuilt(function(), old, reading(2, 1, "a"))] == [("step", "", "")]
    found = [(one.where, one.old, one.new) for one in rebuilt(function(), old, reading(2, 2, "b"))]
    assert found == [("rate", "1", "2"), ("act", "as it was", "edited"), ("opt", "a Opt", "another Opt")]
    assert len(rebuilt(function(), of(F4), reading(2, 2, "b"))) == 1, "it is not known what it read"


def test_what_matters_most_comes_first() -> None:
    old = of(F4, transform="", options=())
    new = of(F5._replace(place="CPU:1"), transform="vmap", options=(("device", "CPU:1"),))
    assert [one.kind for one in differences(old, new)] == ["transform", "placement", "shape", "placement"]


def test_what_lies_within_another_part_is_told_with_it() -> None:
    old = of(Row("p", Node("{'w'}", 1)), Row("p['w']", Node("list of 1", 1)), Row("p['w'][0]", F4.what))
    new = of(Row("p", Node("{'v', 'w'}", 2)), Row("p['w']", Node("list of 2", 2)), Row("p['w'][0]", F4.what))
    assert told(old, new) == [("pytree", "p", "{'w'}", "{'v', 'w'}")]


def test_a_field_of_a_static_record_is_named() -> None:
    old, new = (of(Row("cfg", Static("C", number, ((".width", str(number)), (".name", "n"))))) for number in (1, 2))
    assert told(old, new) == [("static_argument", "cfg.width", "1", "2")]


def test_what_is_not_known_of_what_nobody_heard_is_no_difference() -> None:
    learnt = of(F4, is_whole=False)
    assert differences(learnt, of(F4._replace(place="CPU:0"))) == []
    assert told(learnt, of(F5, transform="grad", by=("a",), program=("f32[5]",))) == [("shape", "a", "f32[4]", "f32[5]")]
    assert told(learnt, of(F4, transform="grad", by=("a",), program=("f32[4]",))) == [("transform", "grad", "", "grad")]
    put = of(Row("a", Aval((4,), "float32", weak=False, mesh=(("x",), (2,))), "P('x',)"))
    assert told(learnt, put) == [("placement", "a", "on no mesh", "P('x',)")]


def test_what_jax_sets_itself_is_told_if_nothing_else_differs() -> None:
    one, two = (Row("sharding", Static(text, text, is_internal=True)) for text in ("None", "P(None,)"))
    assert told(of(F4, one), of(F4, two)) == [("static_argument", "sharding", "None", "P(None,)")]
    assert told(of(F4, one), of(F5, two)) == [("shape", "a", "f32[4]", "f32[5]")]


def test_a_field_that_is_no_data_is_told_with_what_lies_within() -> None:
    def model(width: int) -> Signature:
        node = Node("M", width, str(width), ((".width", Static(str(width), width)),))
        return of(Row("m", node), Row("m.layers", Node(f"list of {width}", width)))

    assert told(model(1), model(2)) == [("pytree", "m.width", "1", "2"), ("pytree", "m.layers", "list of 1", "list of 2")]


def test_a_derived_program_differs_by_its_inputs_alone() -> None:
    old, new = (of(F4, transform="grad"), of(transform="backward pass", program=("f32[]",), is_derived=True))
    assert told(old, new) == [("transform", "backward pass", "grad", "backward pass")]


@pytest.mark.parametrize(
    ("default", "text", "kind", "old", "new"),
    [
        (None, "f32[4]", "pytree", "not given", "f32[4]"),
        ("None", "f32[4]", "pytree", "None", "f32[4]"),
        ("1", "1", "calling_convention", "left to its default, 1", "given"),
        ("1", "2", "static_argument", "1", "2"),
        ("2.0", "f32[]~", "calling_convention", "left to its default, 2.0", "given as f32[]~"),
    ],
)
def test_what_was_left_to_its_default(default: str | None, text: str, kind: str, old: str, new: str) -> None:
    found = given("b", default, text)
    assert (found.kind, found.old, found.new) == (kind, old, new)
    back = reversed_change(found)
    assert (back.old, back.new) == (new, old)


def test_the_way_of_passing_is_told_by_name() -> None:
    old, new = of(F4, given=(("a", "by position"),)), of(F4, given=(("a", "by name"),))
    assert told(old, new) == [("calling_convention", "a", "by position", "by name")]
    assert told(of(given=(("a", "by name"),)), of(F4, given=(("a", "by name"), ("b", "by name")), defaults=())) == [("pytree", "b", "not given", "")]
