"""Libraries that take the arrays of any library that follows the array API standard take tensors, and give what they give for NumPy's arrays."""

import json
import os
import subprocess
import sys
from typing import Any

import array_api_compat
import jax
import numpy as np
import pytest

import x10_jupyter as x10

CLIENTS = """
import json
from types import ModuleType

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.signal
import scipy.special
import scipy.stats
import sklearn
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.metrics import accuracy_score, mean_squared_error

import x10_jupyter as x10

FLOWERS, KINDS = load_iris(return_X_y=True)
a, b = np.random.default_rng(0).normal(size=(2, 50))

def explained(make):
    fitted = PCA(n_components=2, svd_solver="full").fit(make(FLOWERS))
    return fitted.explained_variance_

def projected(make):
    return abs(PCA(n_components=2, svd_solver="full").fit_transform(make(FLOWERS)))  # the signs are free

USES = {
    "sklearn.explained": explained,
    "sklearn.projected": projected,
    "sklearn.accuracy": lambda make: accuracy_score(make(KINDS), make(KINDS[::-1].copy())),
    "sklearn.error": lambda make: mean_squared_error(make(a), make(b)),
    "stats.skew": lambda make: scipy.stats.skew(make(a)),
    "stats.t": lambda make: scipy.stats.ttest_ind(make(a), make(b)).statistic,
    "special.gammaln": lambda make: scipy.special.gammaln(make(abs(a))),
    "signal.detrend": lambda make: scipy.signal.detrend(make(a)),
    "signal.convolve": lambda make: scipy.signal.fftconvolve(make(a), make(b)),
    "fft": lambda make: scipy.fft.rfft(make(a)),
    "integrate": lambda make: scipy.integrate.trapezoid(make(a)),
}
told = {}
with sklearn.config_context(array_api_dispatch=True):
    for name, use in USES.items():
        ours, expected = use(x10.tensor), use(np.asarray)
        told[name] = [type(ours).__name__, bool(np.allclose(np.asarray(ours), expected, rtol=1e-6))]
print(json.dumps(told))
"""
GIVE_NUMBERS = ("sklearn.accuracy", "sklearn.error")


@pytest.fixture(scope="module")
def told() -> dict[str, list[object]]:
    """What each use of a library made of tensors, and whether it was right. SciPy reads its switch when it is imported."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "JAX_ENABLE_X64": "1"}
    done = subprocess.run([sys.executable, "-c", CLIENTS], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_scikit_learn_and_scipy_give_what_they_give_for_numpy(told) -> None:
    assert [name for name, (_, is_right) in told.items() if not is_right] == []
    assert len(told) == 11


def test_what_they_give_are_tensors_again(told) -> None:
    kinds = {name: kind for name, (kind, _) in told.items() if name not in GIVE_NUMBERS}
    assert set(kinds.values()) == {"Tensor"}, kinds


def test_array_api_compat_asks_a_tensor_what_it_asks_any_array() -> None:
    t: Any = x10.tensor([[1.0, 2.0, 3.0]])
    assert (array_api_compat.is_array_api_obj(t), array_api_compat.is_jax_array(t)) == (True, False)
    assert array_api_compat.array_namespace(t, t * 2.0, use_compat=False) is x10.numpy
    assert array_api_compat.size(t) == 3
    assert array_api_compat.device(t) == jax.devices()[0]
    moved: Any = array_api_compat.to_device(t, jax.devices()[1])
    assert isinstance(moved, x10.Tensor)
    assert array_api_compat.device(moved) == jax.devices()[1]
    assert np.asarray(moved).tolist() == [[1, 2, 3]]
