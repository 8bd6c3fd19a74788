"""The errors of graph capture, for programs that catch them; nothing here raises them."""

from enum import Enum


class ExportErrorType(Enum):
    """What the captured program or its caller did."""

    INVALID_INPUT_TYPE = 1
    INVALID_OUTPUT_TYPE = 2
    VIOLATION_OF_SPEC = 3
    NOT_SUPPORTED = 4
    MISSING_PROPERTY = 5
    UNINITIALIZED = 6


class ExportError(Exception):
    """A program cannot be captured."""

    def __init__(self, error_code, message):
        super().__init__(f"[{error_code}]: {message}")


class InternalError(Exception):
    """Capturing failed."""

    def __init__(self, message):
        super().__init__(message)
