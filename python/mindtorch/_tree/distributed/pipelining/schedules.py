"""Schedules: the order in which each rank runs forwards and backwards of micro-batches.

A schedule is a list of computations for this rank. One loop (`_run`) executes all schedules; stages exchange tensors
themselves and send without waiting, so any order that respects the dependencies ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

from ... import Tensor, is_grad_enabled, tensor_split
from ...utils._pytree import tree_map_only
from .._refusing import define_names_that_raise_when_used
from .microbatch import TensorChunkSpec, merge_chunks, split_args_kwargs_into_chunks
from .stage import PipelineStage

__all__ = [
    "get_schedule_class",
    "PipelineScheduleSingle",
    "PipelineScheduleMulti",
    "Schedule1F1B",
    "ScheduleGPipe",
    "ScheduleInterleaved1F1B",
    "ScheduleLoopedBFS",
    "ScheduleInterleavedZeroBubble",
    "ScheduleZBVZeroBubble",
    "ScheduleDualPipeV",
]

define_names_that_raise_when_used(__name__, "ScheduleInterleavedZeroBubble ScheduleZBVZeroBubble ScheduleDualPipeV")


class _Computation(NamedTuple):
    """The forward or backward of one micro-batch in one stage."""

    stage: int
    is_forward: bool
    chunk: int


class _PipelineSchedule(ABC):
    """What all schedules share: splitting the batch, running the computations, losses and outputs."""

    _stages: list[PipelineStage]

    def __init__(
        self,
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
    ):
        self._n_microbatches, self._loss_fn, self.scale_grads = n_microbatches, loss_fn, scale_grads
        self._args_chunk_spec, self._kwargs_chunk_spec = args_chunk_spec, kwargs_chunk_spec
        self._output_merge_spec = output_merge_spec
        self._has_backward = loss_fn is not None

    @abstractmethod
    def _list_computations(self) -> list[_Computation]:
        """Returns this rank's computations in order."""

    def step(
        self,
        *args,
        target=None,
        losses: list | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
        **kwargs,
    ):
        """Runs one batch: forwards, and backwards if there is a loss function. All ranks call it.

        Args:
            *args (object): the arguments of the first stage; other ranks pass none.
            target (Tensor, optional): the target of the loss function, on the rank of the last stage.
            losses (list, optional): is filled with the losses of the micro-batches, on the rank of the last stage.
            return_outputs (bool): whether the outputs are kept and merged. Default: ``True``.
            loss_kwargs (dict, optional): keyword arguments of the loss function.
            **kwargs (object): keyword arguments of this rank's stages.

        Returns:
            object: the merged outputs on the rank of the last stage, else None.

        Raises:
            RuntimeError: when gradients are disabled and there is a loss function.
        """
        if self._has_backward and not is_grad_enabled():
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used under "
                "torch.no_grad() context. Please call eval() instead."
            )
        return self._run_schedule_step(args, kwargs, target, losses, return_outputs, loss_kwargs, self._has_backward)

    def eval(self, *args, target=None, losses: list | None = None, **kwargs):
        """Runs the forwards of one batch.

        Args:
            *args (object): the arguments of the first stage; other ranks pass none.
            target (Tensor, optional): as of `step`.
            losses (list, optional): as of `step`.
            **kwargs (object): keyword arguments of this rank's stages.

        Returns:
            object: the merged outputs on the rank of the last stage, else None.
        """
        return self._run_schedule_step(args, kwargs, target, losses, True, None, has_backward=False)

    def _run_schedule_step(self, args, kwargs, target, losses, return_outputs, loss_kwargs, has_backward):
        args_chunks, kwargs_chunks = self._split_inputs(args, kwargs)
        targets = None if target is None else list(tensor_split(target, self._n_microbatches))
        args_chunks, kwargs_chunks = self._check_inputs(args_chunks, kwargs_chunks, targets, losses)
        for stage in self._stages:
            stage._clear_microbatch_state()
            stage.has_backward = has_backward
        found = self._run_computations(
            args_chunks, kwargs_chunks, targets, return_outputs, loss_kwargs or {}, has_backward
        )
        last = [stage for stage in self._stages if stage.is_last]
        if last and losses is not None and self._loss_fn is not None:
            losses[:] = found
        if not last or not return_outputs:
            return None
        chunks = last[0].output_chunks
        if has_backward:  # their graphs are freed
            chunks = tree_map_only(Tensor, Tensor.detach, chunks)
        return self._merge_outputs(chunks)

    def _run_computations(self, args_chunks, kwargs_chunks, targets, return_outputs, loss_kwargs, has_backward):
        """Executes this rank's computations; returns the losses of the micro-batches."""
        computations = [step for step in self._list_computations() if step.is_forward or has_backward]
        stages = {stage.stage_index: stage for stage in self._stages}
        last_backward = {step.stage: step.chunk for step in computations if not step.is_forward}
        losses = {}
        for index, is_forward, chunk in computations:
            stage = stages[index]
            if is_forward:
                result = stage._forward(
                    chunk, args_chunks[chunk], kwargs_chunks[chunk], stages.get(index + 1), return_outputs
                )
                if stage.is_last and self._loss_fn is not None:
                    target = None if targets is None else targets[chunk]
                    losses[chunk] = self._loss_fn(result, target, **loss_kwargs)
                continue
            loss = losses.get(chunk) if stage.is_last else None
            is_last_backward = last_backward[index] == chunk
            stage._backward(chunk, loss, stages.get(index - 1), is_last_backward)
            if is_last_backward and self.scale_grads:
                stage._scale_gradients(self._n_microbatches)
        for stage in self._stages:
            stage._finish_sends()
        return [losses[chunk] for chunk in sorted(losses)]

    def _check_inputs(self, arg_mbs=None, kwarg_mbs=None, target_mbs=None, losses=None):
        """Returns the arguments of all micro-batches; refuses lists that have another length."""
        for name, chunks in (("arg_mbs", arg_mbs), ("kwarg_mbs", kwarg_mbs), ("target_mbs", target_mbs)):
            if chunks is None:
                continue
            if not isinstance(chunks, list):
                raise TypeError(f"{name} must be a list but got a {type(chunks)}")
            if len(chunks) != self._n_microbatches:
                raise ValueError(f"Expecting {self._n_microbatches} {name} but got {len(chunks)}")
        if losses is not None and not isinstance(losses, list):
            raise TypeError(f"losses must be a list but got a {type(losses)}")
        nothing = range(self._n_microbatches)
        return arg_mbs or [() for _ in nothing], kwarg_mbs or [{} for _ in nothing]

    def _split_inputs(self, args, kwargs):
        if not args and not kwargs:
            return None, None
        return split_args_kwargs_into_chunks(
            args, kwargs, self._n_microbatches, self._args_chunk_spec, self._kwargs_chunk_spec
        )

    def _merge_outputs(self, output_chunks):
        return merge_chunks(output_chunks, self._output_merge_spec)


