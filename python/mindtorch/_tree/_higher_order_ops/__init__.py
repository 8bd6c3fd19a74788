"""Control flow as functions: branches, loops, scans and maps over slices, run as they come.

There is no graph capture: the functions given are called, a branch that is not taken is never looked at, and what they
do to their arguments is theirs to answer for.
"""

from .associative_scan import associative_scan
from .cond import cond
from .map import map
from .scan import scan
from .while_loop import while_loop

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]
