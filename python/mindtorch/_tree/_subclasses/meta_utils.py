"""Converts tensors to meta tensors that have the same layout, aliases, views and leaves of graphs."""

import contextlib
import weakref

from .._root import torch
from ..utils._python_dispatch import is_traceable_wrapper_subclass
from ..utils.weak import WeakIdKeyDictionary

_COMPRESSED = (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)


def is_sparse_coo(t: object) -> bool:
    """Whether an object is a tensor of the coordinate layout."""
    return isinstance(t, torch.Tensor) and t.layout == torch.sparse_coo


def is_sparse_compressed_layout(layout: torch.layout) -> bool:
    """Whether a layout has compressed rows or columns."""
    return layout in _COMPRESSED


def is_sparse_compressed(t: object) -> bool:
    """Whether an object is a tensor with compressed rows or columns."""
    return isinstance(t, torch.Tensor) and t.layout in _COMPRESSED


def is_sparse_any(t: object) -> bool:
    """Whether an object is a sparse tensor."""
    return is_sparse_coo(t) or is_sparse_compressed(t)


def safe_is_leaf(t: torch.Tensor) -> bool:
    """Whether a tensor is a leaf; False where the question raises."""
    try:
        return t.is_leaf
    except RuntimeError:
        return False


def assert_metadata_eq(assert_eq, m1: torch.Tensor, m2: torch.Tensor, *, skip_symbolic=False, skip_leaf=False) -> None:
    """Compares all that two tensors say of themselves but their values and devices.

    Args:
        assert_eq (callable): raises if its two arguments differ.
        m1, m2 (Tensor): the tensors.
        skip_symbolic (bool): leaves sizes and strides out. Default: ``False``.
        skip_leaf (bool): leaves out whether they are leaves. Default: ``False``.
    """
    _assert_equal(assert_eq, m1, m2, _list_properties_to_compare(m1, skip_symbolic, skip_leaf))
    for part in ("_base", "grad"):
        one, other = _base_or_grad(m1, part), _base_or_grad(m2, part)
        assert_eq(one is not None, other is not None)
        if one is not None:
            assert_metadata_eq(assert_eq, one, other, skip_symbolic=skip_symbolic, skip_leaf=skip_leaf)


def _list_properties_to_compare(tensor, skip_symbolic, skip_leaf):
    questions = ["dtype", "requires_grad", "is_sparse", "is_inference", "is_conj", "is_neg"]
    questions += [] if skip_symbolic else ["shape"]
    questions += [] if skip_leaf else ["is_leaf"]
    if is_sparse_any(tensor):
        questions += ["layout", "dense_dim", "sparse_dim"]
        questions += ["is_coalesced"] if tensor.is_sparse else []
    else:
        questions += ["_is_view"] if skip_symbolic else ["stride", "storage_offset", "_is_view"]
    return questions


def _assert_equal(assert_eq, one, other, questions):
    for question in questions:
        mine, theirs = getattr(one, question), getattr(other, question)
        assert_eq(*((mine(), theirs()) if callable(mine) else (mine, theirs)))


def _base_or_grad(tensor, name):
    if name == "_base":
        return None if is_sparse_any(tensor) or not tensor._is_view() else tensor._base
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


class _NonLeaf(torch.autograd.Function):
    """Gives a tensor that another function makes a node, whose backward pass must not run."""

    @staticmethod
    def forward(ctx, leaf, make):
        return make()

    @staticmethod
    def backward(ctx, grad):
        raise RuntimeError("Backward of a tensor that was converted to the meta device, whose graph was left behind")


class MetaTensorDescriber:
    """Numbers the tensors and storages that were converted, as long as they exist."""

    def __init__(self):
        self.lookup_tensor, self.lookup_storage = WeakIdKeyDictionary(), {}
        self._numbers = 0

    def _next_number(self):
        self._numbers += 1
        return self._numbers

    def number_tensor(self, tensor) -> int:
        """Returns the number of a tensor, a new one for a new tensor."""
        if tensor not in self.lookup_tensor:
            self.lookup_tensor[tensor] = self._next_number()
        return self.lookup_tensor[tensor]

    def number_storage(self, tensor) -> int:
        """Returns the number of a tensor's storage, a new one for a new storage."""
        address = tensor.untyped_storage()._cdata
        if address not in self.lookup_storage:
            self.lookup_storage[address] = self._next_number()
            weakref.finalize(tensor, self.lookup_storage.pop, address, None)
        return self.lookup_storage[address]


