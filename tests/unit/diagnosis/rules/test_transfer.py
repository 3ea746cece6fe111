from factories import MS, OTHER, capture, compiled, site, transferred
from x10_jupyter.diagnosis.engine import findings


def test_moving_data_is_told_by_line_and_direction() -> None:
    made = findings(
        capture(transferred(0, 10 * MS), transferred(20 * MS, 30 * MS, aval="i32[32]", size_bytes=128), transferred(40 * MS, 50 * MS, direction="from_device"))
    )
    assert [(one.kind, one.share, one.title) for one in made] == [
        ("transfer", 0.2, "moving data to the device at cell [4] line 5, 2 times"),
        ("transfer", 0.1, "moving data from the device at cell [4] line 5"),
    ]
    assert made[0].site == site(5)
    assert made[0].advice == "In `train`, at cell [4] line 5: move f32[32,64] once, before the loop, or the next batch while this one is computed."
    assert made[1].advice == "", "it is moved once, and no loop is known"
    assert made[0].evidence_for == ("2 transfers to the device, the largest of f32[32,64], 8.00 KiB.",)


def test_what_is_none() -> None:
    assert findings(capture(transferred(0, 4 * MS))) == ()
    assert findings(capture(transferred(0, 60 * MS, thread=OTHER))) == ()
    assert [one.kind for one in findings(capture(transferred(0, 60 * MS), compiled(0, 60 * MS)))] == ["warm_up"], "it compiled meanwhile"
