"""torch._subclasses: types of torch's tracing compiler for isinstance checks; there are no instances."""

from .fake_tensor import (
    CrossRefFakeMode,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
)

__all__ = [
    "FakeTensor",
    "FakeTensorMode",
    "UnsupportedFakeTensorException",
    "DynamicOutputShapeException",
    "CrossRefFakeMode",
]
