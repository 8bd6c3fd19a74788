"""Quantization of graphs: absent, except for operators on plain tensors."""

from ...._absent_modules import define_absent_modules

define_absent_modules(__name__)
