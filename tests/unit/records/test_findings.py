from dataclasses import FrozenInstanceError

import pytest

from x10_jupyter.records.findings import Finding


def test_a_finding_is_a_fact_that_nobody_changes() -> None:
    made = Finding(kind="gc", share=0.5, seconds=1.0, title="it", evidence_for=(), evidence_against=(), advice="")
    assert (made.steps, made.site) == ((), None)
    with pytest.raises(FrozenInstanceError):
        made.share = 0.6  # pyright: ignore[reportAttributeAccessIssue]
