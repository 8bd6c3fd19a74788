"""Names of shared memory outlive killed processes: a small process removes them when all who could are gone."""

import os
import subprocess
import sys

# Reads names until the last process ends that has the pipe; from time to time it drops those that are gone already.
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
            # In a session of its own: a signal that ends this process's group must not end the watcher.
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
    """Has a name removed once no process of this family is left; sharing works without, but names may stay behind."""
    if not sys.executable:
        return
    try:
        _Watcher.tell(name)
    except OSError:  # someone has closed the pipe or ended the watcher, or there is room for neither
        _Watcher.pipe = None
