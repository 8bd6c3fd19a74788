"""The root of the tree: what programs import as `torch`. Values live in `_C` or in the modules below."""

from __future__ import annotations

import builtins
import copyreg as _copyreg
import sys
from collections.abc import Callable as _Callable
from importlib import import_module as _import_module
from math import e, inf, nan, pi
from typing import Any as _Any

from .torch_version import __version__

from . import _C
from . import _dispatch_keys

__all__ = [
    "BoolStorage",
    "BoolTensor",
    "ByteStorage",
    "ByteTensor",
    "CharStorage",
    "CharTensor",
    "DoubleStorage",
    "DoubleTensor",
    "FloatStorage",
    "FloatTensor",
    "GradScaler",
    "IntStorage",
    "IntTensor",
    "LongStorage",
    "LongTensor",
    "ShortStorage",
    "ShortTensor",
    "SymBool",
    "SymFloat",
    "SymInt",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "are_deterministic_algorithms_enabled",
    "autocast",
    "compile",
    "cond",
    "enable_grad",
    "export",
    "get_default_device",
    "get_deterministic_debug_mode",
    "get_device_module",
    "get_float32_matmul_precision",
    "get_rng_state",
    "inference_mode",
    "initial_seed",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_storage",
    "is_tensor",
    "is_warn_always_enabled",
    "load",
    "manual_seed",
    "no_grad",
    "save",
    "seed",
    "set_default_device",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_printoptions",
    "set_rng_state",
    "set_warn_always",
    "split",
    "sym_float",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_sqrt",
    "sym_sum",
    "thread_safe_generator",
    "typename",
    "unravel_index",
    "use_deterministic_algorithms",
    "vmap",
]

# Below this line `bool`, `int` and `float` in this file are torch's dtypes; Python's types are builtins.bool and so on.


def _bind_public_names(names):
    """Binds names here and makes those public that torch does: no layouts, formats or base classes."""
    for name, value in names.items():
        globals()[name] = value
        is_constant = builtins.type(value).__name__ in ("layout", "memory_format", "qscheme", "tensortype")
        if name not in __all__ and not is_constant and not name.endswith("Base"):
            __all__.append(name)


def _submodules_of_the_extension(module):
    """Makes `import torch._C._nn` work although the extension is not a package."""
    for name, member in vars(module).items():
        if builtins.type(member) is builtins.type(sys) and member.__name__ == f"{module.__name__}.{name}":
            sys.modules.setdefault(member.__name__, member)
            _submodules_of_the_extension(member)


from . import _processor, _script_types

_bind_public_names({name: getattr(_C, name) for name in dir(_C) if name[0] != "_" and name != "TensorBase"})
_bind_public_names(_C._mt_constants)
_submodules_of_the_extension(_C)
_bind_public_names({"e": e, "inf": inf, "nan": nan, "pi": pi})
newaxis = None
__all__.append("newaxis")

from . import overrides
from ._symint import (
    SymBool,
    SymFloat,
    SymInt,
    sym_float,
    sym_int,
    sym_ite,
    sym_max,
    sym_min,
    sym_not,
    sym_sqrt,
    sym_sum,
)
from . import _symint

globals().update(_symint.MATH)
del _symint
for _symbolic in (SymInt, SymFloat, SymBool):
    _symbolic.__module__ = __name__

from . import _utils
from ._tensor import Tensor

_C._mt_init(sys.modules[__name__])  # from here on tensors made in C are of class Tensor

from . import storage
from .storage import TypedStorage, UntypedStorage, _warn_typed_storage_removal

globals().update(storage._legacy_classes)
_storage_classes = {UntypedStorage, TypedStorage, *storage._legacy_classes.values()}
_tensor_classes = {value for value in _C._mt_constants.values() if builtins.type(value).__name__ == "tensortype"}
_copyreg.pickle(builtins.type(next(iter(_tensor_classes))), lambda kind: kind.__name__)

PRIVATE_OPS = ("unique_dim",)


def _bind_functions(source):
    for name in dir(source):
        if not name.startswith("__") and name not in PRIVATE_OPS and name not in globals():
            function = getattr(source, name)
            function.__module__ = "torch"
            globals()[name] = function
            if name[0] != "_" and name != "segment_reduce":
                __all__.append(name)


_bind_functions(_C._VariableFunctions)
# torch's older names of the products of a sparse matrix with a matrix.
dsmm = spmm = _C._VariableFunctions.mm
hsmm = _C._VariableFunctions.hspmm
saddmm = _C._VariableFunctions.sspaddmm
legacy_contiguous_format = contiguous_format  # noqa: F821 - one of _C's constants

