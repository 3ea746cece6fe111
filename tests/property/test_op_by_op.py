"""What a program computes it also computes op by op."""

from hypothesis import given
from hypothesis import strategies as st

import x10_jupyter as x10
from property.test_programs import random_program


@given(rng=st.randoms(use_true_random=False))
def test_any_program_is_what_jax_computes_op_by_op(rng):
    with x10.config(sync_tensors_opbyop=True, get_tensors_opbyop=True):
        random_program(rng)
