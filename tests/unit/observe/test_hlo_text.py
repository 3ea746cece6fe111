from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from x10_jupyter.observe.hlo_text import Frame, Module, closing, module, named

SMALL = """\
HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[4]{0})->(f32[4]{0}, s32[])}

FileNames
1 "/tmp/a \\"b\\".py"

FunctionNames
1 "outer"
2 "inner.<locals>.body"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=0 end_column=9}
2 {file_name_id=1 function_name_id=2 line=7 end_line=7 column=0 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}


%body (p: (s32[], f32[4])) -> (s32[], f32[4]) {
  %p = (s32[], f32[4]{0}) parameter(0)
  %name.1 = f32[4]{0:T(8,128)} get-tuple-element(%p), index=1
  ROOT %t = (s32[], /*index=1*/f32[4]{0}) tuple(%name.1, %name.1), metadata={op_name="jit(step)/a\\"}b" stack_frame_id=2}, sharding={replicated}
}

ENTRY %main.3 (x.1: f32[4]) -> (f32[4], s32[]) {
  %x.1 = f32[4]{0} parameter(0), metadata={op_name="x"}
  %c = s32[] constant(")")
  %old = f32[4]{0} negate(f32[4]{0} %x.1), metadata={op_type="neg" op_name="jit(step)/neg" source_file="/tmp/old.py" source_line=3}
  %loop = (s32[], f32[4]{0}) while(%t), condition=%cond, body=%body, backend_config={"known_trip_count":{"n":"5"}}
  %pick = f32[4]{0} conditional(%c, %x.1, %x.1), branch_computations={%body, %other.2}
  ROOT %pair = (f32[4]{0}, s32[]) tuple(%old, %c)
}
"""


def test_a_program_is_read() -> None:
    found = module(SMALL)
    assert (found.name, found.entry, list(found.computations)) == ("jit_step", "main.3", ["body", "main.3"])
    assert [one.name for one in found.computations["main.3"]] == ["x.1", "c", "old", "loop", "pick", "pair"]
    assert [one.opcode for one in found.computations["body"]] == ["parameter", "get-tuple-element", "tuple"]


def test_an_instruction_has_shape_operands_and_what_it_runs() -> None:
    found = module(SMALL).instructions
    assert (found["name.1"].shape, found["name.1"].operands) == ("f32[4]{0:T(8,128)}", ("p",))
    assert (found["t"].shape, found["t"].operands, found["t"].is_root) == ("(s32[], /*index=1*/f32[4]{0})", ("name.1", "name.1"), True)
    assert (found["c"].text, found["c"].operands) == ('")"', ())
    assert found["old"].operands == ("x.1",)
    assert found["loop"].called == ("cond", "body")
    assert found["pick"].called == ("body", "other.2")


def test_an_instruction_has_name_and_places() -> None:
    found = module(SMALL).instructions
    assert found["t"].op_name == 'jit(step)/a"}b'
    assert found["t"].frames == (Frame('/tmp/a "b".py', 7, "inner.<locals>.body"), Frame('/tmp/a "b".py', 12, "outer"))
    assert found["x.1"].frames == ()
    assert found["old"].frames == (Frame("/tmp/old.py", 3, ""),)
    assert found["pair"].op_name == ""


def test_what_is_no_program_is_an_empty_one() -> None:
    for text in ("", "HloModule", "\x00{}()", "%a = ", "  %a = ", "  %a = (((", "  ROOT %a = f32[] constant("):
        assert isinstance(module(text), Module)


@pytest.mark.parametrize(("text", "end"), [("(a(b)c)d", 6), ('("a)")b', 5), (r'("\")")', 6), ("(a", 2), ("", 0)])
def test_the_closing_parenthesis(text: str, end: int) -> None:
    assert closing(text, 0) == end


@cache
def compiled() -> Any:
    def loss(w: Any, x: Any) -> Any:
        def layer(carry: Any, _: None) -> tuple[Any, None]:
            return jnp.tanh(carry @ w), None

        y, _ = jax.lax.scan(layer, x, None, length=4)
        y = jax.lax.cond(y.sum() > 0, jnp.sin, jnp.cos, y)
        return jnp.sort(y, axis=0).sum()

    one = jnp.ones((8, 8))
    return jax.jit(jax.value_and_grad(loss)).lower(one, one).compile()


def test_a_program_with_fusions_loops_and_branches_is_read_whole() -> None:
    hlo = compiled().runtime_executable().hlo_modules()[0]
    found = module(hlo.to_string())
    ours = {name: [one.name for one in inside] for name, inside in found.computations.items()}
    # XLA's own list: as many instructions in as many computations.
    theirs = {each.name: each for each in hlo.computations()}
    assert ours.keys() == theirs.keys()
    assert sum(map(len, ours.values())) == len(found.instructions) == hlo.to_string().count(" = ")
    assert {"fusion", "while"} <= {one.opcode for one in found.instructions.values()}


def test_what_a_program_refers_to_is_in_it() -> None:
    found = module(compiled().as_text())
    for name, inside in found.computations.items():
        known = {one.name for one in inside}
        assert sum(one.is_root for one in inside) == 1, name
        for one in inside:
            assert set(one.operands) <= known, one
            assert set(one.called) <= found.computations.keys(), one
            assert one.opcode, one


def test_the_lines_are_the_users() -> None:
    found = module(compiled().as_text())
    files = {one.frames[0].file for one in found.instructions.values() if one.frames}
    assert files == {__file__}


def test_what_else_is_said_of_an_instruction() -> None:
    found = module(SMALL).instructions
    assert found["name.1"].attributes == (("index", "1"),)
    assert found["t"].attributes == found["loop"].attributes == found["pick"].attributes == ()
    text = ', kind=kLoop, dimensions={0,1}, custom_call_target="a, \\"b=", backend_config={"n":[1,2]}, window={size=2x2 pad=0_1}'
    assert list(named(text)) == [("kind", "kLoop"), ("dimensions", "{0,1}"), ("custom_call_target", '"a, \\"b="'), ("window", "{size=2x2 pad=0_1}")]
