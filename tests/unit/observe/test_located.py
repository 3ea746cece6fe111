from pathlib import Path
from types import SimpleNamespace
from typing import Any

from x10_jupyter.base.frames import PACKAGE
from x10_jupyter.observe.hlo_text import module
from x10_jupyter.observe.located import NOTHING, Located, operations
from x10_jupyter.observe.ran import Run
from x10_jupyter.records.operation import Recorded
from x10_jupyter.records.site import Site

TEXT = f"""\
HloModule jit_step

FileNames
1 "/home/me/model.py"
2 "{PACKAGE}lazy/program.py"

FunctionNames
1 "step"

FileLocations
1 {{file_name_id=1 function_name_id=1 line=5}}
2 {{file_name_id=1 function_name_id=1 line=6}}
3 {{file_name_id=2 function_name_id=1 line=1}}

StackFrames
1 {{file_location_id=1 parent_frame_id=1}}
2 {{file_location_id=2 parent_frame_id=2}}
3 {{file_location_id=3 parent_frame_id=1}}

%inside (p: f32[4]) -> f32[4] {{
  %p = f32[4] parameter(0)
  %mul = f32[4] multiply(%p, %p), metadata={{op_name="jit(step)/mul" stack_frame_id=1}}
  ROOT %sin = f32[4] sine(%mul), metadata={{op_name="jit(step)/block/sin" stack_frame_id=2}}
}}

ENTRY %main (x: f32[4]) -> f32[4] {{
  %x = f32[4] parameter(0)
  %copy.1 = f32[4] copy(%x)
  %dot = f32[4] dot(%x, %x), metadata={{op_name="jit(step)/x10[1]/dot_general" stack_frame_id=3}}
  ROOT %fusion = f32[4] fusion(%dot), kind=kLoop, calls=%inside
}}
"""


def site(line: int, file: str = "/home/me/model.py") -> Site:
    return Site(file=file, line=line, function="step")


def test_a_fusion_is_its_last_operation_and_tells_the_other_lines() -> None:
    found = Located(module(TEXT)).what("fusion")
    assert (found.opcode, found.name.op, found.name.scope, found.site, found.fused) == ("fusion", "sin", "block", site(6), (site(5),))


def test_what_xla_makes_by_itself_has_no_line() -> None:
    assert Located(module(TEXT)).what("copy.1").site is None
    assert Located(module(TEXT)).what("none") == NOTHING


def test_an_operation_of_a_lazy_program_has_the_line_where_it_was_recorded() -> None:
    recorded = [Recorded(site(1), is_users=False), Recorded(site(9), is_users=False)]
    assert Located(module(TEXT), recorded).what("dot").site == site(9)
    users = [recorded[0], Recorded(site(9), is_users=True)]
    assert Located(module(TEXT), users).what("dot").site == site(5)
    assert Located(module(TEXT), recorded[:1]).what("dot").site is None
    # JAX's line of an operation that has no number would be that of whoever recorded the same first
    assert Located(module(TEXT), recorded).what("fusion").site is None


def run(name: str, program_id: int = 1) -> Run:
    return Run("jit_step", program_id, name, 0, 10, ("cpu", 0))


def executable(text: str, name: str = "jit_step") -> Any:
    return SimpleNamespace(name=name, fingerprint=b"", module=module(text))


def test_programs_of_one_name_are_told_apart_by_their_instructions() -> None:
    other = TEXT.replace("%fusion", "%fusion.7").replace("line=6", "line=60")
    found = operations([run("fusion"), run("dot", 2), run("fusion.7", 2)], [executable(other), executable(TEXT), executable(TEXT, "jit_other")], {})
    assert {(one.instruction, one.site) for one in found} == {("fusion", site(6)), ("fusion.7", site(60)), ("dot", None)}  # the lazy program is not known


def test_what_programs_do_not_agree_in_is_not_known() -> None:
    other = TEXT.replace("line=6", "line=60")
    (found,) = operations([run("fusion")], [executable(other), executable(TEXT)], {})
    assert (found.site, found.op, found.opcode, found.fused) == (None, "sin", "fusion", (site(5),))


def test_a_program_that_is_gone_leaves_its_time() -> None:
    (found,) = operations([run("fusion"), run("fusion")], [], {})
    assert (found.site, found.op, found.opcode, found.times, found.total_ns, found.own_ns) == (None, "", "", 2, 20, 10)


def test_this_package_is_not_the_user() -> None:
    assert Path(PACKAGE).name == "x10_jupyter"
