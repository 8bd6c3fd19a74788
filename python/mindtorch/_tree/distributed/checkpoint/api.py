"""CheckpointException, and how an error of one rank is sent to the others."""

import pickle
import traceback
from typing import Any

WRAPPED_EXCEPTION = tuple[BaseException, traceback.StackSummary]

__all__ = ["CheckpointException"]


def _wrap_exception(exc: BaseException) -> WRAPPED_EXCEPTION:
    """An error and where it was raised, in a form that can be sent to another rank."""
    frames = [
        (frame.filename, frame.lineno, frame.name, frame.line) for frame in traceback.extract_tb(exc.__traceback__)
    ]
    try:
        pickle.dumps(exc)
    except Exception:  # an error that cannot be sent would leave the other ranks waiting
        exc = RuntimeError(f"{type(exc).__name__}: {exc}")
    return exc, traceback.StackSummary.from_list(frames)


def _is_wrapped_exception(obj: Any) -> bool:
    match obj:
        case (BaseException(), traceback.StackSummary()) if isinstance(obj, tuple):
            return True
    return False


class CheckpointException(BaseException):
    """Some ranks failed while a checkpoint was saved or loaded; all ranks raise it.

    It is no `Exception`: `except Exception` does not catch it.

    Args:
        msg (str): the step that failed: ``"plan"``, ``"write"`` or ``"read"``.
        failures (dict[int, tuple[BaseException, StackSummary]]): by rank, the error and the frames it came through.
    """

    def __init__(self, msg: str, failures: dict[int, WRAPPED_EXCEPTION]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, WRAPPED_EXCEPTION]:
        """The error of each rank and the frames through which it passed (dict)."""
        return self._failures

    def __str__(self) -> str:
        lines = [f"CheckpointException ranks:{self._failures.keys()}\n"]
        for rank, (error, frames) in self._failures.items():
            lines.append(f"Traceback (most recent call last): (RANK {rank})\n")
            lines += traceback.format_list(frames or [])
            lines += traceback.format_exception_only(error)
        return "".join(lines)
