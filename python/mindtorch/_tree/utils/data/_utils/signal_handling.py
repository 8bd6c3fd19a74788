"""Detects the death of a worker process immediately: a SIGCHLD handler checks the workers of all live loaders."""

import os
import signal
import threading
from multiprocessing import util

from . import IS_WINDOWS

_worker_pids: dict[int, set[int]] = {}
_SIGCHLD_handler_set = False


def _set_worker_pids(key: int, child_pids: tuple[int, ...]) -> None:
    _worker_pids[key] = set(child_pids)


def _remove_worker_pids(key: int) -> None:
    _worker_pids.pop(key, None)


def _set_worker_signal_handlers() -> None:
    """A worker must not run handlers that its parent installed."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _error_if_any_worker_fails() -> None:
    if util.is_exiting():  # the interpreter is shutting them down
        return
    for pids in _worker_pids.values():
        for pid in pids:
            try:
                # WNOWAIT leaves reaping the child to multiprocessing.
                status = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                continue
            if status is None:
                continue
            if status.si_code == os.CLD_EXITED and status.si_status != 0:
                pids.clear()
                raise RuntimeError(
                    f"DataLoader worker (pid(s) {pid}) exited unexpectedly with exit code {status.si_status}. Details "
                    "are lost due to multiprocessing. Rerunning with num_workers=0 may give better error trace."
                )
            if status.si_code in (os.CLD_KILLED, os.CLD_DUMPED):
                pids.clear()
                name = signal.strsignal(status.si_status)
                hint = ""
                if status.si_status == signal.SIGBUS:
                    hint = (
                        "It is possible that dataloader's workers are out of shared memory. Please try to raise your "
                        "shared memory limit."
                    )
                raise RuntimeError(f"DataLoader worker (pid {pid}) is killed by signal: {name}. {hint}")


def _set_SIGCHLD_handler() -> None:
    global _SIGCHLD_handler_set
    on_main_thread = threading.current_thread() is threading.main_thread()
    if IS_WINDOWS or _SIGCHLD_handler_set or not on_main_thread:
        return
    previous = signal.getsignal(signal.SIGCHLD)

    def handler(signum, frame) -> None:
        _error_if_any_worker_fails()
        if callable(previous):
            previous(signum, frame)

    signal.signal(signal.SIGCHLD, handler)
    _SIGCHLD_handler_set = True