class PipelineScheduleSingle(_PipelineSchedule):
    """The base of schedules with one stage on each rank.

    Args:
        stage (PipelineStage): this rank's stage.
        n_microbatches (int): into how many micro-batches `step` splits the batch.
        loss_fn (callable, optional): computes the loss of a micro-batch from its output and target. Without one,
            `step` runs forwards only.
        args_chunk_spec (tuple[TensorChunkSpec, ...], optional): how positional arguments are split. Default:
            tensors along their first dimension.
        kwargs_chunk_spec (dict[str, TensorChunkSpec], optional): how keyword arguments are split.
        output_merge_spec (optional): how outputs are merged. Default: along the first dimension.
        scale_grads (bool): whether gradients are divided by the number of micro-batches. Default: ``True``.
    """

    def __init__(
        self,
        stage: PipelineStage,
        n_microbatches: int,
        loss_fn: Callable | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
    ):
        super().__init__(n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)
        self._stage, self._num_stages, self._stages = stage, stage.num_stages, [stage]


class ScheduleGPipe(PipelineScheduleSingle):
    """Runs the forwards of all micro-batches, then their backwards."""

    def _list_computations(self):
        return [
            _Computation(self._stage.stage_index, is_forward, chunk)
            for is_forward in (True, False)
            for chunk in range(self._n_microbatches)
        ]


