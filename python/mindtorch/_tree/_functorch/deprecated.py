"""What `functorch` exports: the functions of torch.func under their former names, each of which warns."""

from . import make_functional as _state
from .._root import torch
from ..utils._deprecated import deprecated

_NOW = {
    "vmap": "torch.vmap",
    "make_functional": "torch.func.functional_call",
    "make_functional_with_buffers": "torch.func.functional_call",
    "combine_state_for_ensemble": "torch.func.stack_module_state",
}


def _make_deprecated(function):
    name = function.__name__
    text = (
        "We've integrated functorch into PyTorch. As the final step of the integration, "
        f"`functorch.{name}` is deprecated as of PyTorch 2.0 and will be deleted in a future version of PyTorch "
        f">= 2.3. Please use `{_NOW.get(name, f'torch.func.{name}')}` instead; see the PyTorch 2.0 release notes "
        "and/or the `torch.func` migration guide for more details https://pytorch.org/docs/main/func.migrating.html"
    )
    warning = deprecated(text)(function)
    warning.__module__ = __name__
    return warning


_func = torch.func
vmap, grad, grad_and_value = map(_make_deprecated, (_func.vmap, _func.grad, _func.grad_and_value))
vjp, jvp, jacrev, jacfwd = map(_make_deprecated, (_func.vjp, _func.jvp, _func.jacrev, _func.jacfwd))
hessian, functionalize = map(_make_deprecated, (_func.hessian, _func.functionalize))
make_functional = _make_deprecated(_state.make_functional)
make_functional_with_buffers = _make_deprecated(_state.make_functional_with_buffers)
combine_state_for_ensemble = _make_deprecated(_state.combine_state_for_ensemble)
