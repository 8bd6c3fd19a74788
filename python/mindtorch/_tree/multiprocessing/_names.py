"""Names of shared memory outlive killed processes: a watcher process removes them when no user is left."""

import os
import subprocess
import sys

# Program of the watcher process. It reads names of shared memory from a pipe until the last process that can write to
# the pipe ends. From time to time it forgets names that no longer exist.
_WATCHER = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
files, limit = set(), 4096
for name in sys.stdin.buffer:
    files.add(b"/dev/shm" + name.strip())
    if len(files) > limit:
        files = set(filter(os.path.exists, files))
        limit = max(4096, 2 * len(files))
for file in filter(os.path.exists, files):
    try:
        os.unlink(file)
    except OSError:
        pass
"""


class _Watcher:
    """The process that removes names, and the pipe to it, which forked processes share."""

    process = pipe = None

    @classmethod
    def start(cls):
        read, write = os.pipe()
        try:
            # In its own session: a signal to this process's group must not end the watcher.
            cls.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WATCHER],
                stdin=read,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            os.close(write)
            raise
        finally:
            os.close(read)
        cls.pipe = write

    @classmethod
    def tell(cls, name):
        if cls.pipe is None:
            cls.start()
        os.write(cls.pipe, name.encode() + b"\n")


def prepare():
    """Starts the watcher now, so that processes that are forked later share it and may end before their receivers."""
    if _Watcher.pipe is None and sys.executable:
        try:
            _Watcher.start()
        except OSError:
            pass  # as below


def watch_over(name):
    """Lets the watcher remove a name when no process of this family is left; without it, sharing works but names may
    remain."""
    if not sys.executable:
        return
    try:
        _Watcher.tell(name)
    except OSError:  # the pipe was closed or the watcher was killed, or neither fits
        _Watcher.pipe = None