class Schedule1F1B(PipelineScheduleSingle):
    """Alternates forwards and backwards once the pipeline is full; a stage keeps fewer activations than in GPipe.

    It has PipelineScheduleSingle's arguments.

    Raises:
        ValueError: when there are fewer micro-batches than stages.
    """

    def __init__(
        self,
        stage: PipelineStage,
        n_microbatches: int,
        loss_fn: Callable | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
    ):
        super().__init__(
            stage, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads
        )
        if n_microbatches < self._num_stages:
            raise ValueError(
                f"Number of microbatches ({n_microbatches}) must be greater than "
                f"or equal to the number of stages ({self._num_stages})."
            )

    def _list_computations(self):
        stage, chunks = self._stage.stage_index, range(self._n_microbatches)
        forwards = [_Computation(stage, True, chunk) for chunk in chunks]
        backwards = [_Computation(stage, False, chunk) for chunk in chunks]
        # The last stage starts its first backward after one forward, each stage before it one forward later.
        return _alternate_forwards_and_backwards(forwards, backwards, ahead=self._num_stages - stage - 1)


class PipelineScheduleMulti(_PipelineSchedule):
    """The base of schedules with several stages on each rank.

    Args:
        stages (list[PipelineStage]): this rank's stages, in order.
        n_microbatches (int): into how many micro-batches `step` splits the batch.
        loss_fn (callable, optional): computes the loss of a micro-batch from its output and target. Without one,
            `step` runs forwards only.
        args_chunk_spec (tuple[TensorChunkSpec, ...], optional): how positional arguments are split. Default:
            tensors along their first dimension.
        kwargs_chunk_spec (dict[str, TensorChunkSpec], optional): how keyword arguments are split.
        output_merge_spec (optional): how outputs are merged. Default: along the first dimension.
        use_full_backward (bool, optional): ignored; backwards are always complete.
        scale_grads (bool): whether gradients are divided by the number of micro-batches. Default: ``True``.
        backward_requires_autograd (bool): must be ``True``. Default: ``True``.
    """

    def __init__(
        self,
        stages: list[PipelineStage],
        n_microbatches: int,
        loss_fn: Callable | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        use_full_backward: bool | None = None,
        scale_grads: bool = True,
        backward_requires_autograd: bool = True,
    ):
        super().__init__(n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)
        if not backward_requires_autograd:
            name = f"{type(self).__name__}(..., backward_requires_autograd=False)"
            raise NotImplementedError(f"torch.distributed.pipelining.{name} is not in this build")
        self._stages, self._num_stages = stages, stages[0].num_stages
        self.pp_group_size, self.rank = stages[0].group_size, stages[0].group_rank
        self.stage_index_to_group_rank = stages[0].stage_index_to_group_rank


