"""Copies and pickles tensors, and orders their dimensions: the long methods of Tensor."""

import copyreg
import itertools
import sys
from collections import OrderedDict
from copy import deepcopy

from . import _C

torch = sys.modules[__package__]

_NOT_A_LEAF = (
    "Only Tensors created explicitly by the user "
    "(graph leaves) support the deepcopy protocol at the moment.  "
    "If you were attempting to deepcopy a module, this may be because "
    "of a torch.nn.utils.weight_norm usage, "
    "see https://github.com/pytorch/pytorch/pull/103001"
)
_CLONE_LOSES_TYPE = (
    "The default implementation of __deepcopy__() for wrapper subclasses only works for subclass types that implement "
    "clone() and for which cloning returns another instance of the same subclass. You should either properly "
    "implement clone() for your subclass or override __deepcopy__() if it is intended behavior for clone() to return "
    "an instance of a different type."
)
_NEW_EMPTY_LOSES_TYPE = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that "
    "implement new_empty() and for which that function returns another instance of the same subclass. You should "
    "either properly implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior "
    "for new_empty() to return an instance of a different type."
)


def _is_wrapper(tensor):
    """Whether a subclass only wraps other tensors and has no memory of its own."""
    return type(tensor) is not torch.Tensor and tensor.data_ptr() == 0


def _copy_memory(tensor, memo):
    storage = tensor._typed_storage()._deepcopy(memo)
    copied = tensor.new_empty([])
    if type(copied) is not type(tensor):
        raise RuntimeError(_NEW_EMPTY_LOSES_TYPE)
    copied.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())
    lazy = _C._get_tensor_metadata(tensor)
    if "conj" in lazy:
        copied = copied.conj_physical()
    return copied.neg() if "neg" in lazy else copied


def deep_copy(tensor, memo):
    """Tensor.__deepcopy__: storages shared in the original are shared in the copy."""
    if not tensor.is_leaf:
        raise RuntimeError(_NOT_A_LEAF)
    if id(tensor) in memo:
        return memo[id(tensor)]
    with torch.no_grad():
        if tensor.is_sparse or tensor.device.type == "meta" or _is_wrapper(tensor):
            copied = tensor.clone()
            if type(copied) is not type(tensor):
                raise RuntimeError(_CLONE_LOSES_TYPE)
        else:
            copied = _copy_memory(tensor, memo)
        if tensor.requires_grad:
            copied.requires_grad_()
        if tensor.grad is not None:
            copied.grad = tensor.grad.__deepcopy__(memo)
        if type(tensor) is not torch.Tensor:
            if type(copied) is not type(tensor):
                raise RuntimeError(
                    "Type of deepcopy result does not match the type of the source tensor. "
                    "If you encounter this, please open an issue on PyTorch's GitHub."
                )
            for slot in copyreg._slotnames(type(tensor)):
                if hasattr(tensor, slot):
                    setattr(copied, slot, deepcopy(getattr(tensor, slot), memo))
        tensor._clear_non_serializable_cached_data()
        copied.__dict__ = deepcopy(tensor.__dict__, memo)
        memo[id(tensor)] = copied
        return copied


def reduce(tensor):
    """Returns a tensor's pickle: the function of torch._utils that rebuilds it, and the arguments."""
    from .utils.hooks import warn_if_has_hooks

    warn_if_has_hooks(tensor)
    utils = torch._utils
    if tensor.device.type == "meta":
        arguments = (tensor.dtype, tuple(tensor.size()), tensor.stride(), tensor.requires_grad)
        return (utils._rebuild_meta_tensor_no_storage, arguments)
    if tensor.layout is torch.sparse_coo:
        parts = (tensor._indices(), tensor._values(), tensor.size(), tensor.is_coalesced())
        return (utils._rebuild_sparse_tensor, (tensor.layout, parts))
    if tensor.layout is not torch.strided:
        parts = (*utils._compressed_and_plain_indices(tensor), tensor.values(), tensor.size())
        return (utils._rebuild_sparse_tensor, (tensor.layout, parts))
    shape = (tuple(tensor.size()), tensor.stride())
    overrides_dispatch = type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
    if overrides_dispatch and _is_wrapper(tensor):
        place = (tensor.storage_offset(), tensor.layout, tensor.device, tensor.requires_grad)
        return (utils._rebuild_wrapper_subclass, (type(tensor), tensor.dtype, *shape, *place))

    common = (tensor.storage_offset(), *shape, tensor.requires_grad, OrderedDict())
    if tensor.dtype in torch.storage._new_dtypes():
        rebuild, args = utils._rebuild_tensor_v3, (tensor.untyped_storage(), *common, tensor.dtype)
    else:
        rebuild, args = utils._rebuild_tensor_v2, (tensor._typed_storage(), *common)
    metadata = utils.get_tensor_metadata(tensor)
    return (rebuild, (*args, metadata) if metadata else args)


def dim_order(tensor, ambiguity_check):
    """Implements Tensor.dim_order."""
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not isinstance(ambiguity_check, (bool, list)) or not all(isinstance(f, _C.memory_format) for f in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    sizes, strides = tensor.size(), tensor.stride()
    several_orders = any(a == b for a, b in itertools.pairwise(strides)) or any(size == 1 for size in sizes)
    matches = sum(tensor.is_contiguous(memory_format=f) for f in formats)
    if (ambiguity_check is True or formats) and several_orders and matches != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    return tuple(reversed(_count_from_innermost(sizes, strides)))


def _count_from_innermost(sizes, strides):
    """Sorts dimensions as TensorIterator does: by stride, where strides are equal by size; 0 strides stay in place."""

    def compare_strides(a, b):
        if not strides[a] or not strides[b]:
            return 0
        if strides[a] != strides[b]:
            return -1 if strides[a] < strides[b] else 1
        return 1 if sizes[a] > sizes[b] else 0

    dims = list(reversed(range(len(sizes))))
    for i in range(1, len(dims)):
        place = i
        for before in reversed(range(i)):
            decision = compare_strides(dims[before], dims[place])
            if decision > 0:
                dims[before], dims[place] = dims[place], dims[before]
                place = before
            elif decision < 0:
                break
    return dims


def resize_as_view(tensor, sizes):
    """Implements Tensor.resize: another shape with the same number of elements."""
    import math

    if math.prod(sizes) != tensor.numel():
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, sizes))} ({math.prod(sizes)} elements in total), "
            f"but the given tensor has a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} elements). "
            "autograd's resize can only change the shape of a given "
            "tensor, while preserving the number of elements. "
        )
    return tensor.contiguous().view(*sizes)


REINFORCE_REMOVED = "\n".join(
    [
        "reinforce() was removed.",
        "Use torch.distributions instead.",
        "See https://pytorch.org/docs/main/distributions.html",
        "",
        "Instead of:",
        "",
        "probs = policy_network(state)",
        "action = probs.multinomial()",
        "next_state, reward = env.step(action)",
        "action.reinforce(reward)",
        "action.backward()",
        "",
        "Use:",
        "",
        "probs = policy_network(state)",
        "# NOTE: categorical is equivalent to what used to be called multinomial",
        "m = torch.distributions.Categorical(probs)",
        "action = m.sample()",
        "next_state, reward = env.step(action)",
        "loss = -m.log_prob(action) * reward",
        "loss.backward()",
        "",
    ]
)
