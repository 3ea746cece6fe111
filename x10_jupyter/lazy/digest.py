"""Hashes of operations and of what they are put together to: of 128 bits, and the same in each process, as Python's own are not."""

import re
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from x10_jupyter.jax_gate.jaxpr_text import jaxpr_text
from x10_jupyter.lazy.op import Op

BYTES = 16
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def combined(*parts: bytes) -> bytes:
    """One hash of several pieces, in order; tells ``ab, c`` from ``a, bc``."""
    return blake2b(b"".join([b"%d:%b" % (len(part), part) for part in parts]), digest_size=BYTES).digest()


def digits(digest: bytes) -> str:
    """A hash as X10 writes it: lower-case hexadecimal digits, without zeros in front."""
    return f"{int.from_bytes(digest):x}"


def of_operation(op: Op) -> bytes:
    """The hash of an operation on its own: its name, what JAX traced, the constants in that, and what its results say that they are.

    Where JAX names a Python function by its address, as for a callback, that is left out: it is another one in each process.
    """
    known = getattr(op, "digest", None)
    if known is None:
        traced = without_addresses(jaxpr_text(op.jaxpr))
        known = op.digest = combined(op.call.name.encode(), traced.encode(), repr(op.outs).encode(), *map(of_constant, op.jaxpr.consts))
    return known


def without_addresses(text: str) -> str:
    """What Python or JAX says of an object, as it says it in each process."""
    return ADDRESS.sub("", text)


def of_constant(constant: object) -> bytes:
    """The bytes of an array; of what has none, such as a random key, its text."""
    try:
        return np.asarray(constant).tobytes()
    except TypeError:
        return repr(constant).encode()


def of_texts(texts: Iterable[str]) -> bytes:
    """One hash of several texts, in order."""
    return combined(*[text.encode() for text in texts])
