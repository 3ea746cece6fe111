"""How busy accelerators are, as their maker's library tells."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from x10_jupyter.base.settings import is_bus_order, visible_gpus

CPU, GPU = "cpu", "gpu"

NONE = "No accelerator: utilisation is not known."
MISSING = "Utilisation is not known, since `nvidia-ml-py` is not installed. Run: pip install 'x10_jupyter[gpu]'."
OTHER = "Utilisation is not known: JAX does not tell it of a {}."
FAILED = "Utilisation is not known, since NVIDIA's library tells nothing: {}"
WHICH = "Utilisation is not known, since it can't be told which of the machine's GPUs are JAX's."


class Utilisation:
    """Asks NVIDIA's library, if JAX runs on its devices and it is installed."""

    def __init__(self, module: str = "pynvml") -> None:
        """Ask nothing yet.

        Args:
            module: The library's name.
        """
        self._module = module
        self._library: Any = None
        self._handles: Mapping[int, Any] | None = None
        self.reason = NONE
        """Why it is not known, in a sentence; empty if it is."""

    def percents(self, devices: Sequence[Any]) -> Mapping[str, int]:
        """The part of the last moments in which each device worked, in percent, by our name of it; none of those of which nobody tells.

        Args:
            devices: JAX's, all of them of one platform.
        """
        if self._handles is None:
            self._handles = self._found(devices)
        try:
            return {f"GPU:{number}": int(self._library.nvmlDeviceGetUtilizationRates(handle).gpu) for number, handle in self._handles.items()}
        except self._library.NVMLError as error:
            self.reason, self._handles = FAILED.format(error), {}
            return {}

    def _found(self, devices: Sequence[Any]) -> Mapping[int, Any]:
        """The library's name of each device, by JAX's number."""
        platform = devices[0].platform if devices else CPU
        if platform != GPU:
            self.reason = NONE if platform == CPU else OTHER.format(platform.upper())
            return {}
        try:
            self._library = import_module(self._module)
        except ImportError:
            self.reason = MISSING
            return {}
        try:
            self._library.nvmlInit()
            found = self._of(devices)
        except self._library.NVMLError as error:
            self.reason = FAILED.format(error)
            return {}
        self.reason = "" if found else WHICH
        return found

    def _of(self, devices: Sequence[Any]) -> Mapping[int, Any]:
        """The same; empty if it is not certain.

        CUDA counts the GPUs that the process may see; the library counts all of them, by their place on the bus. CUDA has another unless told to take that
        order, which makes no difference where all are of one kind.
        """
        library, chosen = self._library, visible_gpus()
        every = [library.nvmlDeviceGetHandleByIndex(number) for number in range(library.nvmlDeviceGetCount())]
        is_certain = is_bus_order() or len({library.nvmlDeviceGetName(handle) for handle in every}) == 1
        names = chosen if chosen is not None else [str(number) for number in range(len(every))]
        if any(device.local_hardware_id >= len(names) for device in devices):
            return {}
        found = {device.id: names[device.local_hardware_id] for device in devices}
        if not is_certain and any(name.isdecimal() for name in found.values()):
            return {}
        return {number: every[int(name)] if name.isdecimal() else library.nvmlDeviceGetHandleByUUID(name) for number, name in found.items()}
