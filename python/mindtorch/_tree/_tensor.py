"""The Tensor class: what torch writes in Python on top of `_C.TensorBase`."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections import OrderedDict
from numbers import Number
from typing import Any

from . import _C
from ._tensor_overriding import _handle_torch_function_and_wrap_type_error_to_not_implemented, _try_torch_function_first
from .overrides import (
    get_default_nowrap_functions,
    handle_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)

torch = sys.modules[__package__]


_binary = _handle_torch_function_and_wrap_type_error_to_not_implemented


def _rebuild_from_type(func, type, args, dict):
    """Reads pickles of subclasses that were written before torch 1.9."""
    tensor = func(*args)
    if type is not Tensor:
        tensor = tensor.as_subclass(type)
        tensor.__dict__ = dict
    return tensor


def _rebuild_from_type_v2(func, new_type, args, state):
    """Rebuilds a subclass, or a tensor with attributes, from its pickle."""
    tensor = func(*args)
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)
    own_setstate = getattr(type(tensor), "__setstate__", Tensor.__setstate__)
    if own_setstate is not Tensor.__setstate__:
        tensor.__setstate__(state)
        return tensor
    return torch._utils._set_obj_state(tensor, state)


def _describe_memory_layout(tensor):
    """Returns how a tensor's elements lie in its storage."""
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    return tensor.size(), tensor.stride(), tensor.storage_offset(), elements, tensor.is_conj(), tensor.is_neg()


