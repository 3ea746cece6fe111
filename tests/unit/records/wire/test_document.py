import json

from captures import restarted, training
from factories import capture, read, site
from x10_jupyter.records.wire.document import MIME, VERSION, document


def test_says_what_it_is_and_is_json() -> None:
    found = document(restarted())
    assert (found["type"], found["version"]) == (MIME, VERSION) == ("application/vnd.x10.capture.v1+json", 1)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_equal_records_are_there_once() -> None:
    made = capture(*[read(at, at + 1, site=site(at % 3)) for at in range(30)])
    table = document(made)["records"]["Site"]
    assert table["rows"] == 3
    assert table["columns"]["line"]["values"] == [0, 1, 2]


def test_moments_are_differences_and_order_names_kinds() -> None:
    found = document(capture(read(100, 130), read(150, 190)))["events"]
    assert (found["count"], found["kinds"], found["order"]) == (2, ["Read"], [0, 0])
    columns = found["tables"]["Read"]["columns"]
    assert columns["start_ns"] == {"code": "delta", "values": [100, 50]}
    assert columns["end_ns"] == {"code": "after", "values": [30, 40]}
    assert columns["ready_ns"]["null"] == [1, 1]


def test_a_long_loop_takes_a_few_bytes_an_event() -> None:
    made = training(2_000)
    assert len(json.dumps(document(made))) < 2 * len(made.events)
