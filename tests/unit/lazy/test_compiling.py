"""JAX's own compiles on this thread are noted while a block runs."""

import threading

import jax
import numpy as np

from x10_jupyter.lazy.compiling import noting_compiles


def compile_something(shape: int) -> None:
    jax.jit(lambda x: x * 3 + shape)(np.ones(shape, np.float32))


def test_compiles_are_noted_while_the_block_runs() -> None:
    spans: list[tuple[int, int]] = []
    with noting_compiles(spans):
        compile_something(3)
    noted = len(spans)
    compile_something(5)
    assert len(spans) == noted >= 3  # tracing, lowering, compiling
    assert all(start <= end for start, end in spans)


def test_those_of_other_threads_are_not() -> None:
    spans: list[tuple[int, int]] = []
    with noting_compiles(spans):
        thread = threading.Thread(target=compile_something, args=(7,))
        thread.start()
        thread.join()
    assert spans == []
