"""Moves and casts a Module: `_apply`, and the methods that use it."""

import warnings
from typing import Self

from ... import _C
from ..._root import torch
from ..parameter import Parameter


def _is_compatible_for_inplace_change(tensor, applied):
    """Whether `tensor.data = applied` may keep the object: same implementation, and permitted by the setting."""
    return (
        torch._has_compatible_shallow_copy_type(tensor, applied)
        and not torch.__future__.get_overwrite_module_params_on_conversion()
    )


def _is_traceable_wrapper_subclass(tensor):
    if type(tensor) in (torch.Tensor, Parameter):
        return False
    from ...utils._python_dispatch import is_traceable_wrapper_subclass

    return is_traceable_wrapper_subclass(tensor)


class _ConvertMethods:
    """As torch does, conversions keep parameter objects, so that optimizers stay attached."""

    def _apply(self, fn, recurse=True):
        """Replaces each parameter, gradient and buffer by `fn` of it."""
        if recurse:
            for child in self.children():
                child._apply(fn)
        for key, param in self._parameters.items():
            if param is not None:
                self._apply_to_parameter(fn, key, param)
        for key, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[key] = fn(buffer)
        return self

    def _apply_to_parameter(self, fn, key, param):
        with torch.no_grad():
            applied = fn(param)
        in_place = _is_compatible_for_inplace_change(param, applied)
        grad = param.grad
        swap = torch.__future__.get_swap_module_params_on_conversion() or _is_traceable_wrapper_subclass(applied)
        if swap:
            kept = self._swap_parameter(key, param, applied, grad)
        elif in_place:
            param.data = applied
            kept = param
        else:
            if not isinstance(param, Parameter):
                raise AssertionError("param must be a Parameter")
            if not param.is_leaf:
                raise AssertionError("param must be a leaf tensor")
            kept = Parameter(applied, param.requires_grad)
            self._parameters[key] = kept

        if grad is None:
            return
        with torch.no_grad():
            grad_applied = fn(grad)
        grad_in_place = _is_compatible_for_inplace_change(grad, grad_applied)
        if swap:
            grad_applied.requires_grad_(grad.requires_grad)
            try:
                torch.utils.swap_tensors(grad, grad_applied)
            except Exception as error:
                raise RuntimeError(f"_apply(): Couldn't swap {self._get_name()}.{key}.grad") from error
            kept.grad = grad
        elif grad_in_place:
            if kept.grad is None:
                raise AssertionError("out_param.grad must not be None")
            kept.grad.data = grad_applied
        else:
            if not grad.is_leaf:
                raise AssertionError("param_grad must be a leaf tensor")
            kept.grad = grad_applied.requires_grad_(grad.requires_grad)

    def _swap_parameter(self, key, param, applied, grad):
        try:
            if grad is not None:  # a gradient has a second reference, which prevents swapping
                param.grad = None
            torch.utils.swap_tensors(param, Parameter(applied, requires_grad=param.requires_grad))
        except Exception as error:
            if grad is not None:
                param.grad = grad
            raise RuntimeError(f"_apply(): Couldn't swap {self._get_name()}.{key}") from error
        return param

    def cuda(self, device: int | torch.device | None = None) -> Self:
        """Moves all parameters and buffers to a CUDA device, in place.

        Args:
            device (int or torch.device, optional): which one. Default: ``None``, the current one.

        Returns:
            Module: this module.
        """
        return self._apply(lambda t: t.cuda(device))

    def npu(self, device=None):
        """Moves all parameters and buffers to an NPU, in place.

        Args:
            device (int or torch.device, optional): which one. Default: ``None``, the current one.

        Returns:
            Module: this module.
        """
        return self._apply(lambda t: t.npu(device))

    def ipu(self, device: int | torch.device | None = None) -> Self:
        """Moves all parameters and buffers to an IPU, in place.

        Args:
            device (int or torch.device, optional): which one. Default: ``None``, the current one.

        Returns:
            Module: this module.
        """
        return self._apply(lambda t: t.ipu(device))

    def xpu(self, device: int | torch.device | None = None) -> Self:
        """Moves all parameters and buffers to an XPU, in place.

        Args:
            device (int or torch.device, optional): which one. Default: ``None``, the current one.

        Returns:
            Module: this module.
        """
        return self._apply(lambda t: t.xpu(device))

    def mtia(self, device: int | torch.device | None = None) -> Self:
        """Moves all parameters and buffers to an MTIA device, in place.

        Args:
            device (int or torch.device, optional): which one. Default: ``None``, the current one.

        Returns:
            Module: this module.
        """
        return self._apply(lambda t: t.mtia(device))

    def cpu(self) -> Self:
        """Moves all parameters and buffers to the CPU, in place; returns the module."""
        return self._apply(lambda t: t.cpu())

    def type(self, dst_type: torch.dtype | str) -> Self:
        """Casts all parameters and buffers, integers too, to `dst_type` (dtype or str), in place; returns it."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Casts floating-point parameters and buffers to float32, in place; returns the module."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Casts floating-point parameters and buffers to float64, in place; returns the module."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Self:
        """Casts floating-point parameters and buffers to float16, in place; returns the module."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self) -> Self:
        """Casts floating-point parameters and buffers to bfloat16, in place; returns the module."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def to_empty(self, *, device: str | torch.device | int | None, recurse: bool = True) -> Self:
        """Moves the module to a device without its values, in place; for modules built on the meta device.

        Args:
            device (torch.device or str): where to.
            recurse (bool): whether modules inside move too. Default: ``True``.

        Returns:
            Module: this module; its tensors are uninitialised.

        Example:
            >>> nn.Linear(2, 3, device="meta").to_empty(device="cpu").weight.device
            device(type='cpu')
        """
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def to(self, *args, **kwargs):
        """Moves and casts parameters and buffers, in place; returns the module.

        Integer tensors move but keep their dtype. Parameters stay the same objects where device
        kinds allow it, so that optimizers stay attached. The forms:

        - ``to(device=None, dtype=None, non_blocking=False)``
        - ``to(dtype, non_blocking=False)``
        - ``to(tensor, non_blocking=False)``, device and dtype of `tensor`
        - ``to(memory_format=torch.channels_last)``, for tensors of 4 or 5 dimensions

        Args:
            *args: device (torch.device, str or int), dtype (floating point or complex) or tensor.
            **kwargs: the same by name, and `non_blocking` and `memory_format`.

        Returns:
            Module: this module.

        Raises:
            TypeError: for an integer dtype.
            NotImplementedError: when parameters are on the meta device; see `to_empty`.

        Example:
            >>> nn.Linear(2, 3).to(torch.float64).weight.dtype
            torch.float64
        """
        device, dtype, non_blocking, memory_format = _C._nn._parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(
                    "Complex modules are a new feature under active development whose design may change, and some "
                    "modules might not work as expected when using complex tensors as parameters or buffers. Please "
                    "file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a "
                    "complex module does not work as expected.",
                    stacklevel=2,
                )

        def convert_tensor(t):
            wanted = dtype if t.is_floating_point() or t.is_complex() else None
            layout = {}
            if memory_format is not None and t.dim() in (4, 5):
                layout["memory_format"] = memory_format
            try:
                return t.to(device, wanted, non_blocking, **layout)
            except NotImplementedError as error:
                if str(error) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() "
                    "when moving module from meta to a different device."
                ) from None

        return self._apply(convert_tensor)

    def share_memory(self) -> Self:
        """Moves all parameters and buffers to memory shared between processes; returns the module."""
        return self._apply(lambda t: t.share_memory_())