class Tensor(_C.TensorBase):
    """A multi-dimensional array of elements of one dtype that autograd can follow.

    A tensor is a view of a storage: shape, strides and offset say which elements it has. Tensors are
    made by `torch.tensor` (copies data), `torch.as_tensor` (shares it where possible), factory
    functions such as `torch.zeros`, and operators. Most functions of `torch` are also methods; a
    trailing underscore means in place.

    Attributes:
        dtype, device, layout: what and where the elements are.
        shape (torch.Size), ndim (int): sizes and number of dimensions.
        requires_grad (bool): whether gradients are recorded.
        grad (Tensor or None): the accumulated gradient of a leaf.
        grad_fn (Node or None): how the tensor was computed; None for leaves.
        T, mT, H, mH, real, imag (Tensor): views of the tensor.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        >>> (x ** 2).sum().backward()
        >>> x.grad
        tensor([[2., 4.],
                [6., 8.]])
    """

    __module__ = "torch"

    _is_param: bool

    def _clear_non_serializable_cached_data(self):
        """Drops cached symbolic sizes, which cannot be pickled."""
        for key in ("_sym_sizes_capsule", "_sym_sizes_capsule_len", "_sym_strides_capsule", "_sym_strides_capsule_len"):
            self.__dict__.pop(key, None)

    @_try_torch_function_first
    def __deepcopy__(self, memo):
        from ._tensor_pickle import deep_copy

        return deep_copy(self, memo)

    def __reduce_ex__(self, proto):
        state = torch._utils._get_obj_state(self)
        is_plain = type(self) is Tensor and not state
        if not is_plain and has_torch_function_unary(self):
            return handle_torch_function(Tensor.__reduce_ex__, (self,), self, proto)
        reduced = self._reduce_ex_internal(proto)
        if is_plain:
            return reduced
        self._clear_non_serializable_cached_data()
        rebuild, arguments = reduced
        return _rebuild_from_type_v2, (rebuild, type(self), arguments, state)

    def _reduce_ex_internal(self, proto):
        from ._tensor_pickle import reduce

        return reduce(self)

    @_try_torch_function_first
    def __setstate__(self, state):
        if not self.is_leaf:
            raise RuntimeError("__setstate__ can be only called on leaf Tensors")
        if len(state) == 4:  # written before tensors and variables were one class
            self.set_(*state)
            return
        if len(state) == 5:  # a Variable's: data, version, hooks, requires_grad, backward hooks
            self.data = state[0]
            state = (state[3], state[4], state[2])
        self.requires_grad, _, self._backward_hooks = state

    @_try_torch_function_first
    def __repr__(self, *, tensor_contents=None):
        return torch._tensor_str._str(self, tensor_contents=tensor_contents)

    # ---- storage

    @_try_torch_function_first
    def storage(self):
        """Returns the TypedStorage of the tensor; deprecated: use `untyped_storage`.

        Returns:
            TypedStorage: shares the memory; of a view the whole storage.
        """
        torch.storage._warn_typed_storage_removal(stacklevel=3)
        return self._typed_storage()

    def _typed_storage(self):
        return torch.storage.TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype, _internal=True)

    @_try_torch_function_first
    def storage_type(self):
        """Returns the class of the typed storage; deprecated.

        Returns:
            type: such as ``torch.FloatStorage``.
        """
        torch.storage._warn_typed_storage_removal()
        return self._typed_storage()._get_legacy_storage_class()

    @_try_torch_function_first
    def is_shared(self):
        """Returns whether the storage is in shared memory.

        Returns:
            bool: True after `share_memory_`, and for tensors received from other processes.
        """
        return self._typed_storage()._is_shared()

    @_try_torch_function_first
    def share_memory_(self):
        """Moves the storage to shared memory, in place, so that other processes can use it without copies.

        Returns:
            Tensor: `self`.
        """
        self._typed_storage()._share_memory_()
        return self

    # ---- autograd

    @_try_torch_function_first
    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Computes gradients of this tensor and adds them to the `grad` of the leaves it depends on.

        See `torch.autograd.backward`.

        Args:
            gradient (Tensor, optional): gradient with respect to this tensor, of its shape; None stands for
                1 where it has one element. Default: ``None``.
            retain_graph (bool, optional): keeps the graph for another backward. Default: as `create_graph`.
            create_graph (bool): records the computation, for higher derivatives. Default: ``False``.
            inputs (Tensor or sequence, optional): where gradients are accumulated. Default: all leaves.

        Returns:
            None.
        """
        torch.autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def _view_func(self, new_base, symint_visitor_fn=None, tensor_visitor_fn=None):
        """Takes the same view of another base; None if this is no view, or the other base has another layout."""
        if not isinstance(new_base, Tensor):
            given = type(new_base).__name__
            raise TypeError(f"_view_func(): argument 'new_base' (position 1) must be Tensor, not {given}")
        if self._base is None or _describe_memory_layout(self._base) != _describe_memory_layout(new_base):
            return None
        return self._view_func_unsafe(new_base)

    def _view_func_unsafe(self, new_base, symint_visitor_fn=None, tensor_visitor_fn=None):
        """As _view_func, without a comparison of the bases."""
        base = self._base
        if base is None:
            return None
        if base.is_complex() and not self.is_complex():
            new_base = torch.view_as_real(new_base.conj() if new_base.is_conj() else new_base)
        view = new_base.as_strided(self.size(), self.stride(), self.storage_offset())
        if self.is_conj() != base.is_conj() and self.is_complex():
            view = view.conj()
        return view if self.is_neg() == base.is_neg() else view._neg_view()

    @_try_torch_function_first
    def register_hook(self, hook):
        """Registers a hook that is called with each gradient computed for this tensor.

        Args:
            hook (callable): ``hook(grad)``, which must not change it in place; a result other than None
                replaces the gradient.

        Returns:
            RemovableHandle: its `remove()` removes the hook.

        Raises:
            RuntimeError: when the tensor does not require gradients.
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._backward_hooks is None:
            self._backward_hooks = OrderedDict()
            if self.grad_fn is not None:
                self.grad_fn._register_hook_dict(self)
        return _add_hook(self._backward_hooks, hook)

    @_try_torch_function_first
    def register_post_accumulate_grad_hook(self, hook):
        """Registers a hook that is called after a gradient was accumulated into this leaf's `grad`.

        Args:
            hook (callable): ``hook(tensor)``; its result is ignored. It may use and clear the gradient.

        Returns:
            RemovableHandle: its `remove()` removes the hook.

        Raises:
            RuntimeError: when the tensor is no leaf or does not require gradients.
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        if self._post_accumulate_grad_hooks is None:
            self._post_accumulate_grad_hooks = OrderedDict()
        return _add_hook(self._post_accumulate_grad_hooks, hook)

    def reinforce(self, reward):
        """Raises RuntimeError: it was removed; `torch.distributions` took its place.

        Args:
            reward: ignored.
        """
        from ._tensor_pickle import REINFORCE_REMOVED

        raise RuntimeError(REINFORCE_REMOVED)

    def module_load(self, other, assign=False):
        """Returns what `Module.load_state_dict` puts in this tensor's place when it swaps tensors.

        Args:
            other (Tensor): the loaded tensor.
            assign (bool): takes `other` itself instead of copying it into this tensor. Default: ``False``.

        Returns:
            Tensor: detached.
        """
        if has_torch_function_variadic(self, other):
            return handle_torch_function(Tensor.module_load, (self, other), self, other, assign=assign)
        return other.detach() if assign else self.copy_(other).detach()

    # ---- operations that are written in Python

    @_try_torch_function_first
    def norm(self, p: float | str | None = "fro", dim=None, keepdim=False, dtype=None):
        """Computes a vector or matrix norm; see `torch.norm`.

        Args:
            p (float or str): order of the norm. Default: ``"fro"``.
            dim (int or tuple of int, optional): dimensions. Default: all.
            keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
            dtype (torch.dtype, optional): dtype of computation and result.

        Returns:
            Tensor: the norms.
        """
        return torch.norm(self, p, dim, keepdim, dtype=dtype)

    def solve(self, other):
        """Raises RuntimeError: `torch.linalg.solve` took its place.

        Args:
            other (Tensor): ignored.
        """
        return torch._linalg_utils.solve(self, other)

    def lstsq(self, other):
        """Raises RuntimeError: `torch.linalg.lstsq` took its place.

        Args:
            other (Tensor): ignored.
        """
        return torch._linalg_utils.lstsq(self, other)

    def eig(self, eigenvectors=False):
        """Raises RuntimeError: `torch.linalg.eig` took its place.

        Args:
            eigenvectors (bool): ignored.
        """
        return torch._linalg_utils.eig(self, eigenvectors=eigenvectors)

    def symeig(self, eigenvectors=False):
        """Raises RuntimeError: `torch.linalg.eigh` took its place.

        Args:
            eigenvectors (bool): ignored.
        """
        return torch._linalg_utils._symeig(self, eigenvectors=eigenvectors)

    @_try_torch_function_first
    def lu(self, pivot=True, get_infos=False):
        """Computes the LU factorisation; see `torch.lu`.

        Args:
            pivot (bool): exchanges rows for stability. Default: ``True``.
            get_infos (bool): returns error codes instead of raising. Default: ``False``.

        Returns:
            tuple of Tensor: ``(factors, pivots)`` or ``(factors, pivots, infos)``.
        """
        factors, pivots, infos = torch._lu_with_info(self, pivot=pivot, check_errors=not get_infos)
        return (factors, pivots, infos) if get_infos else (factors, pivots)

    @_try_torch_function_first
    def stft(
        self, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
        center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
        return_complex: bool | None = None, align_to_window: bool | None = None,
    ):
        """Computes the short-time Fourier transform; see `torch.stft`.

        Args:
            n_fft (int): length of the transform.
            hop_length (int, optional): distance of frames. Default: ``n_fft // 4``.
            win_length (int, optional): length of the window. Default: `n_fft`.
            window (Tensor, optional): the window. Default: ones.
            center (bool): pads the signal so that frames are centred. Default: ``True``.
            pad_mode (str): how. Default: ``"reflect"``.
            normalized (bool): divides by ``sqrt(n_fft)``. Default: ``False``.
            onesided (bool, optional): half of the spectrum only. Default: for real signals.
            return_complex (bool, optional): True for a complex result.
            align_to_window (bool, optional): only without `center`: counts frames by the window.

        Returns:
            Tensor: the spectra.
        """
        return torch.stft(
            self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided,
            return_complex=return_complex, align_to_window=align_to_window,
        )

    @_try_torch_function_first
    def istft(
        self, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
        center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
        return_complex: bool = False,
    ):
        """Computes the inverse of the short-time Fourier transform; see `torch.istft`.

        Args:
            n_fft (int): length of the transform.
            hop_length (int, optional): distance of frames. Default: ``n_fft // 4``.
            win_length (int, optional): length of the window. Default: `n_fft`.
            window (Tensor, optional): the window. Default: ones.
            center (bool): whether the frames were centred. Default: ``True``.
            normalized (bool): whether the transform was normalised. Default: ``False``.
            onesided (bool, optional): whether half of the spectrum is given. Default: where it has that
                size.
            length (int, optional): length of the signal, cut or padded with zeros.
            return_complex (bool): returns a complex signal. Default: ``False``.

        Returns:
            Tensor: the signals.
        """
        return torch.istft(
            self, n_fft, hop_length, win_length, window, center, normalized, onesided, length,
            return_complex=return_complex,
        )

    @_try_torch_function_first
    def resize(self, *sizes):
        """Returns the tensor with other sizes; deprecated: use `reshape` or `view`.

        Args:
            *sizes (int): the sizes, of as many elements.

        Returns:
            Tensor: the reshaped tensor.
        """
        warnings.warn("non-inplace resize is deprecated", stacklevel=3)
        from ._tensor_pickle import resize_as_view

        return resize_as_view(self, sizes)

    def resize_as(self, tensor):
        """Returns the tensor with the sizes of another; deprecated: use `reshape_as`.

        Args:
            tensor (Tensor): provides the sizes.

        Returns:
            Tensor: the reshaped tensor.
        """
        if has_torch_function_variadic(self, tensor):
            return handle_torch_function(Tensor.resize_as, (self, tensor), self, tensor)
        warnings.warn("non-inplace resize_as is deprecated", stacklevel=2)
        from ._tensor_pickle import resize_as_view

        return resize_as_view(self, tensor.size())

    def split(self, split_size, dim=0):
        """Splits the tensor along a dimension into views; see `torch.split`.

        Args:
            split_size (int, Tensor or list of int): size of each part, or sizes of all.
            dim (int): the dimension. Default: ``0``.

        Returns:
            tuple of Tensor: views.
        """
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.split, (self,), self, split_size, dim=dim)
        if isinstance(split_size, Tensor):
            # A tensor with several elements holds the size of each piece; int() raises ValueError for it.
            with contextlib.suppress(ValueError):
                split_size = int(split_size)
        is_one_size = isinstance(split_size, (int, torch.SymInt))
        return (torch._VF.split if is_one_size else torch._VF.split_with_sizes)(self, split_size, dim)

    @_try_torch_function_first
    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
        """Returns the distinct elements; see `torch.unique`.

        Args:
            sorted (bool): sorts them. Default: ``True``.
            return_inverse (bool): also returns where each element went. Default: ``False``.
            return_counts (bool): also returns how often each appears. Default: ``False``.
            dim (int, optional): compares slices along it. Default: elements.

        Returns:
            Tensor or tuple of Tensor: the distinct elements, then the requested indices and counts.
        """
        return torch.unique(self, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts, dim=dim)

    @_try_torch_function_first
    def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
        """Returns the first of each run of equal elements; see `torch.unique_consecutive`.

        Args:
            return_inverse (bool): also returns where each element went. Default: ``False``.
            return_counts (bool): also returns the lengths of runs. Default: ``False``.
            dim (int, optional): compares slices along it. Default: elements.

        Returns:
            Tensor or tuple of Tensor: the elements, then the requested indices and counts.
        """
        return torch.unique_consecutive(self, return_inverse=return_inverse, return_counts=return_counts, dim=dim)

    @_try_torch_function_first
    def unflatten(self, dim, sizes):
        """Splits a dimension into several; see `torch.unflatten`.

        Args:
            dim (int): the dimension.
            sizes (sequence of int): the sizes; one may be -1.

        Returns:
            Tensor: a view.

        Raises:
            RuntimeError: when `sizes` is empty or its product is not the size of the dimension.
        """
        if not sizes:
            raise RuntimeError("unflatten: sizes must be non-empty")
        return super().unflatten(dim, sizes)

    def to_sparse_coo(self):
        """Returns the tensor in COO layout, as `to_sparse()`.

        Returns:
            Tensor: a sparse tensor of the elements that are not zero.
        """
        return self.to_sparse()

    @_try_torch_function_first
    def dim_order(self, *, ambiguity_check: bool | list[torch.memory_format] = False):
        """Returns the dimensions from the outermost to the innermost in memory.

        Args:
            ambiguity_check (bool or list of torch.memory_format): raises where strides allow several orders
                (or, with formats, more than one of those). Default: ``False``.

        Returns:
            tuple of int: ``(0, 1, 2, ...)`` for contiguous tensors, ``(0, 2, 3, 1)`` for channels last.

        Raises:
            AttributeError: for sparse tensors.
            RuntimeError: when the order is ambiguous and that is checked.
        """
        if self.layout is torch.sparse_coo:
            raise AttributeError(
                f"Can't get dim order on sparse type: {self.type()} "
                "Use Tensor.to_dense() to convert to a dense tensor first."
            )
        from ._tensor_pickle import dim_order

        return dim_order(self, ambiguity_check)

    # ---- Python operators that C does not have

    @_binary
    def __rsub__(self, other: Tensor | int | float | bool | complex) -> Tensor:
        return _C._VariableFunctions.rsub(self, other)

    @_binary
    def __rdiv__(self, other: Tensor | int | float | bool | complex) -> Tensor:
        return self.reciprocal() * other

    __rtruediv__ = __rdiv__
    __itruediv__ = _C.TensorBase.__idiv__

    __pow__ = _binary(_C.TensorBase.pow)
    __ipow__ = _binary(_C.TensorBase.pow_)

    @_binary
    def __rmod__(self, other: Tensor | int | float | bool | complex) -> Tensor:
        return torch.remainder(other, self)

    @_binary
    def __rpow__(self, other: Tensor | int | float | bool | complex) -> Tensor:
        return torch.pow(other, self)

    @_binary
    def __floordiv__(self, other: Tensor | int | float | bool) -> Tensor:
        return torch.floor_divide(self, other)

    @_binary
    def __rfloordiv__(self, other: Tensor | int | float | bool) -> Tensor:
        return torch.floor_divide(other, self)

    @_binary
    def __rlshift__(self, other: Tensor | int | float | bool | complex) -> Tensor:
        return torch.bitwise_left_shift(other, self)

    @_binary
    def __rrshift__(self, other: Tensor | int | float | bool | complex) -> Tensor:
        return torch.bitwise_right_shift(other, self)

    @_binary
    def __rmatmul__(self, other: Tensor) -> Tensor:
        return torch.matmul(other, self)

    __pos__ = _C.TensorBase.positive
    __neg__ = _C.TensorBase.neg
    __abs__ = _C.TensorBase.abs

    @_try_torch_function_first
    def __format__(self, format_spec):
        if self.dim() == 0 and not self.is_meta and type(self) is Tensor:
            return self.detach().item().__format__(format_spec)
        return object.__format__(self, format_spec)

    def __len__(self):
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__len__, (self,), self)
        if self.dim() == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):  # not overridable, as in torch: iteration must keep the order of indexing
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    @_try_torch_function_first
    def __reversed__(self):
        return self if self.dim() == 0 else self.flip(0)

    def __hash__(self):
        return id(self)

    @_try_torch_function_first
    def __contains__(self, element: Any, /) -> bool:
        if isinstance(element, (Tensor, Number, torch.SymInt, torch.SymFloat, torch.SymBool)):
            return bool((element == self).any().item())
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")

    @_try_torch_function_first
    def __dir__(self):
        hidden = {"volatile"}
        if not self.is_cuda or self.is_sparse:
            hidden.add("__cuda_array_interface__")
        return sorted([name for name in (*dir(type(self)), *self.__dict__) if name not in hidden])

    # ---- exchange with other libraries

    __array_priority__ = 1000  # NumPy lets our reflected operators take precedence

    @_try_torch_function_first
    def __array__(self, dtype=None):
        return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)

    @_try_torch_function_first
    def __array_wrap__(self, array):
        if array.dtype == bool:
            array = array.astype("uint8")
        return torch.from_numpy(array)

    @property
    def __cuda_array_interface__(self):
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__cuda_array_interface__.__get__, (self,), self)
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} "
            "If CUDA data is required use tensor.cuda() to copy tensor to device memory."
        )

    __dlpack_c_exchange_api__ = _C._dlpack_exchange_api()

    def __dlpack__(
        self,
        *,
        stream: Any | None = -1,
        max_version: tuple[int, int] | None = None,
        dl_device=None,
        copy: bool | None = None,
    ):
        """Returns a DLPack capsule of this tensor, for `from_dlpack` of other libraries; memory is shared.

        Args:
            stream (int, optional): the consumer's stream; -1 or None on the CPU.
            max_version (tuple of int, optional): newest version that the consumer reads; a versioned
                capsule from (1, 0) on.
            dl_device (tuple, optional): device that the capsule has to be on.
            copy (bool, optional): True forces a copy, False forbids one.

        Returns:
            capsule: for one use.

        Raises:
            BufferError: when the tensor requires gradients, is conjugated, or is not strided.
        """
        if has_torch_function_unary(self):
            options = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
            return handle_torch_function(Tensor.__dlpack__, (self,), self, **options)
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.is_conj():
            raise BufferError("Can't export tensors with the conjugate bit set")
        if self.layout != torch.strided:
            raise BufferError("Can't export tensors with layout other than torch.strided")
        if stream is not None and type(stream) is not int:
            raise TypeError("stream must be ``int`` or ``none``")
        if self.device.type == "cpu" and stream not in (None, -1):
            raise AssertionError("stream should be None on cpu.")
        versioned = max_version is not None and max_version[0] >= 1
        export = _C._to_dlpack_versioned if versioned else _C._to_dlpack
        return export(self, dl_device=dl_device, copy=copy)

    @_try_torch_function_first
    def __dlpack_device__(self):
        """Returns the tensor's device as DLPack names it.

        Returns:
            tuple: ``(DLDeviceType, index)``.
        """
        from .utils.dlpack import DLDeviceType

        kinds = {"cpu": DLDeviceType.kDLCPU, "privateuse1": DLDeviceType.kDLExtDev, "npu": DLDeviceType.kDLExtDev}
        kind = kinds.get(self.device.type)
        if kind is None:
            raise ValueError(f"Unknown device type {self.device.type} for Dlpack")
        return (kind, self.device.index or 0)

    # ---- subclasses

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Runs `func` on plain tensors and converts its results to the subclass."""
        if not all(issubclass(cls, kind) for kind in types):
            return NotImplemented
        with _C.DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
        return result if func in get_default_nowrap_functions() else _convert(result, cls)

    __torch_dispatch__ = _C._disabled_torch_dispatch_impl


def _add_hook(hooks, hook):
    from .utils.hooks import RemovableHandle

    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def _convert(result, cls):
    """Converts every tensor in `result` to the type `cls`."""
    if cls is Tensor:
        return result
    if isinstance(result, Tensor) and not isinstance(result, cls):
        return result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        return type(result)(_convert(item, cls) for item in result)
    return result
