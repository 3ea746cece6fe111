"""What the runtime offers to users; importing it puts the runtime's hooks into JAX, and calls what waits for the runtime."""

from x10_jupyter.base.config import config as config
from x10_jupyter.base.wiring import WIRING
from x10_jupyter.lazy import hooks
from x10_jupyter.lazy.barrier import barrier as barrier
from x10_jupyter.lazy.conversion import is_reduced_precision as is_reduced_precision
from x10_jupyter.lazy.conversion import to_full_precision as to_full_precision
from x10_jupyter.lazy.conversion import to_reduced_precision as to_reduced_precision
from x10_jupyter.lazy.create import tensor as tensor
from x10_jupyter.lazy.device import Device as Device
from x10_jupyter.lazy.device import devices as devices
from x10_jupyter.lazy.gradients import grad as grad
from x10_jupyter.lazy.gradients import value_and_grad as value_and_grad
from x10_jupyter.lazy.lift import lazy as lazy
from x10_jupyter.lazy.mixed import mixed_precision as mixed_precision
from x10_jupyter.lazy.namespaces import members as members
from x10_jupyter.lazy.tensor import Tensor as Tensor

LazyTensorBarrier = barrier

hooks.install()
WIRING.ready()
