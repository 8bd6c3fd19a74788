"""torch.utils: data loading, checkpointing, pytrees, hooks, and small helpers."""

import copyreg
import os.path as _osp
import weakref

from .. import _C
from .._lazy import lazy_attributes
from .._root import torch
from . import hooks


def set_module(obj, mod):
    """Sets the module that a class or function reports.

    Args:
        obj (Any): the class or function.
        mod (str): the module.

    Returns:
        None.

    Raises:
        TypeError: when `mod` is no str.

    Example:
        >>> def f():
        ...     pass
        >>> torch.utils.set_module(f, "my.module")
        >>> f.__module__
        'my.module'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


cmake_prefix_path = _osp.join(_osp.dirname(_osp.dirname(_osp.dirname(__file__))), "lib", "cmake")


def _raise_for_poisoned_node(grad_outputs):
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
        "backward on a tensor that was swapped. For a module m with "
        "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the device or dtype of "
        "the module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve this, please only "
        "change the device/dtype before running forward (or after both forward and backward)."
    )


def _check_only_owner(tensor, name) -> None:
    count = tensor._use_count()
    if count <= 1:
        return
    if count == 2 and tensor.is_leaf:
        # The second owner may be the gradient accumulator, which must not run any more.
        node = torch.autograd.graph.get_gradient_edge(tensor).node
        if tensor._use_count() == 2:
            node.register_prehook(_raise_for_poisoned_node)
            return
    raise RuntimeError(
        f"Expected use_count of {name} to be 1 or 2 with an AccumulateGrad node but got {count} make sure you are not "
        "holding references to the tensor in other places."
    )


def _swap_attribute(t1, t2, name) -> None:
    missing = object()
    first, second = getattr(t1, name, missing), getattr(t2, name, missing)
    for target, value in ((t1, second), (t2, first)):
        if value is not missing:
            setattr(target, name, value)
        elif hasattr(target, name):
            delattr(target, name)


def swap_tensors(t1, t2):
    """Exchanges two tensors under all references to them: data, class and attributes.

    Args:
        t1 (Tensor): one tensor.
        t2 (Tensor): the other.

    Returns:
        None.

    Raises:
        RuntimeError: when there are weak references to one, or the graph of one is in use.

    Example:
        >>> a, b = torch.zeros(1), torch.ones(2)
        >>> torch.utils.swap_tensors(a, b)
        >>> a, b
        (tensor([1., 1.]), tensor([0.]))
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    slots = set(copyreg._slotnames(t1.__class__))
    if slots != set(copyreg._slotnames(t2.__class__)):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    _check_only_owner(t1, "t1")
    _check_only_owner(t2, "t2")
    for name in ("__class__", "__dict__", *slots):
        _swap_attribute(t1, t2, name)
    _C._swap_tensor_impl(t1, t2)


__getattr__ = lazy_attributes(
    __name__,
    modules=(
        "_contextlib",
        "_dtype_abbrs",
        "_foreach_utils",
        "_import_utils",
        "_mode_utils",
        "_python_dispatch",
        "_pytree",
        "backcompat",
        "backend_registration",
        "checkpoint",
        "collect_env",
        "cpp_backtrace",
        "data",
        "deterministic",
        "dlpack",
        "weak",
    ),
    names={
        "generate_methods_for_privateuse1_backend": "backend_registration",
        "get_cpp_backtrace": "cpp_backtrace",
        "rename_privateuse1_backend": "backend_registration",
    },
)
