"""Tensors with a shape and a device but no data, from torch's tracing compiler: classes without instances."""

import contextlib

from .._absent_device import make_refusing_class
from .._root import torch
from .._library.opcheck import MetadataMismatchError, check_fake_results
from ..utils._python_dispatch import TorchDispatchMode


def _make_class(declaration, base):
    text = "there is no tracing compiler; tensors on the meta device have shapes and no data"
    name = declaration.partition("(")[0]
    return make_refusing_class(__name__, declaration, NotImplementedError, f"{name}: {text}", (base,))


FakeTensor = _make_class("FakeTensor(fake_mode, elem, device, constant=None, real_tensor=None)", torch.Tensor)
FakeTensorMode = _make_class(
    "FakeTensorMode(*, allow_fallback_kernels=True, allow_non_fake_inputs=False, shape_env=None, static_shapes=None, "
    "export=False)",
    TorchDispatchMode,
)


class CrossRefFakeMode(TorchDispatchMode):
    """While it is active, the results of calls are compared with those of rules for tensors without data.

    Args:
        ignore_op_fn (callable, optional): gets an operator, and returns whether it is left out. Default: ``None``.
        check_strides, check_aliasing, only_check_ops_with_meta: as torch has them; strides that both agree on are
            always compared.
    """

    def __init__(self, ignore_op_fn=None, *, check_strides=True, check_aliasing=True, only_check_ops_with_meta=True):
        super().__init__()
        self.ignore_op_fn = ignore_op_fn or (lambda op: False)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.ignore_op_fn(func):
            return func(*args, **kwargs)
        return check_fake_results(func, args, kwargs)


class UnsupportedFakeTensorException(RuntimeError):
    """Raised if a tensor has no counterpart without data."""


class DynamicOutputShapeException(RuntimeError):
    """Raised if the shape of a result depends on data."""


class DataDependentOutputException(RuntimeError):
    """Raised if a result depends on data."""


def is_fake(x) -> bool:
    """Whether `x` is a FakeTensor."""
    return isinstance(x, FakeTensor)


def maybe_get_fake_mode(t: object) -> "FakeTensorMode | None":
    """Returns the mode of a FakeTensor: None, as there are none."""
    return None


@contextlib.contextmanager
def unset_fake_temporarily():
    """Does nothing: no such mode can be active. Its value is None."""
    yield None
