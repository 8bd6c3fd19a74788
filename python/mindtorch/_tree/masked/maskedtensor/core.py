"""MaskedTensor: data and a mask of the elements that count; operators apply to the data and keep the mask."""

import sys
import warnings

from ...overrides import get_default_nowrap_functions

torch = sys.modules[__package__.split(".masked")[0]]

__all__ = ["MaskedTensor", "is_masked_tensor"]

_UNSUPPORTED = (
    "If you would like this operator to be supported, please file an issue for a feature request at "
    "https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code snippet.\n"
    "In the case that the semantics for the operator are not trivial, it would be appreciated "
    "to also include a proposal for the semantics."
)


def is_masked_tensor(obj, /):
    """Returns whether an object is a MaskedTensor.

    Args:
        obj (Any): the object.

    Returns:
        bool: True for a MaskedTensor.

    Example:
        >>> torch.masked.is_masked_tensor(torch.ones(1))
        False
    """
    return isinstance(obj, MaskedTensor)


def _tensors_match(a, b):
    """Whether two tensors without masks are equal, ignoring dtypes."""
    if is_masked_tensor(a) or is_masked_tensor(b):
        raise ValueError("Neither `a` nor `b` can be a MaskedTensor.")
    if a.layout != b.layout:
        raise ValueError(f"`a` and `b` must have the same layout. Got {a.layout} and {b.layout}")
    return a.dim() == b.dim() and bool(torch.eq(a, b.to(a.dtype)).all())


def _masks_match(a, b):
    """Whether the masks of two tensors are equal; a tensor without a mask matches any."""
    if is_masked_tensor(a) and is_masked_tensor(b):
        return _tensors_match(a.get_mask(), b.get_mask())
    return True


def _get_data(a):
    return a._masked_data if is_masked_tensor(a) else a


def _maybe_get_mask(a):
    return a._masked_mask if is_masked_tensor(a) else None


def _map_masked_tensors(args, replace):
    """Returns the arguments, a list, with masked tensors, also in lists and tuples, replaced by replace(it)."""
    return [
        replace(a)
        if is_masked_tensor(a)
        else type(a)(_map_masked_tensors(a, replace))
        if type(a) in (list, tuple)
        else a
        for a in args
    ]


def _wrap_result(data, mask):
    """Combines a result and its mask to masked tensors; lists and tuples item by item."""
    if isinstance(data, (list, tuple)):
        return type(data)(_wrap_result(d, m) for d, m in zip(data, mask, strict=True))
    return MaskedTensor(data, mask) if torch.is_tensor(data) else NotImplemented


def _format_element(value):
    return f"{value:8.4f}" if isinstance(value, float) else str(value)


def _format_lines(data, mask):
    if data.dim() > 1:
        parts = [
            "\n".join("  " + line for line in _format_lines(d, m).split("\n")) for d, m in zip(data, mask, strict=True)
        ]
        return "[\n" + ",\n".join(parts) + "\n]"
    texts, valid = [_format_element(v) for v in data.tolist()], mask.tolist()
    width = max(len(text) if ok else 8 for text, ok in zip(texts, valid, strict=True))
    return "[" + ", ".join(text if ok else "--".rjust(width) for text, ok in zip(texts, valid, strict=True)) + "]"


class Constructor(torch.autograd.Function):
    """Makes a masked tensor of data and mask; returns the gradient unchanged."""

    @staticmethod
    def forward(ctx, data, mask):
        return MaskedTensor(data, mask)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


class GetData(torch.autograd.Function):
    """Takes the data of a masked tensor; the gradient gets the same mask."""

    @staticmethod
    def forward(ctx, masked):
        ctx.save_for_backward(masked.get_mask())
        return masked._masked_data.detach()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output if is_masked_tensor(grad_output) else MaskedTensor(grad_output, ctx.saved_tensors[0])


