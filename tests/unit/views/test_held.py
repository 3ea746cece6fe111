from collections.abc import Callable
from dataclasses import replace

from factories import MS, capture, device, held, holding, pinned, sampled, site, weighed
from pages import assert_survives
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.process_events import Held
from x10_jupyter.views.held import UNKNOWN, told
from x10_jupyter.views.html import html
from x10_jupyter.views.text import text

MIB = 1 << 20


def training() -> Capture:
    """Parameters, batches that come and go, and losses that are kept; as long as ten other lines."""
    others = tuple(holding(2000 - at, line=20 + at, site=site(20 + at, function="load")) for at in range(10))
    parameters, programs = holding(64 * MIB, 12, line=3), holding(0, 3, line=9, kind="program")
    return capture(
        *weighed(
            (-MS, "beginning", (parameters, *others)),
            (50 * MS, "between", (parameters, holding(256 * MIB, 8, line=5), holding(8 * MIB, 2, line=9), *others, programs)),
            (101 * MS, "end", (parameters, holding(16 * MIB, 4, line=9), *others, programs, holding(512, 2, line=None))),
        )
    )


def accelerated() -> Capture:
    """A GPU whose allocator and whose maker's library tell of it."""
    events = weighed((0, "beginning", (holding(MIB, device="GPU:0"),)), (90 * MS, "end", (holding(3 * MIB, device="GPU:0"), holding(5000, 2, kind="program"))))
    lines = [replace(event, untold="") for event in events if isinstance(event, Held)]
    told = {"allocated_bytes": 3 << 30, "peak_bytes": 5 << 30, "limit_bytes": 100 << 30}
    samples = [sampled(at * MS, device(MIB + at * 2, name="GPU:0", busy_percent=percent, **told)) for at, percent in ((0, 20), (45, 70), (90, 75))]
    return capture(*samples, *lines)


def test_lines_programs_and_what_is_not_known(golden: Callable[[str, str], None]) -> None:
    golden("memory.html", html(training(), {}))
    golden("memory.txt", text(training()))


def test_figures_are_those_of_the_facts() -> None:
    shown = assert_survives(html(training(), {})).words
    assert "80.0 MiB on CPU:0 at the end, at most 328 MiB (looked at 3 moments); +16.0 MiB since the beginning." in shown
    assert "No accelerator: utilisation is not known." in shown
    assert "0 %" not in shown.partition("Memory")[2].partition("Totals")[0]
    assert told(training()).endswith("+16.0 MiB since the beginning, +16.0 MiB by 4 arrays at cell [4] line 9")


def test_what_a_gpu_tells_is_shown() -> None:
    shown = assert_survives(html(accelerated(), {})).words
    assert "GPU:0 was busy for 55 % of the time, by 3 looks at it" in shown
    assert "GPU:0: its allocator has given out 3.00 GiB of 100 GiB, at most 5.00 GiB since the process began" in shown
    assert "not known" not in shown


def test_what_is_small_stands_behind_a_line_and_not_in_the_text() -> None:
    small = capture(*weighed((0, "beginning", (holding(0),)), (9, "end", (holding(100),))))
    assert told(small) == ""
    assert "<summary" in html(small, {}).partition("Memory: 100 B on CPU:0")[0][-200:]
    assert "Memory" not in html(capture(*weighed((0, "beginning", ()), (9, "end", ()))), {})


def test_what_jax_keeps_is_named_if_it_is_much() -> None:
    made = capture(
        *weighed((0, "beginning", (holding(MIB),))), sampled(9, device(3 * MIB)), held(9, "end", holding(3 * MIB), pinned=(pinned(2 * MIB), pinned(9)))
    )
    shown = assert_survives(html(made, {})).words
    assert "`self` of `step` at cell [4] line 2 is static, so JAX keeps 3 objects of `Model` until `jax.clear_caches()`" in shown
    assert "whoever else lets go: 12 arrays, 2.00 MiB." in shown
    assert shown.count("is static") == 1


def test_where_nobody_looked_nothing_is_said() -> None:
    assert told(capture()) == ""
    assert "Memory" not in html(capture(), {})


def test_why_nothing_is_known_is_said() -> None:
    none = capture(held(5, "end", reason="JAX's profile could not be had: <b>no</b>."))
    assert told(none) == "not known. JAX's profile could not be had: <b>no</b>."
    assert "&lt;b&gt;no&lt;/b&gt;" in html(none, {})
    part = capture(sampled(0, device(MIB)), held(5, "end", reason="It could not be read."))
    assert "It could not be read." in assert_survives(html(part, {})).words


def test_what_is_not_known_by_line_is_no_nought() -> None:
    events = [sampled(0, device(MIB)), sampled(50, device(9 * MIB)), sampled(90, device(2 * MIB)), held(90, "end", holding(2 * MIB))]
    (line,) = (found := capture(*events, start_ns=1)).memory.lines  # pyright: ignore[reportOptionalMemberAccess] # it is there
    assert (line.before, line.peak) == (None, None)
    assert html(found, {}).count(f">{UNKNOWN}</td>") == 2


def test_several_devices_are_counted_and_the_fullest_named() -> None:
    events = [sampled(at, device(MIB), device(5 * MIB, name="CPU:1")) for at in (0, 9)]
    assert told(capture(*events)).startswith("6.00 MiB on 2 devices (5.00 MiB on CPU:1) at the end")


def test_what_is_hostile_is_escaped_and_what_is_long_cut() -> None:
    bad = "<script>alert(1)</script>" + "y" * 300
    rows = tuple(holding(2 * MIB, site=site(at, cell=None, function=bad)) for at in range(100))
    shown = html(capture(*weighed((0, "beginning", ()), (9, "end", rows))), {})
    assert "<script" not in shown
    assert "y" * 100 not in shown
    assert "and 32 other lines" in shown
