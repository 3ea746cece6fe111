from factories import MS, OTHER, capture, site, staged, started, transferred
from x10_jupyter.diagnosis.engine import findings


def test_the_start_of_jax_is_blamed_on_no_transfer_and_no_compile() -> None:
    (one,) = findings(capture(transferred(0, 62 * MS), started(1 * MS, 61 * MS)))
    assert (one.kind, one.share, one.site, one.advice) == ("warm_up", 0.6, site(5), "")
    assert one.title == "JAX starting its platform at cell [4] line 5, once in a kernel"
    (other,) = findings(capture(staged(0, 62 * MS, "lower"), started(1 * MS, 61 * MS), staged(62 * MS, 63 * MS)))
    assert other.title == one.title


def test_what_is_none() -> None:
    assert findings(capture(started(0, 4 * MS))) == ()
    assert findings(capture(started(0, 60 * MS, thread=OTHER))) == ()
