"""Returns the C++ stack, which the extension does not know."""


def get_cpp_backtrace(frames_to_skip=0, maximum_number_of_frames=64) -> str:
    """Raises NotImplementedError: this build keeps no information about C++ frames.

    Args:
        frames_to_skip (int): how many of the innermost frames to leave out. Default: ``0``.
        maximum_number_of_frames (int): how many frames to tell. Default: ``64``.

    Returns:
        str: the frames, in torch.

    Raises:
        NotImplementedError: always.

    Example:
        >>> from torch.utils.cpp_backtrace import get_cpp_backtrace
        >>> get_cpp_backtrace()
        Traceback (most recent call last):
        NotImplementedError: get_cpp_backtrace: this build keeps no C++ frame information
    """
    raise NotImplementedError("get_cpp_backtrace: this build keeps no C++ frame information")
