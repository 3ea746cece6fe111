import pytest

from x10_jupyter.observe.op_names import NONE, parts, read


@pytest.mark.parametrize(
    ("name", "op", "scope", "is_backward"),
    [
        ("jit(step)/dot_general", "dot_general", "", False),
        ("jit(step)/attention/jit(sort)/sort", "sort", "attention", False),
        ("jit(step)/while/body/closed_call/tanh", "tanh", "", False),
        ("jit(step)/jvp(block)/jvp(attention)/dot_general", "dot_general", "block/attention", False),
        ("jit(step)/transpose(jvp(block))/dot_general", "dot_general", "block", True),
        ("jit(step)/transpose(jvp())/mul", "mul", "", True),
        ("jit(step)/vmap(jit(inner))/while/cond/branch_1_fun/add", "add", "", False),
        ("jit(step)/remat/rematted_computation(layer)/exp", "exp", "layer", False),
        ("jit(step)/my scope (a/b)/exp", "exp", "my scope (a/b)", False),
        ("sort", "sort", "", False),
    ],
)
def test_what_a_name_says(name: str, op: str, scope: str, is_backward: bool) -> None:
    assert read(name) == (op, scope, is_backward, None)


def test_an_operation_of_a_lazy_program_has_a_number() -> None:
    assert read("jit(train)/x10[17]/block/dot_general") == ("dot_general", "block", False, 17)
    assert read("jit(train)/x10[17]/jit(sin)/sin").node == 17


def test_no_name_says_nothing() -> None:
    assert read("") == NONE


def test_parentheses_hold_together() -> None:
    assert parts("a/b(c/d)/e") == ["a", "b(c/d)", "e"]
    assert parts("a)/b") == ["a)", "b"]
