"""See what XLA does under a notebook cell; write eager code and run it as one program.

Import as ``import x10_jupyter as x10``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """Called by ``%load_ext x10_jupyter``."""
    # Here and not above, so that a script that imports the package pays for no notebook.
    from x10_jupyter.magics.install import install
    from x10_jupyter.session import capture

    install(shell, capture)


def unload_ipython_extension(shell: "InteractiveShell") -> None:
    """Called by ``%unload_ext x10_jupyter``."""
    from x10_jupyter.magics.install import uninstall

    uninstall(shell)
