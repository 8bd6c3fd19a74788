"""torch.func: function transforms."""

from .._functorch.apis import grad, grad_and_value, vmap
from .._functorch.batch_norm_replacement import replace_all_batch_norm_modules_
from .._functorch.eager_transforms import (
    debug_unwrap,
    functionalize,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from .._functorch.functional_call import functional_call, stack_module_state

__all__ = [
    "grad",
    "grad_and_value",
    "vmap",
    "functionalize",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
    "functional_call",
    "stack_module_state",
    "debug_unwrap",
    "replace_all_batch_norm_modules_",
]
