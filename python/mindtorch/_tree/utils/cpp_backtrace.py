"""The C++ stack, where the extension can tell it."""

from .. import _C


def get_cpp_backtrace(frames_to_skip=0, maximum_number_of_frames=64) -> str:
    if not hasattr(_C, "_get_cpp_backtrace"):
        raise NotImplementedError("get_cpp_backtrace: this build keeps no C++ frame information")
    return _C._get_cpp_backtrace(frames_to_skip, maximum_number_of_frames)
