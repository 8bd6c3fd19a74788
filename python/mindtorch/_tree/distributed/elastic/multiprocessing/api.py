"""The workers of one node: their output files, their state, and their end."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from enum import IntFlag
from multiprocessing import get_context

from ..utils.logging import get_logger
from .errors import ProcessFailure, record

logger = get_logger(__name__)


class SignalException(Exception):
    """Raised when a signal told this process to end.

    Args:
        msg (str): the text.
        sigval (signal.Signals): the signal.
    """

    def __init__(self, msg: str, sigval: signal.Signals):
        super().__init__(msg)
        self.sigval = sigval


def _raise_signal_exception(signum, frame):
    sigval = signal.Signals(signum)
    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval)


class Std(IntFlag):
    """Selects a worker's streams: NONE, OUT, ERR, or ALL for both."""

    NONE = 0
    OUT = 1
    ERR = 2
    ALL = OUT | ERR

    @classmethod
    def from_str(cls, vm: str) -> Std | dict[int, Std]:
        """Parses what goes to log files.

        Args:
            vm (str): "0" to "3" for all workers, or "0:1,1:2" by local rank.

        Returns:
            Std or dict[int, Std]: the streams.

        Raises:
            ValueError: when the text is neither.
        """
        value, mapping = r"^[0123]$", r"^(\d:[0123],)*(\d:[0123])$"
        if re.match(value, vm):
            return cls(int(vm))
        if re.match(mapping, vm):
            return {int(pair[0]): cls(int(pair[2])) for pair in vm.split(",")}
        raise ValueError(f"{vm} does not match: <{value}> or <{mapping}>")


class DefaultLogsSpecs:
    """Says where workers' output goes: <log_dir>/<run id>_<random>/attempt_<restarts>/<local rank>.

    Args:
        log_dir (str, optional): the folder. Default: a new temporary one.
        redirects (Std or dict[int, Std]): streams that go to files only. Default: ``Std.NONE``.
        tee (Std or dict[int, Std]): streams that go to files and the console. Default: ``Std.NONE``.
        local_ranks_filter (set[int], optional): the workers that the console shows. Default: all.

    Raises:
        NotADirectoryError: when `log_dir` is a file.
    """

    def __init__(self, log_dir=None, redirects=Std.NONE, tee=Std.NONE, local_ranks_filter=None):
        if log_dir and os.path.isfile(log_dir):
            raise NotADirectoryError(f"log_dir: {log_dir} is a file")
        self.root_log_dir = log_dir or tempfile.mkdtemp(prefix="torchelastic_")
        self._streams, self._filter, self._run = (redirects, tee), local_ranks_filter, None

    def _choose_log_files(self, env):
        """Returns, for stdout and stderr of a worker, its file ("" for the console), and whether the console shows
        the file too."""
        rank, root = int(env["LOCAL_RANK"]), self.root_log_dir
        if self._run is None and root != os.devnull:
            os.makedirs(root, exist_ok=True)
            self._run = tempfile.mkdtemp(prefix=f"{env['TORCHELASTIC_RUN_ID']}_", dir=root)
        folder = f"{self._run}/attempt_{env['TORCHELASTIC_RESTART_COUNT']}/{rank}"
        env["TORCHELASTIC_ERROR_FILE"] = f"{folder}/error.json" if self._run else ""
        if self._run:
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        file, tee = (given if isinstance(given, Std) else given.get(rank, Std.NONE) for given in self._streams)
        shown = not self._filter or rank in self._filter
        for std, name in (Std.OUT, "stdout"), (Std.ERR, "stderr"):
            if (file | tee) & std and self._run:
                yield f"{folder}/{name}.log", bool(tee & std and shown)
            else:
                yield "" if shown else os.devnull, False


@dataclass
class RunProcsResult:
    """How the workers ended.

    Args:
        return_values (dict): what functions returned, by local rank.
        failures (dict[int, ProcessFailure]): those that failed, by local rank.
    """

    return_values: dict
    failures: dict[int, ProcessFailure]

    def is_failed(self) -> bool:
        """Returns whether any worker failed."""
        return bool(self.failures)


def _copy_growing_file(header, path, stream, finished):
    """Copies the lines of a growing file, each with a prefix."""
    with open(path, errors="replace") as file:
        ended = False
        while not ended:
            ended = finished.wait(0.1)
            for line in file:
                stream.write(header + line)


def _run_function_in_worker(fn, args, env, files, returned):
    """A worker process: redirects its streams to files before it prints."""
    os.environ.update(env)
    for number, path in enumerate(files, 1):
        if path:
            with open(path, "wb") as file:
                os.dup2(file.fileno(), number)
    returned.put(record(fn)(*args))