class MetaConverter:
    """Converts tensors to meta tensors; the same tensor gives the same result while that exists.

    Args:
        copy_data (bool): not supported. Default: ``False``.

    Example:
        >>> convert = torch._subclasses.meta_utils.MetaConverter()
        >>> x = torch.ones(2, 3)
        >>> convert(x.t()).stride(), convert(x.t())._base is convert(x)
        ((1, 3), True)
    """

    def __init__(self, *, copy_data: bool = False):
        if copy_data:
            raise NotImplementedError("MetaConverter: copy_data is not available")
        self.describer = MetaTensorDescriber()
        self.tensor_memo, self.storage_memo = weakref.WeakValueDictionary(), weakref.WeakValueDictionary()
        self.hit = self.miss = 0

    def successful(self) -> bool:
        """Whether tensors were converted, and all of them could be."""
        return self.hit > 0 and self.miss == 0

    def __call__(self, t, shape_env=None, *, callback=None, source=None, symbolic_context=None, trace=True):
        """Returns the meta tensor of a tensor, and any other object as it is.

        Args:
            t: the tensor.
            callback (callable, optional): gets a function that makes a meta tensor, and returns what is
                used in its place. Default: ``None``.
            shape_env, source, symbolic_context, trace: as torch has them; not looked at.

        Returns:
            The meta tensor, or NotImplemented for tensors that have none.
        """
        if not isinstance(t, torch.Tensor):
            if torch.overrides.is_tensor_like(t):
                self.miss += 1
                return NotImplemented
            return t
        if not is_sparse_any(t) and t._is_view() and t._base is not None and is_sparse_any(t._base):
            self.miss += 1
            return NotImplemented
        self.hit += 1
        with torch._C.DisableTorchFunction():
            return self._convert(t, callback or (lambda make: make()))

    def _convert(self, t, callback):
        number = self.describer.number_tensor(t)
        made = self.tensor_memo.get(number)
        if made is None:
            made = self.tensor_memo[number] = self._make_meta_copy(t, callback)
            grad = _base_or_grad(t, "grad")
            if grad is not None:
                made.grad = self._convert(grad, callback)
            if isinstance(t, torch.nn.Parameter):
                made._is_param = True
        return made

    def _make_meta_copy(self, t, callback):
        if is_traceable_wrapper_subclass(t):
            names, context = t.__tensor_flatten__()
            parts = {name: self._convert(getattr(t, name), callback) for name in names}
            return type(t).__tensor_unflatten__(parts, context, t.shape, t.stride())
        with torch.inference_mode(t.is_inference()) if t.is_inference() else contextlib.nullcontext():
            if is_sparse_any(t):
                return _set_leaf(t, callback(lambda: _make_sparse(t)))
            if t._is_view():
                return self._make_view(t, callback)
            made = callback(lambda: self._make_strided(t))
            return _set_leaf(t, made, lambda: callback(lambda: self._make_strided(t)))

    def _make_strided(self, t):
        number = self.describer.number_storage(t)
        storage = self.storage_memo.get(number)
        if storage is None:
            storage = torch.UntypedStorage(t.untyped_storage().nbytes(), device="meta")
            self.storage_memo[number] = storage
        with torch.no_grad():
            empty = torch.empty(0, dtype=t.dtype, device="meta")
            return empty.set_(storage, t.storage_offset(), t.shape, t.stride())

    def _make_view(self, t, callback):
        base = self._convert(t._base, callback)
        if t.requires_grad and base.requires_grad and not t.is_leaf:
            with torch.enable_grad():
                return t._view_func_unsafe(base)
        with torch.no_grad():
            view = t._view_func_unsafe(base)
        if t.requires_grad:
            view.requires_grad_()
            if not t.is_leaf:
                with torch.enable_grad():
                    return view.view_as(view)
        return view


def _set_leaf(t, made, remake=None):
    """Makes the result a leaf, or a result of a node, as the tensor is."""
    if not t.requires_grad:
        return made
    with torch.enable_grad():
        if t.is_leaf:
            return made.requires_grad_()
        source = torch.empty((), dtype=t.dtype, device="meta", requires_grad=True)
        return _NonLeaf.apply(source, remake or (lambda: made))


def _make_sparse(t):
    t = t.detach()
    if t.is_sparse:
        indices, values = t._indices().to("meta"), t._values().to("meta")
        return torch.sparse_coo_tensor(indices, values, t.shape, is_coalesced=t.is_coalesced(), check_invariants=False)
    return t.to("meta")
