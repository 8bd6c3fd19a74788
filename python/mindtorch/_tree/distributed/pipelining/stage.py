"""A stage of a pipeline: it runs its part of the model for one micro-batch and exchanges tensors with its neighbours.

Outputs travel with a header (shapes, dtypes, which of them need a gradient), so micro-batches may differ in shape.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import (
    Tensor,
    autograd,
    bfloat16,
    complex64,
    complex128,
    device,
    empty,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    nn,
    tensor,
    uint8,
    zeros_like,
)
from ... import bool as bool_dtype
from ...nn.parallel import DistributedDataParallel
from .._refusing import define_names_that_raise_when_used
from ..distributed_c10d import get_global_rank, get_rank, get_world_size, group, irecv, isend
from ._errors import PipeliningMetadataError, describe_shapes

if TYPE_CHECKING:
    from ..distributed_c10d import ProcessGroup

__all__ = ["PipelineStage", "build_stage"]

define_names_that_raise_when_used(__name__, functions="build_stage")

# The header of a message between stages names a dtype by its index in this tuple.
_DTYPES = (
    float32,
    float64,
    float16,
    bfloat16,
    int8,
    int16,
    int32,
    int64,
    uint8,
    bool_dtype,
    complex64,
    complex128,
)
_ACTIVATION, _GRADIENT = 0, 1


class _Chunk(NamedTuple):
    """What the backward of a micro-batch needs."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


