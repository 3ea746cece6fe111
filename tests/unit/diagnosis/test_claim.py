import numpy as np

from x10_jupyter.diagnosis.claim import LEAST, Claim, least_ns


def test_a_claim_is_all_of_its_time_unless_it_says_otherwise() -> None:
    made = Claim(kind="gc", title="it", advice="Do.", evidence_for=("For.",), spans=np.zeros((0, 2), np.int64))
    assert (made.more_ns, made.most_ns, made.evidence_against, made.site) == (0, None, (), None)


def test_the_threshold() -> None:
    assert LEAST == 0.05
    assert [least_ns("gc", wall_ns) for wall_ns in (10, 10**9, 2 * 10**9)] == [50_000_000, 50_000_000, 100_000_000]
    assert [least_ns("recompile", wall_ns) for wall_ns in (100, 2 * 10**9)] == [5, 100_000_000]
