"""Implementation of torch.library: schemas from annotations, and operators from Python functions."""

from .._lazy import lazy_attributes

__getattr__ = lazy_attributes(
    __name__, ("autograd", "custom_ops", "fake_rules", "infer_schema", "simple_registry", "utils")
)