class PipelineStage:
    """One stage of a model whose stages follow each other; a schedule runs it.

    Args:
        submodule (nn.Module): the stage's part of the model. Its positional arguments are the outputs of the stage
            before.
        stage_index (int): the stage's position, from 0.
        num_stages (int): the number of stages; at least one per rank.
        device (torch.device): the device on which the stage computes.
        input_args (Tensor or tuple of Tensor, optional): ignored; each micro-batch has its shapes with it.
        output_args (Tensor or tuple of Tensor, optional): examples of the outputs, with which they are compared.
        output_grads (Tensor or tuple of Tensor, optional): ignored.
        input_grads (Tensor or tuple of Tensor, optional): ignored.
        group (ProcessGroup, optional): the ranks of the pipeline; stage i is on rank i modulo their number.
            Default: the default group.
        dw_builder (callable, optional): unsupported.
        get_mesh (callable, optional): unsupported.

    Raises:
        ValueError: when there is no stage of this index.
        RuntimeError: when there are more ranks than stages.

    Example:
        >>> import torch, torch.distributed as dist
        >>> from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
        >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        >>> stage = PipelineStage(torch.nn.Linear(2, 2), 0, 1, torch.device("cpu"))
        >>> schedule = ScheduleGPipe(stage, 2, loss_fn=torch.nn.functional.mse_loss)
        >>> losses = []
        >>> schedule.step(torch.ones(4, 2), target=torch.zeros(4, 2), losses=losses).shape, len(losses)
        (torch.Size([4, 2]), 2)
        >>> dist.destroy_process_group()
    """

    def __init__(
        self,
        submodule: nn.Module,
        stage_index: int,
        num_stages: int,
        device: device,
        input_args: Tensor | tuple[Tensor, ...] | None = None,
        output_args: Tensor | tuple[Tensor, ...] | None = None,
        output_grads: Tensor | tuple[Tensor | None, ...] | None = None,
        input_grads: Tensor | tuple[Tensor | None, ...] | None = None,
        group: ProcessGroup | None = None,
        dw_builder: Callable[[], Callable[..., None]] | None = None,
        get_mesh=None,
    ) -> None:
        if stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        if dw_builder is not None or get_mesh is not None:
            name = "dw_builder" if dw_builder is not None else "get_mesh"
            raise NotImplementedError(f"torch.distributed.pipelining.PipelineStage(..., {name}) is not in this build")
        self.submod, self.stage_index, self.num_stages, self.device = submodule, stage_index, num_stages, device
        self.group, self.group_rank, self.group_size = group, get_rank(group), get_world_size(group)
        if self.group_size > num_stages:
            raise RuntimeError(
                f"Pipeline group size {self.group_size} cannot be larger than number of stages {num_stages}"
            )
        self.stage_index_to_group_rank = {stage: stage % self.group_size for stage in range(num_stages)}
        self.log_prefix, self.has_backward = f"[Stage {stage_index}]", False
        self._expected = None if output_args is None else _as_tensor_tuple(output_args)
        self._clear_microbatch_state()

    def _clear_microbatch_state(self):
        """Forgets the micro-batches of the step before."""
        self.fwd_cache, self.output_chunks, self._sends = {}, [], []
        # Tensors of stages on this rank, which need no message: (direction, micro-batch) -> tensors.
        self._delivered: dict[tuple[int, int], Any] = {}

    @property
    def is_first(self) -> bool:
        """Whether this is the first stage."""
        return self.stage_index == 0

    @property
    def is_last(self) -> bool:
        """Whether this is the last stage."""
        return self.stage_index == self.num_stages - 1

    def _global_rank_of_stage(self, stage):
        return get_global_rank(self.group or group.WORLD, self.stage_index_to_group_rank[stage])

    def _is_stage_on_own_rank(self, stage):
        return self.stage_index_to_group_rank[stage] == self.group_rank

    def _message_tag(self, direction, chunk):
        """The tag of messages across the boundary before this stage."""
        return (chunk * self.num_stages + self.stage_index) * 2 + direction

    def _send_to_stage(self, value, stage, tag):
        value = value.detach().contiguous()
        self._sends.append(
            (isend(value, self._global_rank_of_stage(stage), self.group, tag), value)
        )  # the value must live on

    def _receive_from_stage(self, value, stage, tag):
        irecv(value, self._global_rank_of_stage(stage), self.group, tag).wait()
        return value

    def _finish_sends(self):
        for work, _ in self._sends:
            work.wait()
        self._sends.clear()

    def _send_outputs(self, outputs, chunk, following):
        """Sends the outputs of a micro-batch to the next stage; `following` is that stage if it is on this rank."""
        if following is not None:
            following._delivered[_ACTIVATION, chunk] = [
                value.detach().requires_grad_(value.requires_grad and self.has_backward) for value in outputs
            ]
            return
        next_stage, tag = self.stage_index + 1, self._message_tag(_ACTIVATION, chunk) + 2
        header = [len(outputs)]
        for value in outputs:
            header += [_DTYPES.index(value.dtype), int(value.requires_grad), value.dim(), *value.shape]
        self._send_to_stage(tensor([len(header)]), next_stage, tag)
        self._send_to_stage(tensor(header), next_stage, tag)
        for value in outputs:
            self._send_to_stage(value, next_stage, tag)

    def _receive_inputs(self, chunk):
        if self._is_stage_on_own_rank(self.stage_index - 1):
            return tuple(self._delivered.pop((_ACTIVATION, chunk)))
        source, tag = self.stage_index - 1, self._message_tag(_ACTIVATION, chunk)
        length = self._receive_from_stage(empty(1, dtype=int64), source, tag).item()
        count, *fields = self._receive_from_stage(empty(length, dtype=int64), source, tag).tolist()
        inputs = []
        for _ in range(count):
            dtype, needs_gradient, dims, *rest = fields
            shape, fields = rest[:dims], rest[dims:]
            value = self._receive_from_stage(empty(shape, dtype=_DTYPES[dtype], device=self.device), source, tag)
            inputs.append(value.requires_grad_(needs_gradient == 1 and self.has_backward))
        return tuple(inputs)

    def _receive_gradients(self, outputs, chunk):
        if self._is_stage_on_own_rank(self.stage_index + 1):
            return self._delivered.pop((_GRADIENT, chunk))
        source, tag = self.stage_index + 1, self._message_tag(_GRADIENT, chunk) + 2
        return [self._receive_from_stage(empty(value.shape, dtype=value.dtype, device=value.device), source, tag)
                for value in outputs]  # fmt: skip

    def _send_gradients(self, inputs, chunk, previous):
        """Sends the gradients of a micro-batch's inputs to the stage before, which is `previous` if it is here."""
        gradients = []
        for value in inputs:
            if value.requires_grad:
                gradients.append(zeros_like(value) if value.grad is None else value.grad)
        if previous is not None:
            previous._delivered[_GRADIENT, chunk] = gradients
            return
        for gradient in gradients:
            self._send_to_stage(gradient, self.stage_index - 1, self._message_tag(_GRADIENT, chunk))

    def _forward(self, chunk, args, kwargs, following=None, keep_output=True):
        """Runs one micro-batch; returns what the submodule returned."""
        inputs = tuple(args) if self.is_first else self._receive_inputs(chunk)
        try:
            result = self._call_submodule(inputs, kwargs)
        except Exception as error:
            indent = "            "
            raise RuntimeError(
                f"\n{indent}{self.log_prefix} failed to run forward:\n{indent}args: {describe_shapes(inputs)}\n"
                f"{indent}kwargs: {describe_shapes(kwargs)}\n{indent}"
            ) from error
        outputs = () if self.is_last else _as_tensor_tuple(result)  # a pipeline may return any structure
        if self._expected is not None:
            self._check_output_shapes(_as_tensor_tuple(result))
        if self.is_last:
            if keep_output:
                self.output_chunks.append(result)
        else:
            self._send_outputs(outputs, chunk, following)
        if self.has_backward:
            self.fwd_cache[chunk] = _Chunk(inputs, outputs)
        return result

    def _call_submodule(self, inputs, kwargs):
        if isinstance(self.submod, DistributedDataParallel):  # only the last backward of a step averages gradients
            with self.submod.no_sync():
                return self.submod(*inputs, **kwargs)
        return self.submod(*inputs, **kwargs)

    def _check_output_shapes(self, outputs):
        title = f"Stage {self.stage_index} forward outputs"
        if len(outputs) != len(self._expected):
            raise PipeliningMetadataError(f"{title}: expected {len(self._expected)} tensors, got {len(outputs)}")
        for index, (value, expected) in enumerate(zip(outputs, self._expected)):
            for name in ("shape", "dtype"):
                if getattr(value, name) != getattr(expected, name):
                    raise PipeliningMetadataError(
                        f"{title}[{index}]: {name} mismatch: expected {getattr(expected, name)}, "
                        f"got {getattr(value, name)}"
                    )

    def _backward(self, chunk, loss=None, previous=None, is_last_backward=False):
        """Runs the backward of one micro-batch, from its loss in the last stage."""
        inputs, outputs = self.fwd_cache.pop(chunk)
        if self.is_last:
            roots, gradients = [loss], None
        else:
            roots = [value for value in outputs if value.requires_grad]
            gradients = self._receive_gradients(roots, chunk)
        self._prepare_gradient_sync([loss] if self.is_last else outputs, is_last_backward)
        try:
            if roots:
                autograd.backward(roots, gradients)
        except Exception as error:
            indent = "        "
            raise RuntimeError(
                f"\n{indent}Failed to run stage backward:\n{indent}Stage output: {describe_shapes(tuple(roots))}\n"
                f"{indent}Output gradient: {describe_shapes(None if gradients is None else tuple(gradients))}\n"
                f"{indent}Input: {describe_shapes(list(inputs))}\n{indent}"
            ) from error
        if not self.is_first:
            self._send_gradients(inputs, chunk, previous)

    def _prepare_gradient_sync(self, outputs, is_last_backward):
        """Lets a data-parallel submodule reduce gradients in the last backward of the step only."""
        if hasattr(self.submod, "set_requires_gradient_sync"):  # fully_shard
            self.submod.set_is_last_backward(is_last_backward)
            self.submod.set_requires_gradient_sync(is_last_backward)
        elif is_last_backward and isinstance(self.submod, DistributedDataParallel):
            self.submod.reducer.prepare_for_forward()
            self.submod.reducer.prepare_for_backward(list(outputs))

    def _scale_gradients(self, divisor):
        for parameter in self.submod.parameters():
            if parameter.grad is not None:
                parameter.grad.div_(divisor)


def _as_tensor_tuple(result) -> tuple[Tensor, ...]:
    """Returns a stage's result as a tuple of tensors."""
    if result is None:
        return ()
    if isinstance(result, Tensor):
        return (result,)
    if not isinstance(result, (tuple, list)):
        raise PipeliningMetadataError(
            f"Stage args must be a tensor, tuple, or list of tensors, got {type(result).__name__}."
        )
    for index, value in enumerate(result):
        if not isinstance(value, Tensor):
            raise PipeliningMetadataError(
                f"Stage arg[{index}] has type {type(value).__name__}. "
                "All stage args must be tensors. Use kwargs for non-tensor inputs."
            )
    return tuple(result)