class PContext:
    """Workers that run: a program each, in a session of its own, or a function in a process.

    Args:
        name (str): prefix of their lines on the console.
        entrypoint (Callable or str): a function, or the path of a program.
        args (dict[int, tuple]): arguments by local rank.
        envs (dict[int, dict[str, str]]): environments by local rank.
        logs_specs (DefaultLogsSpecs): where output goes.
        log_line_prefixes (dict[int, str] or None): prefixes of lines by local rank.
        start_method (str): how processes of functions start.
    """

    def __init__(self, name, entrypoint, args, envs, logs_specs, log_line_prefixes, start_method):
        if threading.current_thread() is threading.main_thread():
            for word in os.environ.get("TORCHELASTIC_SIGNALS_TO_HANDLE", "SIGTERM,SIGINT,SIGHUP,SIGQUIT").split(","):
                try:
                    signal.signal(getattr(signal, word.strip()), _raise_signal_exception)
                except (AttributeError, ValueError):
                    logger.warning("Failed to register signal handler for %s", word, exc_info=True)
        else:
            logger.warning(
                "Failed to register signal handlers since torchelastic is running on a child thread. "
                "This could lead to orphaned worker processes if the torchrun is terminated."
            )
        self.envs, self._is_program, self._what = envs, isinstance(entrypoint, str), f"binary: {entrypoint}"
        if not self._is_program:
            self._what = f"fn: {entrypoint.__qualname__} (start_method: {start_method})"
        self._processes, self._failures, self._queues, self._values = [], {}, [], {}
        self._finished, self._tails = threading.Event(), []
        for rank, env in sorted(envs.items()):
            (out, tee_out), (err, tee_err) = logs_specs._choose_log_files(env)
            if self._is_program:
                streams = [path and open(path, "w") for path in (out, err)]  # noqa: SIM115
                command = [entrypoint, *map(str, args[rank])]
                out_file, err_file = (stream or None for stream in streams)
                process = subprocess.Popen(
                    command, env={**os.environ, **env}, stdout=out_file, stderr=err_file, start_new_session=True
                )
            else:
                context = get_context(start_method)
                self._queues.append(context.SimpleQueue())
                work = entrypoint, args[rank], env, (out, err), self._queues[rank]
                process = context.Process(target=_run_function_in_worker, args=work)
                process.start()
            self._processes.append(process)
            for path, stream, tee in (out, sys.stdout, tee_out), (err, sys.stderr, tee_err):
                if tee:
                    open(path, "a").close()
                    header = (log_line_prefixes or {}).get(rank, f"[{name}{rank}]:")
                    tail = threading.Thread(
                        target=_copy_growing_file, args=(header, path, stream, self._finished), daemon=True
                    )
                    self._tails.append(tail)
                    tail.start()

    def _list_running_workers(self):
        """Returns the running workers; records those that failed."""
        running = []
        for rank, process in enumerate(self._processes):
            code = process.poll() if self._is_program else process.exitcode
            if code is None:
                running.append(process)
            elif code != 0 and rank not in self._failures:
                path = self.envs[rank]["TORCHELASTIC_ERROR_FILE"]
                self._failures[rank] = ProcessFailure(rank, process.pid, code, path)
        return running

    def wait(self, timeout: float = -1, period: float = 1) -> RunProcsResult | None:
        """Waits until all workers have ended, or one failed and the others were ended.

        Args:
            timeout (float): seconds to wait; negative: no limit. Default: ``-1``.
            period (float): seconds between two looks. Default: ``1``.

        Returns:
            RunProcsResult or None: how they ended; None where `timeout` has passed.
        """
        end = time.monotonic() + (timeout if timeout >= 0 else float("inf"))
        while self._list_running_workers() and not self._failures:
            self._receive_results()
            if time.monotonic() >= end:
                return None
            time.sleep(period)
        self._receive_results()
        self.close()
        if self._failures:
            first = min(self._failures.values(), key=lambda failure: failure.timestamp)
            text = "failed (exitcode: %s) local_rank: %s (pid: %s) of %s"
            logger.error(text, first.exitcode, first.local_rank, first.pid, self._what)
        return RunProcsResult({} if self._failures else dict(sorted(self._values.items())), self._failures)

    def _receive_results(self):
        """Receives the functions' results: a worker with a large result waits until somebody reads it."""
        for rank, queue in enumerate(self._queues):
            if not queue.empty():
                self._values[rank] = queue.get()

    def pids(self) -> dict[int, int]:
        """Returns the process ids by local rank."""
        return {rank: process.pid for rank, process in enumerate(self._processes)}

    def close(self, death_sig: signal.Signals = signal.SIGTERM, timeout: int = 30) -> None:
        """Ends the workers that run.

        Args:
            death_sig (signal.Signals): the first signal. Default: SIGTERM.
            timeout (int): seconds until SIGKILL follows. Default: ``30``.
        """
        for number in death_sig, signal.SIGKILL:
            for process in self._list_running_workers():
                if number == death_sig:
                    logger.warning("Sending process %s closing signal %s", process.pid, number.name)
                else:
                    text = "Unable to shutdown process %s via %s, forcefully exiting via %s"
                    logger.warning(text, process.pid, death_sig, number)
                try:
                    (os.killpg if self._is_program else os.kill)(process.pid, number)
                except ProcessLookupError:  # it has just ended
                    pass
            end = time.monotonic() + timeout
            while self._list_running_workers() and time.monotonic() < end:
                time.sleep(0.01)
        self._finished.set()
        for tail in self._tails:
            tail.join()


def start_processes(name, entrypoint, args, envs, logs_specs, log_line_prefixes=None, start_method="spawn") -> PContext:
    """Starts workers.

    Args:
        name (str): prefix of their lines on the console.
        entrypoint (Callable or str): a function, or the path of a program.
        args (dict[int, tuple]): arguments by local rank.
        envs (dict[int, dict[str, str]]): environments by local rank.
        logs_specs (DefaultLogsSpecs): where output goes.
        log_line_prefixes (dict[int, str], optional): prefixes of lines by local rank.
        start_method (str): how processes of functions start. Default: ``"spawn"``.

    Returns:
        PContext: the workers.
    """
    return PContext(name, entrypoint, args, envs, logs_specs, log_line_prefixes, start_method)
