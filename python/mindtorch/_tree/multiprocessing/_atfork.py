"""Registers a function to run in forked children."""

import os

__all__ = ["register_after_fork"]


def register_after_fork(func):
    os.register_at_fork(after_in_child=func)
