"""Other frameworks, each in an environment of its own, which this makes; what cannot be installed is named as missing."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENVIRONMENTS = Path(__file__).parents[2] / ".venv-peers"
SCRIPTS = Path(__file__).parent / "peers"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How to get and start a peer."""

    name: str
    environment: str
    packages: tuple[str, ...]
    command: tuple[str, ...]


TORCH = ("torch==2.9.0", "torch_xla==2.9.0", "numpy")
KINDS = {
    "torch_xla": Kind(name="PyTorch/XLA 2.9", environment="torch", packages=TORCH, command=("torch_peer.py", "xla")),
    "torch": Kind(name="PyTorch 2.9 eager", environment="torch", packages=TORCH, command=("torch_peer.py", "eager")),
    "mlx": Kind(name="MLX 0.32", environment="mlx", packages=("mlx[cpu]==0.32.*", "numpy"), command=("mlx_peer.py",)),
}


def python_of(kind: Kind) -> Path:
    """The peer's Python, in its environment, made if it is not there.

    Raises:
        OSError: It cannot be made.
        subprocess.CalledProcessError: Something cannot be installed.
    """
    home = ENVIRONMENTS / kind.environment
    python, done = home / "bin" / "python", home / "installed"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *kind.packages], check=True)
        done.touch()
    return python


class Peer:
    """A process that runs one job after another."""

    def __init__(self, name: str) -> None:
        kind = KINDS[name]
        script, *arguments = kind.command
        self.process = subprocess.Popen(
            [python_of(kind), SCRIPTS / script, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.version = self._answer()

    def ask(self, **job: Any) -> dict[str, Any]:
        """Give it a job and wait for the answer.

        Raises:
            OSError: It has ended.
        """
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise OSError(f"the peer ended with {self.process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()


def started(name: str, missing: dict[str, str]) -> Peer | None:
    """A peer that runs; None if it cannot, and then why is added to what is missing."""
    if name in missing:
        return None
    try:
        return Peer(name)
    except (OSError, subprocess.CalledProcessError) as error:
        missing[name] = str(error)
        return None
