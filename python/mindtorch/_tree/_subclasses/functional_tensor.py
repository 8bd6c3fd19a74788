"""Functional tensors of torch's compiler, which record in-place changes: the class only, without instances."""

import contextlib

from .._absent_device import make_refusing_class
from .._root import torch
from ..utils._python_dispatch import TorchDispatchMode

_TEXT = "there is no tracing compiler; torch.func.functionalize() takes changes in place out of a function"
FunctionalTensor = make_refusing_class(
    __name__, "FunctionalTensor(elem, mode)", NotImplementedError, f"FunctionalTensor: {_TEXT}", (torch.Tensor,)
)
FunctionalTensorMode = make_refusing_class(
    __name__,
    "FunctionalTensorMode(pre_dispatch=False, export=False, _allow_token_discovery=False)",
    NotImplementedError,
    f"FunctionalTensorMode: {_TEXT}",
    (TorchDispatchMode,),
)


def mb_unwrap_functional_tensor(tensor):
    """Returns the contents of a functional tensor, and any other tensor itself."""
    return tensor


@contextlib.contextmanager
def disable_functional_mode():
    """Does nothing: no such mode can be active. Its value is None."""
    yield None
