"""Collectives that autograd goes through."""

from .functional import *  # noqa: F403
