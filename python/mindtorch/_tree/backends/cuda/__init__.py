"""torch.backends.cuda: not available, but contains the choice of attention kernels, which works on the CPU."""

import contextlib
import enum
import warnings
from typing import Any

from .. import _Setting, _require_bool, _require_precision_name
from ..._absent_device import define_missing_as_refusing
from ... import _C

__all__ = [
    "allow_fp16_bf16_reduction_math_sdp",
    "can_use_cudnn_attention",
    "can_use_efficient_attention",
    "can_use_flash_attention",
    "cuBLASModule",
    "cuFFTPlanCacheManager",
    "cudnn_sdp_enabled",
    "cufft_plan_cache",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "fp16_bf16_reduction_math_sdp_allowed",
    "is_built",
    "is_ck_sdpa_available",
    "is_flash_attention_available",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
    "preferred_blas_library",
    "preferred_linalg_library",
    "sdp_kernel",
]


def is_built():
    """Returns whether this build has CUDA: False.

    Returns:
        bool: always False here.
    """
    return False


class _LinalgBackend(enum.Enum):
    """Libraries of linear algebra on CUDA devices."""

    Default, Cusolver, Magma = range(3)


class _BlasBackend(enum.Enum):
    """Libraries of matrix products on CUDA devices."""

    Default, Cublas, Cublaslt, Ck = range(4)


def preferred_linalg_library(backend: "None | str | _LinalgBackend" = None) -> _LinalgBackend:
    """Sets or returns the library of linear algebra on CUDA devices.

    There is none to choose here.

    Args:
        backend (str or _LinalgBackend, optional): ``"default"``, ``"cusolver"`` or ``"magma"``. Default:
            only asks.

    Returns:
        _LinalgBackend: the choice.

    Raises:
        RuntimeError: for a library that is not built, and for other values.

    Example:
        >>> torch.backends.cuda.preferred_linalg_library().name
        'Default'
    """
    names = {"default": _LinalgBackend.Default, "cusolver": _LinalgBackend.Cusolver, "magma": _LinalgBackend.Magma}
    chosen = _choose_backend(backend, names, _LinalgBackend)
    if chosen not in (None, _LinalgBackend.Default):
        name = {_LinalgBackend.Cusolver: "cuSOLVER", _LinalgBackend.Magma: "MAGMA"}[chosen]
        raise RuntimeError(f"Cannot set preferred backend to {name} if PyTorch has not been compiled with {name}.")
    return _LinalgBackend.Default


def preferred_blas_library(backend: "None | str | _BlasBackend" = None) -> _BlasBackend:
    """Sets or returns the library of matrix products on CUDA devices.

    There is none here; the choice is kept for programs that make it.

    Args:
        backend (str or _BlasBackend, optional): ``"default"``, ``"cublas"``, ``"cublaslt"`` or ``"ck"``, or
            ``"hipblas"`` and ``"hipblaslt"`` for the first two. Default: only asks.

    Returns:
        _BlasBackend: the choice.

    Raises:
        RuntimeError: for ``"cublaslt"``, which is not built, and for other values.

    Example:
        >>> torch.backends.cuda.preferred_blas_library().name
        'Cublas'
    """
    global _blas
    names = {
        "default": _BlasBackend.Default,
        "cublas": _BlasBackend.Cublas,
        "hipblas": _BlasBackend.Cublas,
        "cublaslt": _BlasBackend.Cublaslt,
        "hipblaslt": _BlasBackend.Cublaslt,
        "ck": _BlasBackend.Ck,
    }
    chosen = _choose_backend(backend, names, _BlasBackend)
    if chosen is _BlasBackend.Cublaslt:
        raise RuntimeError("Cannot set preferred backend to cuBLASLt if PyTorch has not been compiled with cuBLASLt.")
    _blas = chosen or _blas
    return _BlasBackend.Cublas if _blas is _BlasBackend.Default else _blas


_blas = _BlasBackend.Default


