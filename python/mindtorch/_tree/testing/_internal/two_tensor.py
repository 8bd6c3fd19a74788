"""torch.testing._internal.two_tensor: a tensor of two tensors, on both of which every operator runs."""

from ..._root import torch
from ...utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from ...utils._pytree import tree_map, tree_map_only
from ._wrapper_tensor import make_wrapper


def _check_pair(a, b):
    properties = [(t.device, t.layout, t.requires_grad, t.dtype) for t in (a, b)]
    if properties[0] != properties[1]:
        raise AssertionError("Expected a and b to have same device, layout, requires_grad, and dtype")
    for text, of_a, of_b in (
        ("shape", a.shape, b.shape),
        ("stride()", a.stride(), b.stride()),
        ("storage_offset()", a.storage_offset(), b.storage_offset()),
    ):
        if of_a != of_b:
            raise AssertionError(f"Expected a.{text} == b.{text}, got {of_a} != {of_b}")


class TwoTensor(torch.Tensor):
    """A wrapper of two tensors that are alike; what is no tensor in a result comes from the first.

    Args:
        a (Tensor), b (Tensor): of the same shape, strides, dtype and device.
        outer_size (tuple of ints, optional), outer_stride (tuple of ints, optional): the wrapper's. Default: those of
            `a`.
    """

    @staticmethod
    def __new__(cls, a, b, outer_size=None, outer_stride=None):
        _check_pair(a, b)
        return make_wrapper(cls, a, outer_size, outer_stride, a.requires_grad)

    def __init__(self, a, b, outer_size=None, outer_stride=None):
        self.a = a
        self.b = b

    def __repr__(self):
        return f"TwoTensor({self.a!r}, {self.b!r})"

    def __tensor_flatten__(self):
        return ["a", "b"], None

    @staticmethod
    def __tensor_unflatten__(inner_tensors, meta, outer_size, outer_stride):
        if meta is not None:
            raise AssertionError("Expected meta to be None")
        if outer_size is None:
            raise AssertionError("Expected outer_size to not be None")
        if outer_stride is None:
            raise AssertionError("Expected outer_stride to not be None")
        return TwoTensor(inner_tensors["a"], inner_tensors["b"], outer_size, outer_stride)

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs):
        def run_on_component(name):
            inner = tree_map_only(TwoTensor, lambda wrapper: getattr(wrapper, name), (args, kwargs or {}))
            return func(*inner[0], **inner[1])

        def pair_results(a, b):
            return cls(a, b) if isinstance(a, torch.Tensor) else a

        result = tree_map(pair_results, run_on_component("a"), run_on_component("b"))
        return return_and_correct_aliasing(func, args, kwargs or {}, result)

    def get_elem_a(self):
        """Returns the first tensor."""
        return self.a


class TwoTensorMode(TorchDispatchMode):
    """Makes new tensors TwoTensors."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        return TwoTensor(result, result.clone()) if type(result) is torch.Tensor else result
