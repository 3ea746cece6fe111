"""A real JupyterLab, which serves Notebook 7, too, for tests that look at it in a browser."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

PATIENCE_S = 60
WAIT_S = 0.2
QUIET = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}
"""Settings of JupyterLab: nothing is asked, fetched or saved."""


@dataclass(frozen=True, slots=True)
class Server:
    """One that runs."""

    url: str
    """Without a slash at the end."""

    root: Path
    """The folder it shows."""

    env: Mapping[str, str]
    """The environment it runs in."""

    def trust(self, name: str) -> None:
        """Sign a notebook in its folder, as its user would."""
        subprocess.run([sys.executable, "-m", "nbformat.sign", name], cwd=self.root, env=self.env, check=True, capture_output=True, timeout=PATIENCE_S)


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    """A server with directories of its own: no setting, workspace or secret of another is seen, so a notebook from elsewhere is untrusted.

    Args:
        home: An empty folder for everything.
    """
    root, config = home / "notebooks", home / "config"
    (config / "labconfig").mkdir(parents=True)
    root.mkdir()
    (config / "labconfig" / "default_setting_overrides.json").write_text(json.dumps(QUIET))
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", f"--ServerApp.root_dir={root}"]
    command += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password=", "--LabApp.extension_manager=readonly"]
    env = environment(home)
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(command, env=env, cwd=root, stdout=log, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(f"{url}/api/status", server, home / "log")
            yield Server(url, root, env)
        finally:
            server.terminate()  # its kernels go with it
            server.wait(PATIENCE_S)


def environment(home: Path) -> dict[str, str]:
    """This process's variables, with all of Jupyter's and IPython's directories below one folder."""
    own = {
        name: str(home / name.lower())
        for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")
    }
    return {**os.environ, **own, "JUPYTER_CONFIG_DIR": str(home / "config"), "JUPYTER_PREFER_ENV_PATH": "1", "JAX_PLATFORMS": "cpu"}


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Return once a server answers."""
    for _ in range(int(PATIENCE_S / WAIT_S)):
        try:
            with urlopen(url, timeout=PATIENCE_S):
                return
        except URLError:
            try:
                server.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                continue
            break
    raise AssertionError(f"JupyterLab does not answer:\n{log.read_text(errors='replace')}")