def _choose_backend(backend, names, kind):
    if backend is None or isinstance(backend, kind):
        return backend
    if not isinstance(backend, str):
        raise RuntimeError("Unknown input value type.")
    if backend not in names:
        raise RuntimeError(f"Unknown input value. Choose from: {', '.join(names)}.")
    return names[backend]


class cuFFTPlanCacheManager:
    """Caches of FFT plans by device; there are none, so indexing raises RuntimeError."""

    def __getitem__(self, device):
        index = device if isinstance(device, int) else getattr(device, "index", None)
        raise RuntimeError(
            f"cufft_plan_cache: expected 0 <= device index < 0, but got device with index {index}"
        )

    def __getattr__(self, name):
        raise AssertionError("Torch not compiled with CUDA enabled")


def _read_reduction(value: Any, name: str) -> tuple[bool, bool]:
    """Returns (reduced precision, split-k) from a bool or one or two of them."""
    if isinstance(value, bool):
        return value, True
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} expects a bool or a tuple/list of bools, but got {type(value)!r}")
    if not value:
        raise TypeError(f"{name} expects at least one boolean argument")
    if len(value) > 2:
        raise TypeError(f"{name} expects at most two boolean arguments")
    for entry, which in zip(value, ("allow_reduced_precision", "allow_splitk")):
        if not isinstance(entry, bool):
            raise TypeError(f"{name} expects a bool for {which}, but got {type(entry)!r}")
    return value[0], value[1] if len(value) == 2 else True


class cuBLASModule:
    """Settings of matrix products on CUDA devices; kept for programs that set them.

    Attributes:
        allow_tf32, allow_fp16_accumulation (bool): as set.
        allow_fp16_reduced_precision_reduction, allow_bf16_reduced_precision_reduction (bool): as set,
            by a bool or one or two of them (reduced precision, split-k).
        fp32_precision (str): as set.
    """

    _REDUCTIONS = ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction")

    def __init__(self):
        settings = {
            "allow_tf32": _Setting(False, _require_bool),
            "allow_fp16_accumulation": _Setting(False, _require_bool),
            "fp32_precision": _Setting("none", _require_precision_name),
        }
        for name in self._REDUCTIONS:
            settings[name] = _Setting((True, True))
        object.__setattr__(self, "_settings", settings)

    def __getattr__(self, name):
        base = name.removesuffix("_split_k")
        if base in self._REDUCTIONS:
            return self._settings[base].get()[0 if base == name else 1]
        if name in self._settings:
            return self._settings[name].get()
        raise AttributeError("Unknown attribute " + name)

    def __setattr__(self, name, value):
        if name in self._REDUCTIONS:
            value = _read_reduction(value, name)
        elif name not in self._settings:
            raise AttributeError("Unknown attribute " + name)
        self._settings[name].set(value)


cufft_plan_cache = cuFFTPlanCacheManager()
matmul = cuBLASModule()


def flash_sdp_enabled():
    """Returns whether attention may use flash kernels.

    Returns:
        bool: the setting.
    """
    return _C._get_flash_sdp_enabled()


def enable_flash_sdp(enabled: bool):
    """Sets whether attention may use flash kernels; on the CPU, too.

    Args:
        enabled (bool): whether it may.

    Returns:
        None.
    """
    _C._set_sdp_use_flash(enabled)


def mem_efficient_sdp_enabled():
    """Returns whether attention may use memory-efficient kernels.

    Returns:
        bool: the setting.
    """
    return _C._get_mem_efficient_sdp_enabled()


def enable_mem_efficient_sdp(enabled: bool):
    """Sets whether attention may use memory-efficient kernels.

    Args:
        enabled (bool): whether it may.

    Returns:
        None.
    """
    _C._set_sdp_use_mem_efficient(enabled)


def math_sdp_enabled():
    """Returns whether attention may use plain operators.

    Returns:
        bool: the setting.
    """
    return _C._get_math_sdp_enabled()


