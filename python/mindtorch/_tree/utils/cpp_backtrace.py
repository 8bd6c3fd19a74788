"""The C++ stack, which the extension cannot tell."""


def get_cpp_backtrace(frames_to_skip=0, maximum_number_of_frames=64) -> str:
    """Not available here: NotImplementedError."""
    raise NotImplementedError("get_cpp_backtrace: this build keeps no C++ frame information")
