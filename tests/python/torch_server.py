"""Runs programs on real torch without an import for each: a server imports it once, and forks a process per program.

A program sees a fresh `__main__`, its own folder, environment and outputs. The server first imports those modules of
torch that the program imports. The program computes on one thread. A program that changes how torch is imported needs
an interpreter of its own.
"""

import array
import ast
import atexit
import builtins
import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import types

_server = _connection = None
_lock = threading.Lock()


class Program:
    """A running program: the part of subprocess.Popen that the tests use, with text outputs."""

    def __init__(self, code, path=None, env=None, cwd=None):
        """code: what `python -c` would run; path: the script that it comes from."""
        self.returncode = None
        outputs = [os.pipe() for _ in range(3)]
        env = dict(os.environ if env is None else env)
        request = {"code": code, "path": path, "cwd": str(cwd or os.getcwd()), "env": env}
        _send_request(request, [write for _read, write in outputs])
        for _read, write in outputs:
            os.close(write)
        out, error, self._status = [open(read) for read, _write in outputs]  # noqa: SIM115 - closed by communicate
        self._texts = ["", ""]
        places = enumerate((out, error))
        self._readers = [threading.Thread(target=self._read_stream, args=place, daemon=True) for place in places]
        for reader in self._readers:
            reader.start()
        self.pid = int(self._status.readline())

    def _read_stream(self, place, file):
        with file:
            self._texts[place] = file.read()

    def communicate(self, timeout=None):
        """Waits for the end; returns the outputs. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        for reader in self._readers:
            reader.join(None if deadline is None else max(0, deadline - time.monotonic()))
            if reader.is_alive():
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
        if self.returncode is None:
            with self._status:
                self.returncode = int(self._status.readline())
        return tuple(self._texts)

    def kill(self):
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def start_program(code, cwd=None, timeout=240):
    """Runs code to its end, as subprocess.run does; a program that takes longer is killed."""
    program = Program(code, cwd=cwd)
    try:
        out, error = program.communicate(timeout)
    finally:
        program.kill()
    return subprocess.CompletedProcess([], program.returncode, out, error)


def _send_request(request, files):
    global _server, _connection
    with _lock:
        if _server is None:
            _connection, theirs = socket.socketpair()
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}
            environment.pop("MINDTORCH_AS_TORCH", None)
            command = [sys.executable, __file__, str(theirs.fileno())]
            _server = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL)
            theirs.close()
            atexit.register(_connection.close)
        data = json.dumps(request).encode()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]
        _connection.sendmsg([len(data).to_bytes(8, "little")], rights)
        _connection.sendall(data)


def _serve_requests(connection):
    """Starts what the connection asks for until it is closed. Returns a request, in the process that shall run it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that wait for programs
    while True:
        header, files, _flags, _address = socket.recv_fds(connection, 8, 3)
        if not header:
            os._exit(0)
        request = json.loads(connection.recv(int.from_bytes(header, "little"), socket.MSG_WAITALL))
        _import_modules_of(request["code"])
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            connection.close()
            child = os.fork()
            if child == 0:
                os.dup2(files[0], 1)
                os.dup2(files[1], 2)
                for file in files:
                    os.close(file)
                return request
            for file in files[:2]:
                os.close(file)
            os.write(files[2], b"%d\n" % child)
            os.write(files[2], b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            os._exit(0)
        for file in files:
            os.close(file)


def _import_modules_of(code):
    """Imports the modules of torch that a program names, so that the next program need not."""
    for node in ast.walk(ast.parse(code)):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        for name in names:
            if name and name.startswith("torch."):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)


def _run_as_main(request):
    """Runs a program as the `__main__` of this process."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    path, code = request["path"], request["code"]
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __spec__=None, **({"__file__": path} if path else {}))
    sys.modules["__main__"] = main
    sys.argv = [path or "-c"]
    sys.path[0] = os.path.dirname(path) if path else ""
    status = 1
    try:
        exec(compile(code, path or "<string>", "exec"), main.__dict__)
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    # What an interpreter does at its end, but for freeing all of torch.
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    import torch  # noqa: F401 - for the programs

    _run_as_main(_serve_requests(socket.socket(fileno=int(sys.argv[1]))))
