"""torch.multiprocessing: Python's multiprocessing, with tensors in shared memory."""

import multiprocessing
import sys
from multiprocessing import *  # noqa: F403

from .reductions import init_reductions
from .spawn import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = ["set_sharing_strategy", "get_sharing_strategy", "get_all_sharing_strategies"]
__all__ += multiprocessing.__all__

if sys.platform in ("darwin", "win32"):
    _sharing_strategy = "file_system"
    _all_sharing_strategies = {"file_system"}
else:
    _sharing_strategy = "file_descriptor"
    _all_sharing_strategies = {"file_descriptor", "file_system"}


def set_sharing_strategy(new_strategy):
    """Sets how shared memory is passed to other processes.

    ``"file_descriptor"`` keeps a descriptor open for each storage (mind the limit of open files);
    ``"file_system"`` names files, which remain when all processes are killed.

    Args:
        new_strategy (str): one of `get_all_sharing_strategies`.

    Returns:
        None.

    Raises:
        AssertionError: when the name is unknown.
    """
    global _sharing_strategy
    if new_strategy not in _all_sharing_strategies:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {_all_sharing_strategies}"
        )
    _sharing_strategy = new_strategy
    if new_strategy == "file_system":
        from ._names import prepare

        prepare()


def get_sharing_strategy():
    """Returns how shared memory is passed to other processes.

    Returns:
        str: ``"file_descriptor"`` or ``"file_system"``.
    """
    return _sharing_strategy


def get_all_sharing_strategies():
    """Returns the names that `set_sharing_strategy` takes on this system.

    Returns:
        set of str: the names.
    """
    return _all_sharing_strategies


init_reductions()
