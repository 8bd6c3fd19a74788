"""implicit_replication."""

import contextlib

from .. import _call


@contextlib.contextmanager
def implicit_replication():
    """Inside the block, plain tensors among the arguments of operators count as replicated.

    Returns:
        context manager: the block.
    """
    before = _call.allows_plain_tensors
    _call.allows_plain_tensors = True
    try:
        yield
    finally:
        _call.allows_plain_tensors = before