class MaskedTensor(torch.Tensor):
    """A tensor with a mask of the elements that count; operators work on the data and carry the mask along.

    Binary operators need equal masks; reductions leave masked-out elements out. Data and mask are
    copied.

    Args:
        data (Tensor): dense values, float16/32/64, bool or signed integers.
        mask (Tensor): bool, of the same shape; True for elements that count.
        requires_grad (bool): whether it is a leaf that requires gradients. Default: ``False``.

    Raises:
        TypeError: when types, layouts or dtypes are not supported.
        ValueError: when shapes differ.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("ignore")
        >>> x = torch.masked.masked_tensor(torch.tensor([1.0, 2.0]), torch.tensor([True, False]))
        >>> x + x
        MaskedTensor(
          [  2.0000,       --]
        )
        >>> x.sum().item()
        1.0
    """

    @staticmethod
    def __new__(cls, data, mask, requires_grad=False):
        """Reports the properties of `data`; operators work only on the two members."""
        if is_masked_tensor(data) or not torch.is_tensor(data):
            raise TypeError("data must be a Tensor")
        if is_masked_tensor(mask) or not torch.is_tensor(mask):
            raise TypeError("mask must be a Tensor")
        warnings.warn(
            "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a "
            "Github issue for features requests and see our documentation on the torch.masked module for further "
            "information about the project.",
            UserWarning,
            stacklevel=2,
        )
        if data.requires_grad:
            warnings.warn(
                "It is not recommended to create a MaskedTensor with a tensor that requires_grad. To avoid this, you "
                "can use data.detach().clone()",
                UserWarning,
                stacklevel=2,
            )
        return torch.Tensor._make_subclass(cls, data.detach(), requires_grad)

    def __init__(self, data, mask, requires_grad=False):
        if data.layout != mask.layout:
            raise TypeError("data and mask must have the same layout.")
        self._set_data_mask(data.clone(), mask.clone())

    def _set_data_mask(self, data, mask):
        self._masked_data = data
        self._masked_mask = mask
        self._check_data_and_mask()

    def _check_data_and_mask(self):
        data, mask = self._masked_data, self._masked_mask
        if type(data) is not type(mask):
            raise TypeError(f"data and mask must have the same type. Got {type(data)} and {type(mask)}")
        if data.layout != torch.strided:
            raise TypeError(f"data layout of {data.layout} is not supported.")
        if mask.dtype != torch.bool:
            raise TypeError("mask must have dtype bool.")
        floats = (torch.float16, torch.float32, torch.float64)
        if data.dtype not in (*floats, torch.bool, torch.int8, torch.int16, torch.int32, torch.int64):
            raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
        if data.dim() != mask.dim():
            raise ValueError("data.dim() must equal mask.dim()")
        if data.size() != mask.size():
            raise ValueError("data.size() must equal mask.size()")

    @staticmethod
    def _from_values(data, mask):
        """Returns a masked tensor that keeps the history of `data`."""
        return Constructor.apply(data, mask)

    def __repr__(self):
        data, mask = self._masked_data.detach(), self._masked_mask
        if data.dim() == 0:
            text = _format_element(data.item()) if mask.item() else "--"
            return f"MaskedTensor({text}, {mask.item()})"
        inner = "\n".join("  " + line for line in _format_lines(data, mask).split("\n"))
        return f"MaskedTensor(\n{inner}\n)"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Handles reductions and a few others here; __torch_dispatch__ handles the rest."""
        from ._functions import find_masked_function

        kwargs = kwargs or {}
        own = find_masked_function(func)
        if own is not None:
            return own(*args, **kwargs)
        if not all(issubclass(cls, t) for t in types):
            return NotImplemented
        with torch._C.DisableTorchFunctionSubclass():
            result = func(*args, **kwargs)
            return result if func in get_default_nowrap_functions() else torch._tensor._convert(result, cls)

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs=None):
        """Runs an operator on the data and keeps the mask."""
        from ._operators import find_operator_handler

        own = find_operator_handler(func.overloadpacket)
        if own is not None:
            return own(*args, **(kwargs or {}))
        warnings.warn(
            f"{func.overloadpacket.__name__} is not implemented in __torch_dispatch__ for MaskedTensor.\n"
            + _UNSUPPORTED,
            stacklevel=2,
        )
        return NotImplemented

    @classmethod
    def unary(cls, fn, data, mask):
        """Applies a function to data and returns the result under a mask.

        Args:
            fn (callable): the function.
            data (Tensor): its argument.
            mask (Tensor): the mask.

        Returns:
            MaskedTensor: the result.
        """
        return MaskedTensor(fn(data), mask)

    def __lt__(self, other):
        return MaskedTensor(self.get_data() < _get_data(other), self.get_mask())

    def to_tensor(self, value):
        """Returns the data with a number in place of masked-out elements.

        Args:
            value (float): the number.

        Returns:
            Tensor: a plain tensor.
        """
        return self.get_data().masked_fill(~self.get_mask(), value)

    def get_data(self):
        """Returns the data, masked-out elements included; gradients flow back under the mask.

        Returns:
            Tensor: a plain tensor.
        """
        return GetData.apply(self)

    def get_mask(self):
        """Returns the mask.

        Returns:
            Tensor: bool.
        """
        return self._masked_mask

    def is_sparse_coo(self):
        """Returns whether the data has the COO layout.

        Returns:
            bool: whether it does.
        """
        return self.layout == torch.sparse_coo

    def is_sparse_csr(self):
        """Returns whether the data has the CSR layout.

        Returns:
            bool: whether it does.
        """
        return self.layout == torch.sparse_csr

    @property
    def is_sparse(self):
        """Whether the data has a sparse layout."""
        return self.is_sparse_coo() or self.is_sparse_csr()
