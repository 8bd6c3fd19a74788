"""Tests for custom operators: opcheck, and tests generated from those of a TestCase."""

from ...._library.opcheck import OpCheckError
from ....library import opcheck
from .generate_tests import dontGenerateOpCheckTests, generate_opcheck_tests, is_inside_opcheck_mode

__all__ = [
    "OpCheckError", "dontGenerateOpCheckTests", "generate_opcheck_tests", "is_inside_opcheck_mode", "opcheck",
]  # fmt: skip
