"""Parts of DataLoader: fetching, collating, workers, and monitoring of workers."""

import atexit
import sys

IS_WINDOWS = sys.platform == "win32"

# How often, in seconds, a process that waits for another one checks that it still exists.
MP_STATUS_CHECK_INTERVAL = 5.0

# True once the interpreter shuts down: queues and processes must not be used any more.
python_exit_status = False


def _set_python_exit_flag() -> None:
    global python_exit_status
    python_exit_status = True


atexit.register(_set_python_exit_flag)

from . import collate, fetch, pin_memory, pipes, signal_handling, worker  # noqa: E402
