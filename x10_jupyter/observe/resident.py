"""How much memory this process takes on the host."""

import os
import sys
from pathlib import Path

STATM = Path("/proc/self/statm")
"""Linux tells it there, in pages: the size of the process, and of that what is in memory."""


def resident_bytes() -> int:
    """What is in memory now, in bytes; where the system tells only the most it has been, that. Takes some 10 µs."""
    try:
        return int(STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return most_bytes()


def most_bytes() -> int:
    """The most that was in memory at once; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
