"""What JAX says of the arrays that are alive, to hold a profile of them against."""

import math

import jax


def live_bytes() -> int:
    """Bytes on all devices. What other tests have left is in it, arrays that share a buffer too, which a profile counts once: so differences are compared."""
    return sum(math.prod(a.sharding.shard_shape(a.shape)) * a.dtype.itemsize * len(a.sharding.addressable_devices) for a in jax.live_arrays())
