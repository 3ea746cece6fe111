import subprocess
import sys

import jax

from x10_jupyter.jax_gate.back_end import has_back_end, live_arrays


def test_it_is_there_once_a_device_was_asked_for() -> None:
    jax.devices()
    assert has_back_end()


def test_importing_does_not_make_one() -> None:
    code = "import jax, x10_jupyter\nfrom x10_jupyter.jax_gate.back_end import has_back_end\nassert not has_back_end()\njax.devices()\nassert has_back_end()"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_arrays_are_those_of_jax() -> None:
    made = jax.numpy.ones(3)
    assert any(each is made for each in live_arrays())


def test_without_a_back_end_there_are_no_arrays() -> None:
    code = "from x10_jupyter.jax_gate.back_end import has_back_end, live_arrays\nassert live_arrays() == []\nassert not has_back_end()"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
