"""Tensors with a shape and a device but no data, from torch's tracing compiler: classes without instances."""

import contextlib

from .._absent_device import make_refusing_class
from .._root import torch
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
CrossRefFakeMode = _make_class(
    "CrossRefFakeMode(ignore_op_fn=None, *, check_strides=True, check_aliasing=True, only_check_ops_with_meta=True)",
    TorchDispatchMode,
)


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
