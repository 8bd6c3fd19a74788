"""torch.utils.cpp_extension: extensions against libtorch's C++ classes, which are not here; programs use the C ABI."""

from .._absent_device import refuse_all

__all__ = ["include_paths", "load", "load_inline", "is_ninja_available", "verify_ninja_availability"]

_TEXT = (
    "torch.utils.cpp_extension.{name}: there is no libtorch to build against; use mindtorch's C ABI "
    "(python -m mindtorch --cmake-dir)"
)
refuse_all(
    __name__,
    (
        "include_paths(device_type='cpu')",
        "load(name, sources, extra_cflags=None, extra_cuda_cflags=None, extra_sycl_cflags=None, extra_ldflags=None, "
        "extra_include_paths=None, build_directory=None, verbose=False, with_cuda=None, with_sycl=None, "
        "is_python_module=True, is_standalone=False, keep_intermediates=True)",
        "load_inline(name, cpp_sources, cuda_sources=None, sycl_sources=None, functions=None, extra_cflags=None, "
        "extra_cuda_cflags=None, extra_sycl_cflags=None, extra_ldflags=None, extra_include_paths=None, "
        "build_directory=None, verbose=False, with_cuda=None, with_sycl=None, is_python_module=True, "
        "with_pytorch_error_handling=True, keep_intermediates=True, use_pch=False, no_implicit_headers=False)",
    ),
    NotImplementedError,
    _TEXT,
)


def is_ninja_available() -> bool:
    """Returns whether the ninja build program can be run.

    Returns:
        bool: whether it can.
    """
    import subprocess

    try:
        subprocess.check_output("ninja --version".split())
    except Exception:
        return False
    return True


def verify_ninja_availability() -> None:
    """Raises RuntimeError where ninja is not installed.

    Returns:
        None.
    """
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")
