"""ZeroRedundancyOptimizer: each process holds the state of, and updates, its share of the parameters."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Mapping
from typing import Any

from ..._root import torch
from ...optim import Optimizer
from .. import distributed_c10d as dist
from ..algorithms.join import Join, Joinable, JoinHook

__all__ = ["ZeroRedundancyOptimizer"]

logger = logging.getLogger("torch.distributed.optim.zero_redundancy_optimizer")


def _recursive_copy_to_device(value, non_blocking, device):
    """Copies nested lists, tuples and mappings with their tensors to the device."""
    if isinstance(value, torch.Tensor):
        return value.to(device, non_blocking=non_blocking)
    if isinstance(value, list | tuple):
        return type(value)([_recursive_copy_to_device(item, non_blocking, device) for item in value])
    if isinstance(value, Mapping):
        return {key: _recursive_copy_to_device(item, non_blocking, device) for key, item in value.items()}
    return value


def _broadcast_object(obj, src_rank, group=None, device=torch.device("cpu")):
    """Returns the object of rank `src_rank`, sent as torch.save stores it."""
    size = torch.zeros(1, dtype=torch.long, device=device)
    if dist.get_rank() == src_rank:
        file = io.BytesIO()
        torch.save(obj, file)
        data = torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8).to(device)
        dist.broadcast(size.fill_(len(data)), src=src_rank, group=group)
        dist.broadcast(data, src=src_rank, group=group)
        return obj
    dist.broadcast(size, src=src_rank, group=group)
    data = torch.empty(size.item(), dtype=torch.uint8, device=device)
    dist.broadcast(data, src=src_rank, group=group)
    return torch.load(io.BytesIO(data.cpu().numpy()), map_location=device, weights_only=False)


class _ZeROJoinHook(JoinHook):
    def __init__(self, zero):
        self.zero = zero

    def main_hook(self):
        self.zero.step()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """Shares the state of an optimizer out among the processes of a group.

    Each process keeps the state of, and steps, its part of the parameters; after its step it sends their new
    values to the others. Parts are of about equal size: the largest parameter first, to the process that
    has least so far. The method is stage 1 of ZeRO (Rajbhandari et al. 2020, "ZeRO: Memory Optimizations
    Toward Training Trillion Parameter Models", section 5.1). Parameters must be dense and of one type.

    Args:
        params (iterable of Tensor or dict): all parameters, or groups of them; the same on all processes.
        optimizer_class (type): the class that steps a part.
        process_group (ProcessGroup, optional): the group. Default: the default group.
        parameters_as_bucket_view (bool): keeps the parameters of a part in one tensor, so that each part is
            one message. Default: ``False``.
        overlap_with_ddp (bool): only ``False``; else ValueError.
        **defaults: arguments of `optimizer_class`.

    Raises:
        ValueError: when there are no parameters, or they differ in type.
    """

    def __init__(
        self, params, optimizer_class: type[Optimizer], process_group: Any | None = None,
        parameters_as_bucket_view: bool = False, overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        params = self._verify_and_init_params(params)
        self._verify_same_dense_param_type()
        self.initialized = False
        Optimizer.__init__(self, params, defaults)
        Joinable.__init__(self)
        self._is_trainable_mask = self._get_is_trainable_mask()
        self._default_device = self._all_params[0].device
        self.process_group = process_group if process_group is not None else dist.group.WORLD
        self.world_size = dist.get_world_size(self.process_group)
        self.rank = dist.get_rank(self.process_group)
        self.global_rank = dist.get_global_rank(self.process_group, self.rank)
        self._overlap_with_ddp = overlap_with_ddp
        if overlap_with_ddp:  # it requires functional optimizers, which do not exist here
            raise ValueError(
                "Using `ddp_with_overlap=True` requires using a functional optimizer, but there is no supported "
                f"functional optimizer equivalent for {optimizer_class}"
            )
        self._optim_defaults, self._optim_constructor = defaults, optimizer_class
        self._partition = None
        self.optim = optimizer_class(self._partition_parameters()[self.rank], **defaults)
        self._sync_param_groups(self.optim.param_groups, self.param_groups)
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._build_param_buckets()
        self._all_state_dicts = []
        self.initialized = True

    def _verify_and_init_params(self, params):
        if isinstance(params, torch.Tensor):
            raise TypeError(f"`params` argument should be an iterable of Tensors, but got {torch.typename(params)}")
        try:
            all_params = list(params)
        except TypeError as error:
            raise TypeError(
                f"`params` argument should be an iterable of Tensors or dicts, but got {torch.typename(params)}"
            ) from error
        if len(all_params) == 0:
            raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
        if all(isinstance(param, torch.Tensor) for param in all_params):
            self._all_params = all_params
        elif all(isinstance(param, dict) for param in all_params):
            self._all_params = []
            for group in all_params:
                if "params" not in group:
                    raise ValueError(
                        "Each parameter group passed-in via `params` must have a 'params' key mapping to the "
                        "parameters in the group"
                    )
                self._all_params.extend(group["params"])
        else:
            raise TypeError("`params` argument should be an iterable of Tensors or dicts")
        return all_params

    def _verify_same_dense_param_type(self):
        expected = torch.typename(self._all_params[0])
        if self._all_params[0].is_sparse:
            raise ValueError(
                "ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got " + expected
            )
        for param in self._all_params:
            if torch.typename(param) != expected:
                raise ValueError(
                    "ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got both "
                    f"{expected} and {torch.typename(param)}"
                )

    def _get_is_trainable_mask(self):
        return [param.requires_grad for param in self._all_params]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters, which is shared out too.

        Args:
            param_group (dict): "params" and options, as of torch.optim.Optimizer.add_param_group.
        """
        super().add_param_group(param_group)
        if self.initialized:
            self._partition = None
            groups = self._partition_parameters()[self.rank]
            if len(groups) == len(self.optim.param_groups) + 1:
                self.optim.add_param_group(groups[-1])
            self._build_param_buckets()

    def _partition_parameters(self):
        """Returns the parameter groups of each rank: assigns parameters, largest first, to the rank with the fewest
        elements so far."""
        if self._partition is None:
            self._partition = [[] for _ in range(self.world_size)]
            sizes = [0] * self.world_size
            for group in self.param_groups:
                shares = [[] for _ in range(self.world_size)]
                for param in sorted(group["params"], key=torch.Tensor.numel, reverse=True):
                    rank = sizes.index(min(sizes))
                    shares[rank].append(param)
                    sizes[rank] += param.numel()
                for groups, share in zip(self._partition, shares):
                    groups.append({**group, "params": share})
        return self._partition

    @property
    def _param_to_rank(self):
        parts = enumerate(self._partition_parameters())
        return {param: rank for rank, groups in parts for group in groups for param in group["params"]}

    @property
    def _index_to_param(self):
        return [param for group in self.param_groups for param in group["params"]]

    @property
    def _param_to_index(self):
        return {param: index for index, param in enumerate(self._index_to_param)}

    def _build_param_buckets(self):
        """Moves the trainable parameters of each rank into one tensor."""
        self._buckets = []
        if not self.parameters_as_bucket_view:
            return
        for groups in self._partition_parameters():
            params = [param for group in groups for param in group["params"]]
            for param in params:
                if not param.requires_grad:  # it may have been in another bucket
                    param.data = param.data.detach().clone()
            params = [param for param in params if param.requires_grad]
            bucket = torch.zeros(1, device=self._default_device)
            if params:
                bucket = torch.cat([param.data.flatten() for param in params])
                for param, part in zip(params, bucket.split([param.numel() for param in params])):
                    param.data = part.view_as(param.data)
            self._buckets.append(bucket)

    def _sync_params(self):
        """Broadcasts each rank's parameters to all."""
        works = []
        for rank, groups in enumerate(self._partition_parameters()):
            tensors = [param.data for group in groups for param in group["params"]]
            source = dist.get_global_rank(self.process_group, rank)
            for tensor in self._buckets[rank : rank + 1] or tensors:
                works.append(dist.broadcast(tensor, source, group=self.process_group, async_op=True))
        for work in works:
            work.wait()

    def step(self, closure: Callable[[], float] | None = None, **kwargs: Any) -> float | None:
        """Steps this process's part, then exchanges the new parameters with the others.

        Args:
            closure (Callable, optional): computes the loss again.
            **kwargs: for the wrapped optimizer's step.

        Returns:
            float or None: the closure's loss.
        """
        Join.notify_join_context(self)
        mask = self._get_is_trainable_mask()
        if mask != self._is_trainable_mask:
            logger.warning(
                "ZeroRedundancyOptimizer detected that the trainable parameters changed; rebuilding the parameter "
                "buckets if enabled"
            )
            self._build_param_buckets()
            self._is_trainable_mask = mask
        self._sync_param_groups(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        self._sync_param_groups(self.optim.param_groups, self.param_groups)
        self._sync_params()
        return loss

    def join_hook(self, **kwargs):
        """Returns the hook by which a process without further inputs takes part in the steps of the others.

        Args:
            **kwargs: not looked at.

        Returns:
            JoinHook: the hook.
        """
        return _ZeROJoinHook(self)

    @property
    def join_device(self):
        """The device of the first parameter."""
        return self._default_device

    @property
    def join_process_group(self):
        """The group of this optimizer."""
        return self.process_group

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Collects the states of all processes on one; all processes call it.

        Args:
            to (int): the rank that gets them. Default: ``0``.
        """
        self._sync_param_groups(self.param_groups, self.optim.param_groups)
        self._all_state_dicts = []
        for rank in range(self.world_size):
            state = self.optim.state_dict() if rank == self.rank else None
            if rank != to:
                source = dist.get_global_rank(self.process_group, rank)
                state = _broadcast_object(state, source, self.process_group, self._default_device)
            if self.rank == to:
                self._all_state_dicts.append(_recursive_copy_to_device(state, True, torch.device("cpu")))

    def state_dict(self) -> dict[str, Any]:
        """Returns the state over all parameters, as one process would have it.

        Returns:
            dict: the state.

        Raises:
            RuntimeError: when consolidate_state_dict has not collected it on this process.
        """
        if len(self._all_state_dicts) == 0:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the global "
                "state."
            )
        whole = super().state_dict()
        indices, state = self._param_to_index, {}
        for local, groups in zip(self._all_state_dicts, self._partition_parameters()):
            for saved, group in zip(local["param_groups"], groups):
                for index, param in zip(saved["params"], group["params"]):
                    if index in local["state"]:
                        state[indices[param]] = local["state"][index]
        whole["state"] = dict(sorted({**whole["state"], **state}.items()))
        return whole

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads a state over all parameters, of which this process keeps its part.

        Args:
            state_dict (dict): of state_dict(); entries of other parts are set to None in it.
        """
        saved = state_dict["state"]
        owners = {index: self._param_to_rank[self._index_to_param[index]] for index in saved}
        saved.update((index, None) for index, rank in owners.items() if rank != self.rank)
        for index in (index for index, rank in owners.items() if rank == self.rank):
            self._load_own_parameter_state(self._index_to_param[index], saved[index])
        super().load_state_dict(state_dict)
        self._sync_param_groups(state_dict["param_groups"], self.param_groups)
        self._sync_param_groups(self.param_groups, self.optim.param_groups)

    def _load_own_parameter_state(self, param, saved):
        state = self.optim.state[param] = _recursive_copy_to_device(saved, True, param.device)
        scalars = (name for name, item in state.items() if torch.is_tensor(item) and item.dim() == 0)
        for name in list(scalars):  # such as Adam's steps
            state[name] = state[name].cpu()

    @staticmethod
    def _sync_param_groups(source, target):
        """Copies the options of groups, but not their parameters."""
        for group, other in zip(source, target):
            other.update((name, value) for name, value in group.items() if name != "params")