from . import _VF
from . import random, return_types, serialization, types
from ._checks import (
    _as_tensor_fullprec,
    _assert,
    _check,
    _check_index,
    _check_is_size,
    _check_not_implemented,
    _check_tensor_all,
    _check_tensor_all_with,
    _check_type,
    _check_value,
    _check_with,
    _constrain_as_size,
    compiled_with_cxx11_abi,
)
from ._settings import (
    _GLOBAL_DEVICE_CONTEXT,
    _register_device_module,
    are_deterministic_algorithms_enabled,
    get_default_device,
    get_deterministic_debug_mode,
    get_device_module,
    get_float32_matmul_precision,
    is_deterministic_algorithms_warn_only_enabled,
    is_warn_always_enabled,
    set_default_device,
    set_default_dtype,
    set_default_tensor_type,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_warn_always,
    use_deterministic_algorithms,
)
from ._tensor_str import set_printoptions

if __name__ != "torch":
    from . import _root_pickling

    _root_pickling.register()
from .random import get_rng_state, initial_seed, manual_seed, seed, set_rng_state, thread_safe_generator
from .serialization import load, save

_IMPLEMENTED_IN = {f"{__name__}.{_module}" for _module in ("_C", "_checks", "_settings")}
for _name, _public in list(globals().items()):
    if isinstance(_public, builtins.type) or not callable(_public):
        continue
    _module = getattr(_public, "__module__", None)
    if _module in _IMPLEMENTED_IN and not (_name[0] == "_" and _module.endswith("._C")):
        _public.__module__ = __name__
for _symbolic in (sym_not, sym_float, sym_int, sym_max, sym_min, sym_sum, sym_ite, sym_sqrt):
    _symbolic.__module__ = __name__
del _IMPLEMENTED_IN, _module, _name, _public, _symbolic

from . import autograd
from .autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from . import functional
from .functional import *  # the functions that torch writes in Python

_segment_reduce = _C._VariableFunctions.segment_reduce

from ._classes import classes
from ._ops import ops

del annotations  # torch does not have the name of the statement above
torch = sys.modules[__name__]  # torch.torch is torch
sys.modules.setdefault(f"{__name__}.ops", ops)
sys.modules.setdefault(f"{__name__}.classes", classes)


