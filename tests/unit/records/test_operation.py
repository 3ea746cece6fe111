from factories import operation
from x10_jupyter.records.operation import Recorded


def test_an_operation_is_of_the_forward_pass_and_outside_any_scope_unless_told() -> None:
    found = operation(5)
    assert (found.is_backward, found.scope, found.fused) == (False, "", ())


def test_where_it_was_recorded_may_not_be_known() -> None:
    assert Recorded(None, is_users=False).site is None
