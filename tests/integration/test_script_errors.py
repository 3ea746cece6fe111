"""What a script's traceback shows of an error: the user's lines and JAX's, and of ours at most the method of an operator, which compiled code always leaves."""

import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import traceback
import jax
import x10_jupyter as x10

a, b = x10.numpy.ones((2, 3)), x10.numpy.ones((2, 3))

def loss(w):
    return (w @ b).sum()  # the loss

def layer(x):
    return x @ x  # the layer

def broken(x):
    return x[0][0][0]

def operator(): a @ b
def reflected(): 1 @ b
def refused(): a + [1]
def unary(): ~a
def function(): x10.numpy.matmul(a, b)
def placed(): x10.numpy.zeros((2,), "no dtype")
def method(): a.reshape(7)
def index(): a[5, 4, 3]
def update(): a.at[0].set(b)
def gradient(): x10.grad(loss)(a)
def reduced(): x10.mixed_precision("bf16")(loss)(a)
def lazy(): x10.lazy(layer)(a)
def traced(): jax.jit(x10.lazy(broken))(a.data)

for each in (operator, reflected, refused, unary, function, placed, method, index, update, gradient, reduced, lazy, traced):
    try:
        each()
    except Exception:
        print("==", each.__name__)
        print(traceback.format_exc())
"""


def test_of_the_users_errors_only_their_own_lines_and_jaxs_are_shown(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    shown: dict[str, str] = dict(re.findall(r"== (\w+)\n(.*?)(?=\n== |\Z)", done.stdout, re.DOTALL))
    assert len(shown) == SCRIPT.count("\ndef ") - 3
    for name, text in shown.items():
        ours = re.findall(r'File ".*x10_jupyter/(.*)", line \d+, in (?:.*\.)?(\w+)', text)
        assert ours == ([("lazy/operators.py", "method")] if name in {"operator", "reflected", "refused"} else []), text
        assert "each()\n" in text
        assert "During handling" not in text
    assert "# the loss" in shown["gradient"]
    assert "# the loss" in shown["reduced"]
    assert "# the layer" in shown["lazy"]
    assert "OperandError: `matmul` refuses these operands" in shown["operator"]
    assert "TypeError: dot_general requires" in shown["operator"]
