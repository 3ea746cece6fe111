from collections.abc import Callable

from factories import MS, capture, operation, profiled, site, stepped
from x10_jupyter.records.capture import Capture
from x10_jupyter.views.html import html
from x10_jupyter.views.text import text
from x10_jupyter.views.timed import told


def operations(reason: str = "") -> Capture:
    found = [
        operation(60 * MS, instruction="fusion.1", op="dot_general", scope="block/attention", site=site(9), times=40),
        operation(25 * MS, instruction="sort", opcode="sort", op="sort", site=site(12), times=10, fused=(site(11), site(10))),
        operation(12 * MS, instruction="fusion.2", op="add", scope="block/attention", is_backward=True, site=site(9), times=40),
        operation(2 * MS, instruction="copy.3", opcode="copy", op="", site=None, times=3),
        *[operation(MS // 4, instruction=f"tanh.{at}", op="tanh", site=site(20 + at)) for at in range(10)],
    ]
    steps = [stepped(at * 10 * MS, at * 10 * MS + (6 if at < 12 else 5) * MS, at) for at in range(20)]
    return capture(profiled(0, 120 * MS, *found, ended="time" if reason else "with_the_code", reason=reason), *steps, end_ns=200 * MS)


def test_operations_by_line_by_scope_and_one_by_one(golden: Callable[[str, str], None]) -> None:
    made = operations("Only the first 10 seconds were profiled: a window is no longer.")
    golden("operations.html", html(made, {}))
    golden("operations.txt", text(made))


def test_every_time_is_told_and_shares_are_those_of_the_whole() -> None:
    shown = html(operations(), {})
    assert "Devices worked for 102 ms of the 120 ms that were profiled." in shown
    assert "A step took 1.20 × as long while it ran (6.00 ms instead of 5.00 ms)." in shown
    assert "block/attention, backward" in shown
    assert "71 %" in shown  # 72 of 101.5 ms are those of line 9


def test_nothing_is_said_where_nobody_asked() -> None:
    assert told(capture()) == ""
    assert "Operations" not in html(capture(), {})


def test_why_there_is_nothing_is_said() -> None:
    made = capture(profiled(0, 0, ended="never_began", reason="A session was running already.", records=0))
    assert told(made) == "none was recorded. A session was running already."
    assert "A session was running already." in html(made, {})


def test_that_the_cost_is_not_known_is_said() -> None:
    assert "How much it slowed the cell is not known" in html(capture(profiled(0, MS, operation(5))), {})


def test_what_is_hostile_is_escaped() -> None:
    bad = "<script>alert(1)</script>" + "y" * 300
    one = operation(5, op=bad, scope=bad, instruction=bad, program=bad, site=site(1, cell=None, function=bad))
    shown = html(capture(profiled(0, MS, one, ended="failed", reason=bad)), {})
    assert "<script" not in shown
    assert "y" * 400 not in shown