def typename(obj: _Any, /) -> str:
    """Returns the dotted name of an object's type; for tensors the old one, such as ``"torch.FloatTensor"``.

    Args:
        obj (Any): any object; of classes and functions their own name.

    Returns:
        str: the name, with the module unless that is builtins.

    Example:
        >>> torch.typename(torch.tensor([1.0])), torch.typename(1)
        ('torch.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    named = obj if hasattr(obj, "__qualname__") or hasattr(obj, "__name__") else builtins.type(obj)
    module = getattr(named, "__module__", "") or ""
    name = getattr(named, "__qualname__", None) or named.__name__
    return name if module in ("", "builtins") else f"{module}.{name}"


def is_tensor(obj: _Any, /) -> builtins.bool:
    """Returns whether an object is a Tensor, as ``isinstance(obj, torch.Tensor)``.

    Args:
        obj (Any): any object.

    Returns:
        bool: True for a tensor, of a subclass too.

    Example:
        >>> torch.is_tensor(torch.ones(1)), torch.is_tensor([1.0])
        (True, False)
    """
    return isinstance(obj, Tensor)


def is_storage(obj: _Any, /) -> builtins.bool:
    """Returns whether an object is a storage: an UntypedStorage or a TypedStorage.

    Args:
        obj (Any): any object.

    Returns:
        bool: True for a storage.

    Example:
        >>> torch.is_storage(torch.ones(1).untyped_storage())
        True
    """
    return builtins.type(obj) in _storage_classes


def compile(
    model: _Callable | None = None,
    *,
    fullgraph: builtins.bool = False,
    dynamic: builtins.bool | None = None,
    backend: str | _Callable | None = None,
    mode: str | None = None,
    options: dict[str, str | builtins.int | builtins.bool | _Callable] | None = None,
    name: str | None = None,
    disable: builtins.bool = False,
    recompile_limit: builtins.int | None = None,
    isolate_recompiles: builtins.bool = False,
    shapes_spec: _Any = None,
) -> _Callable:
    """Returns the model unchanged, or without one a decorator that does: this library has no compiler.

    Arguments are checked as far as they exclude each other; programs written for a compiler run
    eagerly.

    Args:
        model (callable, optional): a module or function.
        fullgraph (bool): ignored. Default: ``False``.
        dynamic (bool, optional): ignored.
        backend (str or callable, optional): ignored.
        mode (str, optional): ignored; excludes `options`.
        options (dict, optional): ignored; excludes `mode`.
        name (str, optional): ignored.
        disable (bool): ignored. Default: ``False``.
        recompile_limit (int, optional): ignored.
        isolate_recompiles (bool): ignored. Default: ``False``.
        shapes_spec (optional): ignored.

    Returns:
        callable: `model` itself, or a decorator.

    Raises:
        RuntimeError: when both `mode` and `options` are given.

    Example:
        >>> def double(x):
        ...     return x * 2
        >>> torch.compile(double)(torch.tensor([1.0]))
        tensor([2.])
    """
    if model is None:
        return lambda model: compile(model, mode=mode, options=options)
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    return model


_lazy_modules = {
    "__config__", "__future__", "_classes", "_compile", "_decomp", "_dispatch", "_dynamo", "_functorch", "_guards",
    "_higher_order_ops", "_inductor", "_jit_internal", "_library", "_linalg_utils", "_lobpcg", "_logging", "_lowrank",
    "_ops", "_prims_common", "_refs", "_subclasses", "_tensor_str", "_vmap_internals", "_weights_only_unpickler",
    "accelerator", "amp", "ao", "backends", "compiler", "cpu", "cuda", "distributed", "distributions", "export", "fft",
    "func", "futures", "fx", "hub", "jit", "library", "linalg", "masked", "mps", "mtia", "multiprocessing", "nested",
    "nn", "npu", "onnx", "optim", "profiler", "quantization", "quasirandom", "signal", "sparse", "special", "testing",
    "torch_version", "utils", "version", "xpu",
}  # fmt: skip
_lazy_names = {
    "_nested_compute_contiguous_strides_offsets": "nested._functions",
    "_nested_from_padded": "nested._functions",
    "_nested_from_padded_and_nested_example": "nested._functions",
    "_nested_from_padded_tensor": "nested._functions",
    "_nested_get_jagged_dummy": "nested._functions",
    "_nested_get_lengths": "nested._functions",
    "_nested_get_max_seqlen": "nested._functions",
    "_nested_get_min_seqlen": "nested._functions",
    "_nested_get_offsets": "nested._functions",
    "_nested_get_ragged_idx": "nested._functions",
    "_nested_get_values": "nested._functions",
    "_nested_tensor_from_mask": "nested._functions",
    "_nested_tensor_from_mask_left_aligned": "nested._functions",
    "_nested_tensor_from_tensor_list": "nested._functions",
    "_nested_view_from_buffer": "nested._functions",
    "_nested_view_from_jagged": "nested._functions",
    "Future": "_future",
    "GradScaler": "amp",
    "PyTorchFileReader": "_archives",
    "PyTorchFileWriter": "_archives",
    "ScriptFunction": "jit",
    "ScriptModule": "jit",
    "Tag": "_ops",
    "autocast": "amp",
    "cond": "_higher_order_ops",
    "eig": "_linalg_utils",
    "fork": "_future",
    "from_dlpack": "utils.dlpack",
    "lobpcg": "_lobpcg",
    "lstsq": "_linalg_utils",
    "matrix_rank": "_linalg_utils",
    "pca_lowrank": "_lowrank",
    "pipeline": "_pipeline",
    "solve": "_linalg_utils",
    "svd_lowrank": "_lowrank",
    "symeig": "_linalg_utils",
    "to_dlpack": "utils.dlpack",
    "vmap": "func",
    "wait": "_future",
    "windows": "signal",
    "_disable_dynamo": "_compile",
}
_deprecated_attrs = {
    "has_mps": ("mps", "is_built"),
    "has_cuda": ("cuda", "is_built"),
    "has_cudnn": ("cudnn", "is_available"),
    "has_mkldnn": ("mkldnn", "is_available"),
}


def __getattr__(name):
    if name in _lazy_modules:
        return _import_module(f"{__name__}.{name}")
    if name in _lazy_names:
        value = getattr(_import_module(f"{__name__}.{_lazy_names[name]}"), "_symeig" if name == "symeig" else name)
        return globals().setdefault(name, value)
    if name in _deprecated_attrs:
        import warnings

        package, function = _deprecated_attrs[name]
        replacement = getattr(_import_module(f"{__name__}.backends.{package}"), function)
        warnings.warn(
            f"'{name}' is deprecated, please use '{replacement.__module__}.{replacement.__name__}()'", stacklevel=2
        )
        return replacement()
    if name == "Storage":  # of the default dtype
        default = str(get_default_dtype()).removeprefix("torch.")
        return next(globals()[kind] for kind, dtype in storage._LEGACY_NAMES.items() if dtype == default)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_lazy_modules, *_lazy_names})
