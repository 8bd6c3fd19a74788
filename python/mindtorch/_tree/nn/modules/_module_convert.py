"""Moving and casting a Module: `_apply` and all that is built on it."""

import warnings

from ... import _C
from ..._root import torch
from ..parameter import Parameter


def _changes_in_place(tensor, applied):
    """Whether `tensor.data = applied` may keep the object: same implementation, and not told otherwise."""
    return (
        torch._has_compatible_shallow_copy_type(tensor, applied)
        and not torch.__future__.get_overwrite_module_params_on_conversion()
    )


def _wraps_tensors(tensor):
    if type(tensor) in (torch.Tensor, Parameter):
        return False
    from ...utils._python_dispatch import is_traceable_wrapper_subclass

    return is_traceable_wrapper_subclass(tensor)


class _ConvertMethods:
    """Conversions keep parameter objects where torch keeps them, so that optimizers stay attached."""

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
        in_place = _changes_in_place(param, applied)
        grad = param.grad
        swap = torch.__future__.get_swap_module_params_on_conversion() or _wraps_tensors(applied)
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
        grad_in_place = _changes_in_place(grad, grad_applied)
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
            if grad is not None:  # a gradient holds a second reference, which swapping refuses
                param.grad = None
            torch.utils.swap_tensors(param, Parameter(applied, requires_grad=param.requires_grad))
        except Exception as error:
            if grad is not None:
                param.grad = grad
            raise RuntimeError(f"_apply(): Couldn't swap {self._get_name()}.{key}") from error
        return param

    def cuda(self, device=None):
        """Moves to a CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def npu(self, device=None):
        """Moves to an NPU."""
        return self._apply(lambda t: t.npu(device))

    def ipu(self, device=None):
        """Moves to an IPU."""
        return self._apply(lambda t: t.ipu(device))

    def xpu(self, device=None):
        """Moves to an XPU."""
        return self._apply(lambda t: t.xpu(device))

    def mtia(self, device=None):
        """Moves to an MTIA device."""
        return self._apply(lambda t: t.mtia(device))

    def cpu(self):
        """Moves to the CPU."""
        return self._apply(lambda t: t.cpu())

    def type(self, dst_type):
        """Casts all parameters and buffers to `dst_type`."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Casts floating point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """Casts floating point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """Casts floating point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """Casts floating point parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def to_empty(self, *, device, recurse=True):
        """Moves to `device` without copying values."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def to(self, *args, **kwargs):
        """Moves and casts, as Tensor.to does; integer tensors keep their dtype."""
        device, dtype, non_blocking, memory_format = _C._nn._parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(
                    "Complex modules are a new feature under active development whose design may change, "
                    "and some modules might not work as expected when using complex tensors as parameters or buffers. "
                    "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
                    "if a complex module does not work as expected.",
                    stacklevel=2,
                )

        def convert(t):
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

        return self._apply(convert)

    def share_memory(self):
        """Moves parameters and buffers to shared memory."""
        return self._apply(lambda t: t.share_memory_())
