"""Loggers that write torch's lines to stderr: prefixed with level, time, process and source location."""

from __future__ import annotations

import logging
import os
import time


class _Lines(logging.Formatter):
    def format(self, record):
        at = time.strftime("%m%d %H:%M:%S", time.localtime(record.created))
        path = "torch/" + record.pathname.rpartition("_tree/")[2]
        head = f"{record.levelname[0]}{at}.{int(record.msecs):03d}000 {record.process} {path}:{record.lineno}] "
        return head + super().format(record).replace("\n", "\n" + head)


def get_logger(name: str | None = None) -> logging.Logger:
    """Returns a logger that writes level, time, process and file before each line, to stderr.

    Args:
        name (str, optional): its name. Default: the root's.

    Returns:
        Logger: at the level in LOGLEVEL, or WARNING.
    """
    root = logging.getLogger(__name__.rpartition(".elastic")[0])
    if not root.handlers:
        root.addHandler(logging.StreamHandler())
        root.handlers[0].setFormatter(_Lines())
        root.propagate = False
    logger = logging.getLogger(name)
    logger.setLevel(os.environ.get("LOGLEVEL", "WARNING"))
    return logger
