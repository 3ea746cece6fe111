import inspect

import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.recorded import fingerprint, recorded_lines


def test_each_operation_of_a_program_has_the_line_that_recorded_it() -> None:
    known = set(recorded_lines())
    a = x10.tensor(np.ones((3, 7), np.float32))
    first = inspect.currentframe().f_lineno + 1  # pyright: ignore[reportOptionalMemberAccess]
    b = x10.numpy.sin(a)
    b = x10.numpy.cos(b)
    b = x10.lazy(lambda x: x * 2 + 1)(b)
    x10.barrier()
    (mark,) = set(recorded_lines()) - known
    found = [(one.site and one.site.line, one.is_users) for one in recorded_lines()[mark]]
    assert found == [(first, False), (first + 1, False), (first + 2, True)]
    del b


def test_what_has_no_fingerprint_is_left_out() -> None:
    assert fingerprint(object()) == b""
