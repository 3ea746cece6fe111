"""Which modules may run compiled, and where what was compiled of them lies.

The same sources run in Python or compiled; files with the ending ``.pxd`` beside them say what is a whole number and whose attributes are whose. What was
compiled is used only where it was made of the very sources that are there, so that an edit is never without effect.
"""

from hashlib import sha256
from pathlib import Path

MODULES = ("checks", "core", "execute", "known", "level", "operators", "replay")
"""The hot path of the runtime, in the folder of `lazy`."""


def sources(package: Path) -> list[Path]:
    """The files that are compiled.

    Args:
        package: The folder of `lazy`.
    """
    return [package / f"{name}{ending}" for name in MODULES for ending in (".py", ".pxd")]


def folder(package: Path) -> Path:
    """Where what is compiled of these very sources lies, if it was.

    Args:
        package: The folder of `lazy`.

    Raises:
        OSError: A source cannot be read, as where there are only files of bytecode.
    """
    digest = sha256()
    for source in sources(package):
        digest.update(source.read_bytes())
    return package / "compiled" / digest.hexdigest()[:16]
