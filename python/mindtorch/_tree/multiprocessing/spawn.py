"""spawn: runs a function in several processes, and raises any of their exceptions in the parent."""

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
    "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "spawn", "SpawnContext",
    "start_processes",
]

_PR_SET_PDEATHSIG = 1


class ProcessException(Exception):
    """A process of `spawn` failed.

    Args:
        msg (str): the message.
        error_index (int): which process.
        error_pid (int): its process id.
    """

    __slots__ = ["error_index", "error_pid"]

    def __init__(self, msg: str, error_index: int, error_pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def _constructor_arguments(self):
        return self.msg, self.error_index, self.error_pid

    def __reduce__(self):
        # Pickle would rebuild an exception from its message alone.
        return type(self), self._constructor_arguments()


class ProcessRaisedException(ProcessException):
    """Raised if a process of `spawn` raised an exception; the message contains its traceback."""


class ProcessExitedException(ProcessException):
    """A process of `spawn` exited with a code, or was killed by a signal.

    Args:
        msg (str): the message.
        error_index (int): which process.
        error_pid (int): its process id.
        exit_code (int): its exit code; negative for signals.
        signal_name (str, optional): name of the signal.
    """

    __slots__ = ["exit_code"]

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def _constructor_arguments(self):
        return *super()._constructor_arguments(), self.exit_code, self.signal_name


def _prctl_pr_set_pdeathsig(number) -> None:
    """Asks the kernel (Linux) to signal this process when its parent exits."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def _wrap(fn, i, args, error_file):
    _prctl_pr_set_pdeathsig(signal.SIGINT)
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        # The parent process received the interrupt as well.
        pass
    except Exception:
        import traceback

        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        sys.exit(1)


def _signal_name(number) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"<Unknown signal {number}>"


class ProcessContext:
    """The processes of one call of `start_processes`.

    Args:
        processes (list of Process): the processes.
        error_files (list of str): where each leaves its traceback.
    """

    def __init__(self, processes, error_files):
        self.error_files = error_files
        self.processes = processes
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self):
        """Returns the process ids.

        Returns:
            list of int: the ids.
        """
        return [int(process.pid) for process in self.processes]

    def _join_procs_with_timeout(self, timeout: float):
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def _find_first_failed(self, ready):
        for sentinel in ready:
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                return index
        return None

    def _list_alive(self):
        return [process for process in self.processes if process.is_alive()]

    def _stop_all(self, grace_period):
        """Waits for the processes until the timeout, then sends the rest SIGTERM, and finally SIGKILL."""
        patience = 30 if grace_period is None else grace_period
        if grace_period is not None:
            self._join_procs_with_timeout(grace_period)
        for process in self._list_alive():
            log.warning("Terminating process %s via signal SIGTERM", process.pid)
            process.terminate()
        self._join_procs_with_timeout(patience)
        for process in self._list_alive():
            log.warning("Unable to shutdown process %s via SIGTERM , forcefully exiting via SIGKILL", process.pid)
            process.kill()
        for process in self.processes:
            process.join()

    def join(self, timeout: float | None = None, grace_period: float | None = None):
        """Waits for processes to end; at a failure ends the others and raises.

        Args:
            timeout (float, optional): seconds to wait. Default: no limit.
            grace_period (float, optional): seconds that the others get to end by themselves after a
                failure.

        Returns:
            bool: True once all have ended well; else call it again.

        Raises:
            ProcessRaisedException: when a process raised.
            ProcessExitedException: when a process exited otherwise.
        """
        if not self.sentinels:
            return True
        ready = multiprocessing.connection.wait(self.sentinels.keys(), timeout=timeout)
        failed = self._find_first_failed(ready)
        if failed is None:
            return not self.sentinels
        self._stop_all(grace_period)
        self._raise_error_of_process(failed)

    def _raise_error_of_process(self, index):
        process, error_file = self.processes[index], self.error_files[index]
        if os.access(error_file, os.R_OK):
            with open(error_file, "rb") as file:
                trace = pickle.load(file)
            message = f"\n\n-- Process {index:d} terminated with the following error:\n{trace}"
            raise ProcessRaisedException(message, index, process.pid)
        code = process.exitcode
        name = _signal_name(-code) if code < 0 else None
        end = f"exit code {code:d}" if name is None else f"signal {name}"
        raise ProcessExitedException(f"process {index:d} terminated with {end}", index, process.pid, code, name)


class SpawnContext(ProcessContext):
    """The old name of ProcessContext.

    Args:
        processes (list of Process): the processes.
        error_files (list of str): where each leaves its traceback.
    """

    def __init__(self, processes, error_files):
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, error_files)


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Runs ``fn(i, *args)`` for i = 0, 1, ... in several processes.

    Args:
        fn (callable): the function; at the top level of a module, since it is pickled (unless forked).
        args (tuple): its further arguments. Default: ``()``.
        nprocs (int): number of processes. Default: ``1``.
        join (bool): waits for all of them. Default: ``True``.
        daemon (bool): processes end with this one. Default: ``False``.
        start_method (str): ``"spawn"``, ``"fork"`` or ``"forkserver"``. Default: ``"spawn"``.

    Returns:
        ProcessContext or None: None with `join`.

    Raises:
        ProcessRaisedException: with `join`, when a process raised; the others are ended.
        ProcessExitedException: with `join`, when a process exited otherwise.
    """
    context = multiprocessing.get_context(start_method)

    def start(index):
        # Only reserves a file name: the child creates the file if it has an error to report.
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
    """Runs ``fn(i, *args)`` for i = 0, 1, ... in several new processes.

    When one fails, the others are ended and its error is raised here.

    Args:
        fn (callable): the function; at the top level of a module, since it is pickled.
        args (tuple): its further arguments. Default: ``()``.
        nprocs (int): number of processes. Default: ``1``.
        join (bool): waits for all of them. Default: ``True``.
        daemon (bool): processes end with this one. Default: ``False``.
        start_method (str): ``"spawn"`` only; see `start_processes`. Default: ``"spawn"``.

    Returns:
        ProcessContext or None: None with `join`.

    Raises:
        ProcessRaisedException: with `join`, when a process raised.
        ProcessExitedException: with `join`, when a process exited otherwise.
    """
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\n"
            "To use a different start_method use:\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
