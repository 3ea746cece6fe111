import warnings

import pytest

from factories import read, site, sized
from x10_jupyter.diagnosis.alarm import Alert
from x10_jupyter.session.alarms import Alarms, CompileWarning, warn


def test_it_warns_at_the_users_line_and_once() -> None:
    alarms = Alarms()
    with pytest.warns(CompileWarning, match="About to compile `train`") as told:
        for at in range(3):
            alarms.emit(sized(at))
            alarms.emit(read(0, 1))
    alarms.close()
    assert [(one.filename, one.lineno) for one in told] == [(site(5).file, 5)]


def test_of_several_the_outermost_warns_until_it_is_closed() -> None:
    outer, inner = Alarms(), Alarms()
    with pytest.warns(CompileWarning) as told:
        inner.emit(sized(0))
        outer.emit(sized(0))
    assert len(told) == 1
    inner.close()
    outer.close()
    outer.emit(sized(0, function="other"))
    later = Alarms()
    with pytest.warns(CompileWarning):
        later.emit(sized(0))
    later.close()


def test_where_warnings_are_errors_nothing_is_raised() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn(Alert("Something.", None))
