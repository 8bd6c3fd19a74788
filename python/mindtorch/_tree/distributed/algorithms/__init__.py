"""Algorithms over process groups."""

from ..._absent_modules import define_absent_modules

define_absent_modules(__name__)
