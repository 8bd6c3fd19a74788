"""spawn: runs a function in several processes, and raises here what any of them raised."""

import ctypes
import logging
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
log = logging.getLogger(__name__)

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "spawn",
    "SpawnContext",
    "start_processes",
]

_PR_SET_PDEATHSIG = 1


class ProcessException(Exception):
    """A process of `spawn` failed: which, and its pid."""

    __slots__ = ["error_index", "error_pid"]

    def __init__(self, msg: str, error_index: int, error_pid: int):
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = error_pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process raised; the message has its traceback."""


class ProcessExitedException(ProcessException):
    """A process exited with a code, or was killed by a signal."""

    __slots__ = ["exit_code"]

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ):
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _prctl_pr_set_pdeathsig(number) -> None:
    """Asks the kernel (Linux) to signal this process when its parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def _wrap(fn, i, args, error_file):
    _prctl_pr_set_pdeathsig(signal.SIGINT)
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        # The parent was interrupted too.
        pass
    except Exception:
        import traceback

        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        sys.exit(1)


class ProcessContext:
    """The processes of one `start_processes`."""

    def __init__(self, processes, error_files):
        self.error_files = error_files
        self.processes = processes
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self):
        return [int(process.pid) for process in self.processes]

    def _join_procs_with_timeout(self, timeout: float):
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def _first_failed(self, ready):
        for sentinel in ready:
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                return index
        return None

    def _stop_all(self, grace_period):
        if grace_period is not None:
            self._join_procs_with_timeout(grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Terminating process %s via signal SIGTERM", process.pid)
                process.terminate()
        self._join_procs_with_timeout(30 if grace_period is None else grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning(
                    "Unable to shutdown process %s via SIGTERM , forcefully exiting via SIGKILL", process.pid
                )
                process.kill()
            process.join()

    def join(self, timeout: float | None = None, grace_period: float | None = None):
        """True once all ended well, False at a timeout; at a failure stops the others and raises."""
        if not self.sentinels:
            return True
        ready = multiprocessing.connection.wait(self.sentinels.keys(), timeout=timeout)
        failed = self._first_failed(ready)
        if failed is None:
            return not self.sentinels
        self._stop_all(grace_period)
        self._raise_for(failed)

    def _raise_for(self, index):
        process, error_file = self.processes[index], self.error_files[index]
        if os.access(error_file, os.R_OK):
            with open(error_file, "rb") as file:
                trace = pickle.load(file)
            message = f"\n\n-- Process {index:d} terminated with the following error:\n{trace}"
            raise ProcessRaisedException(message, index, process.pid)
        code = process.exitcode
        if code >= 0:
            raise ProcessExitedException(
                f"process {index:d} terminated with exit code {code:d}",
                error_index=index,
                error_pid=process.pid,
                exit_code=code,
            )
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        raise ProcessExitedException(
            f"process {index:d} terminated with signal {name}",
            error_index=index,
            error_pid=process.pid,
            exit_code=code,
            signal_name=name,
        )


class SpawnContext(ProcessContext):
    """Old name of ProcessContext."""

    def __init__(self, processes, error_files):
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, error_files)


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Runs `fn(i, *args)` in `nprocs` processes; with `join` waits for them."""
    context = multiprocessing.get_context(start_method)

    def start(index):
        # Only the name: the file exists once there is an error to tell.
        handle, path = tempfile.mkstemp(prefix="pytorch-errorfile-", suffix=".pickle")
        os.close(handle)
        os.unlink(path)
        process = context.Process(target=_wrap, args=(fn, index, args, path), daemon=daemon)
        process.start()
        return process, path

    if start_method == "forkserver" and os.environ.get(ENV_VAR_PARALLEL_START, "0") == "1":
        with ThreadPoolExecutor(max_workers=nprocs) as executor:
            started = list(executor.map(start, range(nprocs)))
    else:
        started = [start(index) for index in range(nprocs)]
    running = ProcessContext([process for process, _ in started], [path for _, path in started])
    if not join:
        return running
    while not running.join():
        pass
    return None


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Runs `fn(index, *args)` in `nprocs` new processes; when one fails, ends the others and raises."""
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\n"
            "To use a different start_method use:\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
