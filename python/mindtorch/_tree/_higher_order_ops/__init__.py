"""Control flow as functions: branches, loops, scans and maps over slices, run eagerly.

There is no graph capture: the given functions are called, a branch that is not taken never runs, and side effects on
arguments are not checked.
"""

from .associative_scan import associative_scan
from .cond import cond
from .map import map
from .out_dtype import out_dtype
from .scan import scan
from .while_loop import while_loop

__all__ = ["associative_scan", "cond", "map", "out_dtype", "scan", "while_loop"]
