"""Registers a function to be called in forked children."""

import os

__all__ = ["register_after_fork"]


def register_after_fork(func):
    """Registers a function that runs in forked children.

    Args:
        func (callable): takes nothing.

    Returns:
        None.
    """
    os.register_at_fork(after_in_child=func)
