import sys
from types import ModuleType
from typing import Any

import pytest

from x10_jupyter.observe.utilisation import MISSING, NONE, WHICH, Utilisation


class Device:
    device_kind = "NVIDIA H200"

    def __init__(self, number: int, platform: str = "gpu") -> None:
        self.id = self.local_hardware_id = number
        self.platform = platform


class NVMLError(Exception):
    """As the library has it."""


class Library(ModuleType):
    """NVIDIA's library on a machine with some GPUs; a handle is the number of its GPU."""

    NVMLError = NVMLError

    def __init__(self, *kinds: str, error: str = "") -> None:
        super().__init__("fake_nvml")
        self.kinds, self.error, self.begun = kinds, error, 0

    def nvmlInit(self) -> None:  # noqa: N802 - its name
        self.begun += 1
        if self.error == "init":
            raise NVMLError("Driver Not Loaded")

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return len(self.kinds)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802
        return index

    def nvmlDeviceGetHandleByUUID(self, name: str) -> int:  # noqa: N802
        return int(name.removeprefix("GPU-"))

    def nvmlDeviceGetName(self, handle: int) -> str:  # noqa: N802
        return self.kinds[handle]

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> Any:  # noqa: N802
        if self.error == "rates":
            raise NVMLError("Not Supported")
        return type("Rates", (), {"gpu": 10 * (handle + 1)})


@pytest.fixture(autouse=True)
def nobody_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("CUDA_DEVICE_ORDER", raising=False)


def asked(monkeypatch: pytest.MonkeyPatch, library: Library) -> Utilisation:
    monkeypatch.setitem(sys.modules, "fake_nvml", library)
    return Utilisation("fake_nvml")


def test_without_an_accelerator_it_is_not_known() -> None:
    made = Utilisation("no_such_module")
    assert made.percents([Device(0, "cpu")]) == {}
    assert made.reason == NONE


def test_jax_does_not_tell_it_of_a_tpu() -> None:
    made = Utilisation("no_such_module")
    assert made.percents([Device(0, "tpu")]) == {}
    assert made.reason == "Utilisation is not known: JAX does not tell it of a TPU."


def test_without_the_library_it_is_said_how_to_get_it() -> None:
    made = Utilisation("no_such_module")
    assert made.percents([Device(0)]) == {}
    assert made.reason == MISSING


def test_each_gpu_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library("H200", "H200")
    made = asked(monkeypatch, library)
    assert made.percents([Device(0), Device(1)]) == made.percents([Device(0), Device(1)]) == {"GPU:0": 10, "GPU:1": 20}
    assert (made.reason, library.begun) == ("", 1)


@pytest.mark.parametrize("visible", ["2,0", "GPU-2, GPU-0"])
def test_only_those_that_the_process_may_see_in_its_order(monkeypatch: pytest.MonkeyPatch, visible: str) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert asked(monkeypatch, Library("H200", "H200", "H200")).percents([Device(0), Device(1)]) == {"GPU:0": 30, "GPU:1": 10}


def test_where_gpus_differ_their_numbers_may_be_others(monkeypatch: pytest.MonkeyPatch) -> None:
    made = asked(monkeypatch, Library("T4", "H200"))
    assert made.percents([Device(0), Device(1)]) == {}
    assert made.reason == WHICH
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    assert asked(monkeypatch, Library("T4", "H200")).percents([Device(0), Device(1)]) == {"GPU:0": 10, "GPU:1": 20}
    monkeypatch.delenv("CUDA_DEVICE_ORDER")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-1")
    assert asked(monkeypatch, Library("T4", "H200")).percents([Device(0)]) == {"GPU:0": 20}


def test_a_device_that_the_library_does_not_have_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = asked(monkeypatch, Library("H200"))
    assert made.percents([Device(0), Device(1)]) == {}
    assert made.reason == WHICH


@pytest.mark.parametrize(("error", "said"), [("init", "Driver Not Loaded"), ("rates", "Not Supported")])
def test_a_library_that_fails_is_asked_once(monkeypatch: pytest.MonkeyPatch, error: str, said: str) -> None:
    library = Library("H200", error=error)
    made = asked(monkeypatch, library)
    assert made.percents([Device(0)]) == made.percents([Device(0)]) == {}
    assert said in made.reason
    assert library.begun == 1
