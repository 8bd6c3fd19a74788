"""Errors of workers: each writes its own to a file, and the parent reports the first one."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import socket
import time
import traceback
from dataclasses import dataclass
from datetime import datetime
from functools import wraps

from ...utils.logging import get_logger

__all__ = ["ProcessFailure", "ChildFailedError", "record", "ErrorHandler", "get_error_handler"]

logger = get_logger(__name__)
_NONE = "<N/A>"


class ErrorHandler:
    """Writes the exception of a worker to the file in TORCHELASTIC_ERROR_FILE."""

    def initialize(self) -> None:
        """Prints stacks when the interpreter crashes, if stderr allows it."""
        try:
            faulthandler.enable(all_threads=True)
        except Exception as e:  # stderr has no descriptor
            logger.warning("Unable to enable fault handler. %s: %s", type(e).__name__, e)

    def _write_error_file(self, error) -> bool:
        path = os.environ.get("TORCHELASTIC_ERROR_FILE")
        if path:
            with open(path, "w") as file:
                json.dump(error, file)
        return bool(path)

    def record_exception(self, e: BaseException) -> None:
        """Writes the exception `e` with its stack and the time to the file."""
        details = {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}
        self._write_error_file({"message": {"message": f"{type(e).__name__}: {e}", "extraInfo": details}})

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        """Hands a worker's file on to whoever started this process.

        Args:
            rootcause_error_file (str): the worker's file.
            error_code (int): its exit code, which is added. Default: ``0``.
        """
        with open(rootcause_error_file) as file:
            error = json.load(file)
        if error_code and isinstance(error.get("message"), dict):
            error["message"]["errorCode"] = error_code
        if not self._write_error_file(error):
            logger.error("no error file defined for parent, to copy child error file (%s)", rootcause_error_file)


get_error_handler = ErrorHandler


@dataclass
class ProcessFailure:
    """How a worker ended; message and time are its error file's, where it wrote one.

    Args:
        local_rank (int): its number on the node.
        pid (int): its process id.
        exitcode (int): its exit code; a signal's number negated.
        error_file (str): the path of its error file.
    """

    local_rank: int
    pid: int
    exitcode: int
    error_file: str

    def __post_init__(self):
        self.error_file_data, self.message, self.timestamp = {"message": "<NONE>"}, "", int(time.time())
        if os.path.isfile(self.error_file):
            with open(self.error_file) as file:
                data = self.error_file_data = json.load(file)
            self.message = data["message"]
            told = data if isinstance(self.message, str) else self.message["extraInfo"]
            self.timestamp = int(told.get("timestamp", 0))
        else:
            self.error_file = _NONE
        if not self.message:
            self.message = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
            if self.exitcode < 0:
                self.message = f"Signal {-self.exitcode} ({self.signal_name()}) received by PID {self.pid}"

    def signal_name(self) -> str:
        """Returns the name of the signal that ended the process, or "<N/A>"."""
        return next((s.name for s in signal.Signals if s == -self.exitcode), _NONE)

    def timestamp_isoformat(self) -> str:
        """Returns the time of the failure as text."""
        return datetime.fromtimestamp(self.timestamp).isoformat(sep="_")


class ChildFailedError(Exception):
    """Raised where workers failed for good; its text reports all of them, the first one apart.

    Args:
        name (str): the program's name.
        failures (dict[int, ProcessFailure]): the failures by global rank.
    """

    def __init__(self, name: str, failures: dict[int, ProcessFailure]):
        self.name, self.failures = name, failures
        super().__init__(self.format_msg())

    def get_first_failure(self) -> tuple[int, ProcessFailure]:
        """Returns the global rank and the ProcessFailure of the first failure."""
        return min(self.failures.items(), key=lambda item: item[1].timestamp)

    def format_msg(self, boarder_delim="=", section_delim="-") -> str:
        """Returns the report; lines of `boarder_delim` and `section_delim` divide it."""
        reports = {rank: self._format_failure(index, rank) for index, rank in enumerate(self.failures)}
        title = f"{self.name} FAILED"
        width = min(60, max(map(len, "\n".join([title, *reports.values()]).split("\n"))))
        border, section, root = boarder_delim * width, section_delim * width, reports.pop(self.get_first_failure()[0])
        others = "\n".join(reports.values()) or "  <NO_OTHER_FAILURES>"
        return (
            f"\n{border}\n{title}\n{section}\nFailures:\n{others}\n{section}\n"
            f"Root Cause (first observed failure):\n{root}\n{border}"
        )

    def _format_failure(self, index, rank):
        failure = self.failures[rank]
        message, name = failure.message, failure.signal_name()
        if isinstance(message, dict):
            message = message.get("extraInfo", {}).get("py_callstack", message.get("message", _NONE))
        message = message.replace("\n", "\n  ")
        return (
            f"[{index}]:\n  time      : {failure.timestamp_isoformat()}\n  host      : {socket.getfqdn()}\n"
            f"  rank      : {rank} (local_rank: {failure.local_rank})\n  exitcode  : {failure.exitcode} "
            f"(pid: {failure.pid}) {f' ({name})' if name != _NONE else ''}\n"
            f"  error_file: {failure.error_file}\n  traceback : {message}"
        )


def record(fn, error_handler: ErrorHandler | None = None):
    """Decorates a program's main function: what it raises is written to its error file, and raised on.

    Args:
        fn (Callable): the function.
        error_handler (ErrorHandler, optional): what writes. Default: get_error_handler().

    Returns:
        Callable: the decorated function.
    """
    error_handler = error_handler or get_error_handler()

    @wraps(fn)
    def wrapper(*args, **kwargs):
        error_handler.initialize()
        try:
            return fn(*args, **kwargs)
        except SystemExit as e:
            if e.code != 0:
                raise
        except ChildFailedError as e:
            failure = e.get_first_failure()[1]
            if failure.error_file != _NONE:
                error_handler.dump_error_file(failure.error_file, failure.exitcode)
            raise
        except Exception as e:
            error_handler.record_exception(e)
            raise

    return wrapper
