"""Collectives with gradients."""

from .functional import *  # noqa: F403
