"""Parameter and Buffer: tensors that a Module registers when they are assigned to it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .. import _C
from .._C import _disabled_torch_function_impl
from .._root import torch

__all__ = [
    "Parameter",
    "UninitializedParameter",
    "is_lazy",
    "Buffer",
    "UninitializedBuffer",
    "UninitializedTensorMixin",
]


class _ParameterMeta(_C._TensorMeta):
    """Makes a tensor subclass with the mark `_is_param` pass isinstance(x, Parameter)."""

    def __instancecheck__(self, instance):
        if super().__instancecheck__(instance):
            return True
        return self is Parameter and isinstance(instance, torch.Tensor) and bool(getattr(instance, "_is_param", False))


class Parameter(torch.Tensor, metaclass=_ParameterMeta):
    """Is a tensor that a module trains: assigned to a Module it appears in its `parameters()`.

    It shares memory with `data`. A tensor of a subclass keeps its type and is marked as a
    parameter. ``isinstance(x, Parameter)`` holds for both.

    Args:
        data (Tensor, optional): the values. Default: ``None``, an empty tensor.
        requires_grad (bool): whether autograd records operations on it; only floating point and
            complex tensors can. Default: ``True``.

    Example:
        >>> m = nn.Module()
        >>> m.scale = nn.Parameter(torch.ones(2))
        >>> list(m.parameters())
        [Parameter containing:
        tensor([1., 1.], requires_grad=True)]
    """

    def __new__(cls, data=None, requires_grad=True):
        kind = type(data)
        if data is None:
            return torch.Tensor._make_subclass(cls, torch.empty(0), requires_grad)
        if kind is torch.Tensor or kind is Parameter:
            return torch.Tensor._make_subclass(cls, data, requires_grad)
        # A tensor subclass keeps its type; an attribute marks it as a parameter.
        marked = data.detach().requires_grad_(requires_grad)
        if type(marked) is not kind:
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {kind.__name__} requires that detach() returns an "
                f"instance of the same type, but return type {type(marked).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation."
            )
        marked._is_param = True
        return marked

    def __deepcopy__(self, memo):
        key = id(self)
        if key not in memo:
            values = self.data.clone(memory_format=torch.preserve_format)
            memo[key] = type(self)(values, self.requires_grad)
        return memo[key]

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, proto):
        # Old versions stored hooks in this position; it is now an empty mapping.
        content = (self.data, self.requires_grad, OrderedDict())
        state = torch._utils._get_obj_state(self)
        if state:
            return torch._utils._rebuild_parameter_with_state, (*content, state)
        return torch._utils._rebuild_parameter, content

    __torch_function__ = _disabled_torch_function_impl


# ---- methods that uninitialized parameters support, because they need no shape
_SHAPELESS = (
    "__hash__",
    "size",
    "copy_",
    "is_complex",
    "is_floating_point",
    "half",
    "float",
    "double",
    "char",
    "short",
    "int",
    "long",
    "cuda",
    "cpu",
    "to",
    "get_device",
)


class UninitializedTensorMixin:
    """Is the base of tensors without a shape: only what needs none is allowed until `materialize`.

    Example:
        >>> nn.UninitializedParameter()
        <UninitializedParameter>
    """

    _allowed_methods = [
        *(getattr(torch.Tensor, name) for name in _SHAPELESS if hasattr(torch.Tensor, name)),
        torch._has_compatible_shallow_copy_type,
    ]

    def materialize(self, shape, device=None, dtype=None) -> None:
        """Gives the tensor its shape, uninitialised values, and its regular class.

        Args:
            shape (tuple of int): the shape.
            device (torch.device, optional): Default: ``None``, unchanged.
            dtype (torch.dtype, optional): Default: ``None``, unchanged.
        """
        device = self.data.device if device is None else device
        dtype = self.data.dtype if dtype is None else dtype
        self.data = torch.empty(shape, device=device, dtype=dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        """Raises RuntimeError: there is no shape yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self):
        """Raises RuntimeError: there are no values to share yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. "
            "Call `forward` to initialize the parameters before calling "
            "`module.share_memory()`."
        )

    def __repr__(self):
        return f"<{self.__class__.__name__}>"

    def __reduce_ex__(self, proto):
        return self.__class__, (self.requires_grad,)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        # Property accessors (x.data, x.is_meta, ...) arrive as method wrappers.
        if func in cls._allowed_methods or func.__class__.__name__ == "method-wrapper":
            return super().__torch_function__(func, types, args, kwargs or {})
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
            "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch functions"
        )


def is_lazy(param: Any) -> bool:
    """Returns whether a parameter or buffer still waits for its shape.

    Args:
        param (object): what to look at.

    Returns:
        bool: whether it is an `UninitializedTensorMixin`.

    Example:
        >>> nn.parameter.is_lazy(nn.UninitializedParameter()), nn.parameter.is_lazy(torch.ones(1))
        (True, False)
    """
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """Is a Parameter whose shape is not known yet; lazy modules hold them until their first call.

    Args:
        requires_grad (bool): whether autograd will record operations on it. Default: ``True``.
        device (torch.device, optional): where the values will be. Default: ``None``, the
            default device.
        dtype (torch.dtype, optional): their dtype. Default: ``None``, the default dtype.

    Example:
        >>> p = nn.UninitializedParameter()
        >>> p.materialize((2, 3))
        >>> type(p).__name__, p.shape
        ('Parameter', torch.Size([2, 3]))
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None) -> None:
        return torch.Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo):
        key = id(self)
        if key not in memo:
            memo[key] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[key]


class _BufferMeta(_C._TensorMeta):
    """Buffers are plain tensors with the mark `_is_buffer`."""

    def __instancecheck__(self, instance):
        if super().__instancecheck__(instance):
            return True
        return self is Buffer and isinstance(instance, torch.Tensor) and bool(getattr(instance, "_is_buffer", False))


class Buffer(torch.Tensor, metaclass=_BufferMeta):
    """Is a tensor that belongs to a module but is not trained: assigned to one it appears in `buffers()`.

    The result is a tensor of the type of `data`, sharing its memory, with a mark; ``isinstance(x,
    Buffer)`` sees it.

    Args:
        data (Tensor, optional): the values. Default: ``None``, an empty tensor.
        persistent (bool): whether it is in the module's state_dict. Default: ``True``.

    Example:
        >>> m = nn.Module()
        >>> m.mean = nn.Buffer(torch.zeros(2))
        >>> list(m.state_dict())
        ['mean']
    """

    def __new__(cls, data=None, *, persistent=True):
        source = torch.empty(0) if data is None else data
        marked = source.detach().requires_grad_(source.requires_grad)
        marked.persistent = persistent
        marked._is_buffer = True
        return marked

    __torch_function__ = _disabled_torch_function_impl


class UninitializedBuffer(UninitializedTensorMixin, torch.Tensor):
    """Is a buffer whose shape is not known yet; lazy modules hold them until their first call.

    Args:
        requires_grad (bool): whether autograd will record operations on it. Default: ``False``.
        device (torch.device, optional): where the values will be. Default: ``None``, the
            default device.
        dtype (torch.dtype, optional): their dtype. Default: ``None``, the default dtype.
        persistent (bool): whether it is in the module's state_dict. Default: ``True``.

    Example:
        >>> b = nn.UninitializedBuffer()
        >>> b.materialize((2,))
        >>> type(b).__name__, b.shape
        ('Tensor', torch.Size([2]))
    """

    cls_to_become = torch.Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True) -> None:
        made = torch.Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made
