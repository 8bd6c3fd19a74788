"""Groups tensors by device and dtype for `_foreach_*` operators and fused optimizers."""

from .._root import torch


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cuda", "xpu", "mtia", torch._C._get_privateuse1_backend_name()]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", torch._C._get_privateuse1_backend_name()]


def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices: bool = False):
    """Splits parallel lists into groups by the first list's device and dtype.

    Returns {(device, dtype): (lists, indices)}; indices are the positions in the given lists.
    """
    groups: dict = {}
    for index, tensor in enumerate(tensorlistlist[0]):
        if tensor is None:
            raise RuntimeError("Tensors of the first list of nested Tensor lists are supposed to be defined but the "
                               f"{index}-th Tensor is not.")
        key = (tensor.device, tensor.dtype)
        lists, indices = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for target, source in zip(lists, tensorlistlist):
            if source:
                target.append(source[index])
        if with_indices:
            indices.append(index)
    return groups


def _device_has_foreach_support(device) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu") and not torch.jit.is_scripting()


def _has_foreach_support(tensors, device) -> bool:
    return _device_has_foreach_support(device) and all(
        tensor is None or type(tensor) in _foreach_supported_types() for tensor in tensors
    )


def _foreach_supported_types():
    return [torch.Tensor, torch.nn.parameter.Parameter]
