"""DataParallel: one process, a replica of the module per accelerator; without accelerators, the module itself."""

from itertools import chain
from collections.abc import Sequence
from typing import Any

from ..._root import torch
from ..._utils import _get_all_device_indices, _get_available_device_type, _get_device_index
from ..modules.module import Module
from .parallel_apply import parallel_apply
from .replicate import replicate
from .scatter_gather import gather, scatter_kwargs

__all__ = ["DataParallel", "data_parallel"]


def _check_device(module, device):
    for tensor in chain(module.parameters(), module.buffers()):
        if tensor.device != device:
            raise RuntimeError(
                "module must have its parameters and buffers "
                f"on device {device} (device_ids[0]) but found one of "
                f"them on device: {tensor.device}"
            )


def _device_indices(device_ids, output_device):
    """Returns the device numbers to use, by default all, and the one for outputs."""
    chosen = _get_all_device_indices() if device_ids is None else device_ids
    if chosen is None:
        raise RuntimeError("no available devices were found")
    last = chosen[0] if output_device is None else output_device
    return [_get_device_index(device, True) for device in chosen], _get_device_index(last, True)


def _call_on_parts(module, device, device_ids, inputs, kwargs, scatter, replicate, parallel_apply, gather):
    """Calls a module on parts of a batch, each on its own device if there are several."""
    _check_device(module, device)
    inputs, kwargs = scatter(inputs, kwargs, device_ids)
    if not inputs and not kwargs:  # a module without arguments still runs once
        inputs, kwargs = ((),), ({},)
    if len(device_ids) == 1:
        return module(*inputs[0], **kwargs[0])
    return gather(parallel_apply(replicate(module, device_ids[: len(inputs)]), inputs, kwargs))


class DataParallel(Module):
    """Splits each batch over the accelerators of one process, with a replica of the module on each.

    Without accelerators it calls the module itself. `DistributedDataParallel`, one process per
    device, is faster.

    Args:
        module (Module): on ``device_ids[0]``.
        device_ids (list of int or torch.device, optional): the devices. Default: ``None``, all.
        output_device (int or torch.device, optional): where outputs go. Default: ``None``,
            ``device_ids[0]``.
        dim (int): the dimension of the batch. Default: ``0``.

    Shape:
        - input, output: those of `module`.

    Attributes:
        module (Module): the wrapped module.

    Example:
        >>> model = nn.DataParallel(nn.Linear(2, 3))
        >>> model.module.weight.shape
        torch.Size([3, 2])
    """

    def __init__(
        self,
        module: torch.nn.Module,
        device_ids: Sequence[int | torch.device] | None = None,
        output_device: int | torch.device | None = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        kind = _get_available_device_type()
        if kind is None or kind == "mps":
            self.module = module
            self.device_ids = []
            return
        self.dim = dim
        self.module = module
        self.device_ids, self.output_device = _device_indices(device_ids, output_device)
        self.src_device_obj = torch.device(kind, self.device_ids[0])
        if len(self.device_ids) == 1:
            self.module.to(self.src_device_obj)

    def __class_getitem__(cls, item):
        return cls

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the module on each part of the batch and joins the outputs.

        Args:
            *inputs: arguments; tensors in them are split.
            **kwargs: keyword arguments, likewise.

        Returns:
            Any: what the module returns, on `output_device`.

        Raises:
            RuntimeError: when the module is not on ``device_ids[0]``.
        """
        with torch.autograd.profiler.record_function("DataParallel.forward"):
            if not self.device_ids:
                return self.module(*inputs, **kwargs)
            return _call_on_parts(
                self.module, self.src_device_obj, self.device_ids, inputs, kwargs, self.scatter, self.replicate,
                self.parallel_apply, lambda outputs: self.gather(outputs, self.output_device),
            )  # fmt: skip

    def replicate(self, module: torch.nn.Module, device_ids: Sequence[int | torch.device]) -> list[torch.nn.Module]:
        """Returns a copy of `module` for each of `device_ids`; gradients propagate back to it."""
        return replicate(module, device_ids, not torch.is_grad_enabled())

    def scatter(
        self, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, device_ids: Sequence[int | torch.device]
    ) -> Any:
        """Returns the parts of `inputs` and `kwargs` for each of `device_ids`."""
        return scatter_kwargs(inputs, kwargs, device_ids, dim=self.dim)

    def parallel_apply(self, replicas: Sequence[torch.nn.Module], inputs: Sequence[Any], kwargs: Any) -> list[Any]:
        """Calls each of `replicas` on its part of `inputs` and `kwargs`; returns the outputs."""
        return parallel_apply(replicas, inputs, kwargs, self.device_ids[: len(replicas)])

    def gather(self, outputs: Any, output_device: int | torch.device) -> Any:
        """Returns `outputs` concatenated along the batch, on `output_device`."""
        return gather(outputs, output_device, dim=self.dim)


def data_parallel(
    module: torch.nn.Module, inputs: Any, device_ids: Sequence[int | torch.device] | None = None,
    output_device: int | torch.device | None = None, dim: int = 0, module_kwargs: Any | None = None,
) -> torch.Tensor:  # fmt: skip
    """Calls a module once with its batch split over the accelerators: `DataParallel` as a function.

    Returns what the module returns, on `output_device`.

    Args:
        module (Module): on ``device_ids[0]``.
        inputs (tuple or object): its arguments.
        device_ids (list of int or torch.device, optional): the devices. Default: ``None``, all.
        output_device (int or torch.device, optional): where outputs go. Default: ``None``,
            ``device_ids[0]``.
        dim (int): the dimension of the batch. Default: ``0``.
        module_kwargs (dict, optional): its keyword arguments. Default: ``None``.

    Returns:
        Any: the output.

    Raises:
        RuntimeError: without an accelerator.

    Example:
        >>> if torch.accelerator.is_available():
        ...     model = nn.Linear(2, 3).to(torch.accelerator.current_accelerator())
        ...     assert nn.parallel.data_parallel(model, torch.ones(4, 2)).shape == (4, 3)
    """
    if not isinstance(inputs, tuple):
        inputs = () if inputs is None else (inputs,)
    kind = _get_available_device_type()
    if kind is None:
        raise RuntimeError("device type could not be determined")
    device_ids, output_device = _device_indices(device_ids, output_device)
    return _call_on_parts(
        module, torch.device(kind, device_ids[0]), device_ids, inputs, module_kwargs,
        scatter=lambda inputs, kwargs, devices: scatter_kwargs(inputs, kwargs, devices, dim),
        replicate=replicate,
        parallel_apply=lambda replicas, *parts: parallel_apply(replicas, *parts, device_ids[: len(replicas)]),
        gather=lambda outputs: gather(outputs, output_device, dim),
    )  # fmt: skip