def enable_math_sdp(enabled: bool):
    """Sets whether attention may use plain operators; on the CPU, too.

    Args:
        enabled (bool): whether it may.

    Returns:
        None.
    """
    _C._set_sdp_use_math(enabled)


def cudnn_sdp_enabled():
    """Returns whether attention may use cuDNN.

    Returns:
        bool: the setting.
    """
    return _C._get_cudnn_sdp_enabled()


def enable_cudnn_sdp(enabled: bool):
    """Sets whether attention may use cuDNN.

    Args:
        enabled (bool): whether it may.

    Returns:
        None.
    """
    _C._set_sdp_use_cudnn(enabled)


def allow_fp16_bf16_reduction_math_sdp(enabled: bool):
    """Sets whether attention by plain operators sums in half precision for half-precision inputs.

    Args:
        enabled (bool): whether it does; otherwise it sums in float32.

    Returns:
        None.
    """
    _C._set_math_sdp_allow_fp16_bf16_reduction(enabled)


def fp16_bf16_reduction_math_sdp_allowed():
    """Returns whether attention by plain operators sums in half precision for half-precision inputs.

    Returns:
        bool: the setting.
    """
    return _C._get_math_sdp_allow_fp16_bf16_reduction()


def is_flash_attention_available() -> bool:
    """Returns whether CUDA's flash attention was built: False.

    Returns:
        bool: always False here.
    """
    return False


def is_ck_sdpa_available() -> bool:
    """Returns whether composable-kernel attention was built: False.

    Returns:
        bool: always False here.
    """
    return False


def can_use_flash_attention(params, debug: bool = False) -> bool:
    """Returns whether CUDA's flash attention can run on some inputs: False.

    Args:
        params: the inputs.
        debug (bool): ignored. Default: ``False``.

    Returns:
        bool: always False here.
    """
    return False


def can_use_efficient_attention(params, debug: bool = False) -> bool:
    """Returns whether CUDA's memory-efficient attention can run on some inputs: False.

    Args:
        params: the inputs.
        debug (bool): ignored. Default: ``False``.

    Returns:
        bool: always False here.
    """
    return False


def can_use_cudnn_attention(params, debug: bool = False) -> bool:
    """Returns whether cuDNN's attention can run on some inputs: False.

    Args:
        params: the inputs.
        debug (bool): ignored. Default: ``False``.

    Returns:
        bool: always False here.
    """
    return False


@contextlib.contextmanager
def _sdp_kernel(enable_flash, enable_math, enable_mem_efficient, enable_cudnn):
    switches = (
        (flash_sdp_enabled, enable_flash_sdp, enable_flash),
        (math_sdp_enabled, enable_math_sdp, enable_math),
        (mem_efficient_sdp_enabled, enable_mem_efficient_sdp, enable_mem_efficient),
        (cudnn_sdp_enabled, enable_cudnn_sdp, enable_cudnn),
    )
    previous = [read() for read, _, _ in switches]
    try:
        for _, write, value in switches:
            write(value)
        yield {}
    finally:
        for (_, write, _), value in zip(switches, previous):
            write(value)


def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
):
    """Allows some of the attention kernels inside a block; deprecated: `torch.nn.attention.sdpa_kernel`.

    Args:
        enable_flash, enable_math, enable_mem_efficient, enable_cudnn (bool): which. Default: ``True``.

    Returns:
        A context manager.
    """
    warnings.warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please "
        "see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
        stacklevel=2,
    )
    return _sdp_kernel(enable_flash, enable_math, enable_mem_efficient, enable_cudnn)


define_missing_as_refusing(
    __name__,
    {
        "cublas_workspace_size(size=None)": "_cuda_getCublasWorkspaceSize",
        "cublaslt_workspace_size(size=None)": "_cuda_getCublasLtWorkspaceSize",
        "blas_workspace_size(size=None, backend=None)": "_cuda_getCublasWorkspaceSize",
    },
)