class ScheduleInterleaved1F1B(PipelineScheduleMulti):
    """1F1B with several stages on each rank: micro-batches pass all stages in rounds, the earlier ones first.

    See Narayanan et al., https://arxiv.org/abs/2104.04473. Arguments are PipelineScheduleMulti's; `defer_pp_recv` is
    ignored, because inputs are received when they are needed.

    Raises:
        ValueError: when the micro-batches cannot be divided by the number of rounds, which is that of micro-batches
            divided by ranks, rounded down, and at least 1.
    """

    def __init__(
        self,
        stages: list[PipelineStage],
        n_microbatches: int,
        loss_fn: Callable | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
        backward_requires_autograd: bool = True,
        defer_pp_recv: bool = False,
    ):
        super().__init__(
            stages,
            n_microbatches,
            loss_fn,
            args_chunk_spec,
            kwargs_chunk_spec,
            output_merge_spec,
            scale_grads=scale_grads,
            backward_requires_autograd=backward_requires_autograd,
        )
        self.n_local_stages, self.number_of_rounds = len(stages), max(1, n_microbatches // self.pp_group_size)
        if n_microbatches % self.number_of_rounds:
            raise ValueError(
                "Interleaved 1F1B requires the number of microbatches to be a multiple of the number of rounds "
                f"({self.number_of_rounds}), but got {n_microbatches}."
            )
        self.microbatches_per_round = n_microbatches // self.number_of_rounds

    def _list_computations(self):
        def order_by_rounds(stages, is_forward):
            size = self.microbatches_per_round
            return [
                _Computation(stage.stage_index, is_forward, start + offset)
                for start in range(0, self._n_microbatches, size)
                for stage in stages
                for offset in range(size)
            ]

        ranks_behind = self.pp_group_size - 1 - self.rank
        return _alternate_forwards_and_backwards(
            order_by_rounds(self._stages, is_forward=True),
            order_by_rounds(self._stages[::-1], is_forward=False),
            ahead=(self.n_local_stages - 1) * self.microbatches_per_round + 2 * ranks_behind,
        )


class ScheduleLoopedBFS(PipelineScheduleMulti):
    """Runs all micro-batches through one stage of the rank, then through the next.

    See Lamy-Poirier, https://arxiv.org/abs/2211.05953. Arguments are PipelineScheduleMulti's; `defer_pp_recv` is
    ignored, because inputs are received when they are needed.
    """

    def __init__(
        self,
        stages: list[PipelineStage],
        n_microbatches: int,
        loss_fn: Callable | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
        backward_requires_autograd: bool = True,
        defer_pp_recv: bool = False,
    ):
        super().__init__(
            stages,
            n_microbatches,
            loss_fn,
            output_merge_spec=output_merge_spec,
            scale_grads=scale_grads,
            backward_requires_autograd=backward_requires_autograd,
        )

    def _list_computations(self):
        chunks = range(self._n_microbatches)
        forwards = [_Computation(stage.stage_index, True, chunk) for stage in self._stages for chunk in chunks]
        return forwards + [step._replace(is_forward=False) for step in reversed(forwards)]


def _alternate_forwards_and_backwards(forwards, backwards, ahead):
    """Returns forwards and backwards in turn, after `ahead` forwards."""
    ahead = min(ahead, len(forwards))
    order = forwards[:ahead]
    for forward, backward in zip(forwards[ahead:], backwards):
        order += [forward, backward]
    return order + backwards[len(forwards) - ahead :]


def get_schedule_class(schedule_name: str):
    """Returns the class of a schedule.

    Args:
        schedule_name (str): its name without "Schedule", in any case.

    Returns:
        type: the class.

    Raises:
        ValueError: when there is no such schedule.

    Example:
        >>> from torch.distributed.pipelining.schedules import get_schedule_class
        >>> get_schedule_class("gpipe").__name__
        'ScheduleGPipe'
    """
    names = {  # those that refuse are not written here: `refuse` defines them
        "1F1B": Schedule1F1B,
        "Interleaved1F1B": ScheduleInterleaved1F1B,
        "GPipe": ScheduleGPipe,
        "LoopedBFS": ScheduleLoopedBFS,
        "InterleavedZeroBubble": globals()["ScheduleInterleavedZeroBubble"],
        "PipelineScheduleSingle": PipelineScheduleSingle,
        "PipelineScheduleMulti": PipelineScheduleMulti,
        "ZBVZeroBubble": globals()["ScheduleZBVZeroBubble"],
        "DualPipeV": globals()["ScheduleDualPipeV"],
    }
    for name, schedule in names.items():
        if name.lower() == schedule_name.lower():
            return schedule
    raise ValueError(f"Unknown schedule name '{schedule_name}'. The valid options are {list(names)}")
