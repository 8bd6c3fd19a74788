"""torch._utils_internal: where files of a test are found and written."""

import os
import tempfile

from ._root import torch


def get_file_path(*path_components: str) -> str:
    """Returns a path inside the installed package.

    Args:
        *path_components (str): its parts.

    Returns:
        str: the path.
    """
    return os.path.join(os.path.dirname(torch.__file__), *path_components)


def get_file_path_2(*path_components: str) -> str:
    """Returns the path of parts.

    Args:
        *path_components (str): its parts.

    Returns:
        str: the path.
    """
    return os.path.join(*path_components)


def get_writable_path(path: str) -> str:
    """Returns a path if it may be written, otherwise a new temporary folder.

    Args:
        path (str): the path.

    Returns:
        str: it, or the folder's path.
    """
    return path if os.access(path, os.W_OK) else tempfile.mkdtemp(suffix=os.path.basename(path))
