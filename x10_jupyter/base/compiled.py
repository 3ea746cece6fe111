"""Which modules may run compiled, and where what was compiled of them lies.

The same sources run in Python or compiled; files with the ending ``.pxd`` beside them say what is a whole number and whose attributes are whose. What was
compiled is used only where it was made of the very sources that are there, so that an edit is never without effect.
"""

from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from pathlib import Path

MODULES = ("checks", "core", "counts", "execute", "known", "level", "operators", "replay", "trie", "value")
"""The hot path of the runtime, in the folder of `lazy`."""

UNCOLLECTED = "value"
"""The one whose classes are made so that Python's collector need not look at their instances."""


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


def is_built(home: Path) -> bool:
    """Whether the modules were compiled for this Python.

    Each is loaded, and none is run: so it is known before the first of them is imported, and never one runs compiled and another in Python.

    Args:
        home: The folder of what was compiled.

    Raises:
        ImportError: Only some of them are there, or one cannot be loaded.
    """
    files = {name: home / f"{name}{EXTENSION_SUFFIXES[0]}" for name in MODULES}
    missing = [file for file in files.values() if not file.exists()]
    if missing and len(missing) < len(files):
        raise ImportError(f"{missing[0]} is missing")
    if missing:
        return False
    for name, file in files.items():
        try:
            load(name, file)
        except Exception as error:  # what was compiled for another Python raises whatever that finds first
            raise ImportError(f"{file} cannot be loaded: {str(error).removeprefix(f'{file}: ')}") from error
    return True


def load(name: str, file: Path) -> None:
    """Load a compiled module, and do not run it. What is imported later finds it loaded.

    Args:
        name: The module.
        file: Where it lies.

    Raises:
        Exception: It cannot be loaded.
    """
    with file.open("rb") as opened:
        head = opened.read(64)
    if head.startswith(ELF) and len(head) == 64:  # of others the system finds it; of these it may end the process
        table, length = int.from_bytes(head[40:48], "little"), int.from_bytes(head[58:60], "little") * int.from_bytes(head[60:62], "little")
        if table + length > file.stat().st_size:
            raise ImportError("it ends too early")
    loader = ExtensionFileLoader(f"x10_jupyter.lazy.{name}", str(file))
    loader.create_module(ModuleSpec(loader.name, loader, origin=str(file)))


ELF = b"\x7fELF\x02\x01"
"""How a shared library of 64 bits begins on Linux. Its table of sections stands at its end."""
