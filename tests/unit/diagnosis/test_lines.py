from dataclasses import replace

from factories import MS, OTHER, capture, read, site, stepped
from x10_jupyter.diagnosis.lines import lines
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.thinning import Thinning


def test_what_was_done_on_a_line_is_one_thing() -> None:
    made = capture(
        read(0, 1 * MS), read(2 * MS, 4 * MS), read(4 * MS, 5 * MS, how="int()"), read(5 * MS, 6 * MS, site=site(3)), read(6 * MS, 7 * MS, thread=OTHER)
    )
    found = lines(made, Read, "how")
    assert [(one.last.how, one.site, one.times) for one in found] == [("float()", site(9), 2), ("int()", site(9), 1), ("float()", site(3), 1)]
    assert found[0].spans.tolist() == [[0, 1 * MS], [2 * MS, 4 * MS]]
    assert found[0].during(made, ["read"]).tolist() == [[0, 1 * MS], [2 * MS, 4 * MS]]
    assert found[0].gone_ns(["read"]) == 0


def test_of_a_long_capture_the_sums_count_too() -> None:
    events = [each for step in range(10) for each in (read(step * 10 * MS, (step * 10 + 4) * MS), stepped(step * 10 * MS, (step + 1) * 10 * MS, step))]
    whole = capture(*events)
    thinning = Thinning(thread=whole.thread, start_ns=0)
    stay, _ = thinning.fold(events, 12)
    thinned = replace(whole, events=tuple(stay), thinned=thinning.result(stay))
    (full,), (found,) = lines(whole, Read, "how"), lines(thinned, Read, "how")
    assert found.times == full.times == 10
    assert 0 < len(found.spans) < 10
    assert int((found.spans[:, 1] - found.spans[:, 0]).sum()) + found.gone_ns(["read"]) == 40 * MS
