"""DistributedDataParallel: a module in each process, which has its own data; averages gradients over all."""

from __future__ import annotations

import copy
import inspect
import itertools
import logging
import sys
import warnings
import weakref
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from collections.abc import Callable
from typing import Any

from ..._root import torch
from ...distributed import _reducer, utils
from ...distributed import distributed_c10d as dist
from ...distributed.algorithms.join import Join, Joinable, JoinHook
from ...utils._pytree import tree_flatten, tree_unflatten
from ..modules._deprecated import deprecated_class
from ..modules.module import Module
from ..parameter import UninitializedParameter

__all__ = ["DistributedDataParallel"]

logger = logging.getLogger("torch.nn.parallel.distributed")

_BOTH_BUFFER_OPTIONS = (
    "Both `broadcast_buffers` and `forward_sync_buffers` were specified. `broadcast_buffers` is "
    "deprecated and its value is ignored when `forward_sync_buffers` is provided."
)
_DEPRECATED_BUFFER_OPTION = (
    "`broadcast_buffers` is deprecated. Use `forward_sync_buffers` instead. IMPORTANT: unlike "
    "`broadcast_buffers=False`, `forward_sync_buffers=False` still syncs buffers at init. If you rely "
    "on buffers NOT being synced at init (e.g. rank-local buffers), keep using "
    "`broadcast_buffers=False` until `init_sync_buffers` is available."
)


def _find_tensors(obj):
    """Yields all tensors in nested lists, tuples, dicts and dataclasses."""
    if isinstance(obj, torch.Tensor):
        return [obj]
    if is_dataclass(obj):
        obj = [getattr(obj, field.name) for field in fields(obj)]
    elif isinstance(obj, dict):
        obj = obj.values()
    elif not isinstance(obj, list | tuple):
        return []
    return itertools.chain.from_iterable(map(_find_tensors, obj))


class _DDPSink(torch.autograd.Function):
    """Returns outputs unchanged: backward begins here, and so reaches outputs that the loss does not use."""

    @staticmethod
    def forward(ctx, ddp, *outputs):
        ctx.set_materialize_grads(False)
        ctx.ddp = ddp
        if not ddp()._ddp_sink_clone:
            return outputs
        return tuple(output.clone() if isinstance(output, torch.Tensor) else output for output in outputs)

    @staticmethod
    def backward(ctx, *grads):
        ddp = ctx.ddp()
        if ddp.static_graph and not ddp._static_graph_delay_allreduce_enqueued:
            torch.autograd.Variable._execution_engine.queue_callback(ddp.reducer._delay_all_reduce)
            ddp._static_graph_delay_allreduce_enqueued = True
        return (None, *grads)


class _DDPJoinHook(JoinHook):
    """What a process without inputs does: the communication of a pass, with zeros."""

    def __init__(self, ddp, divide_by_initial_world_size) -> None:
        self.ddp = ddp
        ddp._divide_by_initial_world_size = divide_by_initial_world_size

    def main_hook(self):
        ddp = self.ddp
        reducer = ddp.reducer
        reducer._rebuild_buckets()
        if ddp.will_sync_module_buffers():
            ddp._broadcast_buffers(ddp._find_common_rank(False))
        ddp.require_forward_param_sync = ddp._check_global_requires_backward_grad_sync(is_joined_rank=True)
        if not ddp.require_forward_param_sync:
            return
        waits = [reducer._reduce_bucket(bucket) for bucket in reducer._get_zeros_like_grad_buckets()]
        for wait in waits:
            wait()
        if ddp.find_unused_parameters:
            ddp.process_group.allreduce([reducer._get_local_used_map()]).wait()
        reducer._push_all_rebuilt_params()

    def post_hook(self, is_last_joiner: bool):
        ddp = self.ddp
        ddp._authoritative_rank = ddp._find_common_rank(is_last_joiner)
        ddp._sync_states(ddp._authoritative_rank, ddp.forward_sync_buffers)


class DistributedDataParallel(Module, Joinable):
    """Runs a module on this process's data and averages gradients over the processes of a group in backward.

    Each process holds a copy; parameters and buffers begin as those of rank 0, so that equal
    optimizers keep them equal. Gradients travel in buckets, each as soon as it is full, while
    backward goes on (Li et al. 2020, "PyTorch Distributed"). Sums are joined in the order of
    the ranks: all ranks get the same bits.

    Args:
        module (Module): the module, on one type of device.
        device_ids (list, optional): the module's device, if it is on a single one other than the CPU:
            forward moves its inputs there. Default: ``None``, inputs stay where they are.
        output_device (int or torch.device, optional): kept for compatibility. Default: ``None``, that of
            `device_ids`.
        dim (int): kept for compatibility. Default: ``0``.
        broadcast_buffers (bool, optional): deprecated, use `forward_sync_buffers`. Default:
            ``None``.
        init_sync (bool): whether to copy parameters and buffers from rank 0 initially.
            Default: ``True``.
        process_group (ProcessGroup, optional): the processes. Default: ``None``, all.
        bucket_cap_mb (float, optional): size of the buckets in MiB. Default: ``None``, 25, the
            first 1.
        find_unused_parameters (bool): whether some parameters may get no gradient in an
            iteration; costs a walk over the graph. Default: ``False``.
        check_reduction (bool): deprecated, has no effect. Default: ``False``.
        gradient_as_bucket_view (bool): whether gradients are parts of the buckets, which saves
            memory. Default: ``False``.
        static_graph (bool): whether the parameters used are the same in all iterations.
            Default: ``False``.
        delay_all_reduce_named_params (list of tuples, optional): names and parameters whose
            gradients are reduced together; with `param_to_hook_all_reduce`. Default: ``None``.
        param_to_hook_all_reduce (Parameter, optional): the parameter whose gradient starts
            that. Default: ``None``.
        mixed_precision (object, optional): not supported. Default: ``None``.
        device_mesh (DeviceMesh, optional): one-dimensional, in place of `process_group`.
            Default: ``None``.
        skip_all_reduce_unused_params (bool): whether buckets that no process uses are not
            reduced. Default: ``False``.
        bucket_cap_mb_list (list of float, optional): sizes of the buckets one by one. Default:
            ``None``.
        batched_grad_copy (bool): kept for compatibility. Default: ``False``.
        forward_sync_buffers (bool, optional): whether buffers are taken from rank 0 before each
            forward. Default: ``None``, they are.

    Attributes:
        module (Module): the wrapped module.

    Raises:
        RuntimeError: when no parameter needs a gradient, or both `process_group` and
            `device_mesh` are given.
        ValueError: for devices on the CPU or parameters on several kinds of devices.
        NotImplementedError: for `mixed_precision`.

    Example:
        >>> import torch.distributed as dist
        >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        >>> model = nn.parallel.DistributedDataParallel(nn.Linear(2, 3))
        >>> model(torch.ones(4, 2)).sum().backward()
        >>> model.module.bias.grad
        tensor([4., 4., 4.])
        >>> dist.destroy_process_group()
    """

    def __init__(
        self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=None, init_sync=True,
        process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
        gradient_as_bucket_view=False, static_graph=False, delay_all_reduce_named_params=None,
        param_to_hook_all_reduce=None, mixed_precision: Any = None, device_mesh=None,
        skip_all_reduce_unused_params=False, bucket_cap_mb_list: list[int] | None = None, batched_grad_copy=False,
        forward_sync_buffers: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        Joinable.__init__(self)
        if (delay_all_reduce_named_params is None) != (param_to_hook_all_reduce is None):
            raise ValueError(
                "delay_all_reduce_named_params and param_to_hook_all_reduce need to be set at the same time."
            )
        self._select_group(process_group, device_mesh)
        if mixed_precision is not None:
            raise NotImplementedError("DistributedDataParallel without accelerators has no mixed_precision")
        delayed = list(delay_all_reduce_named_params or ())
        self.parameters_to_ignore = {
            *getattr(module, "_ddp_params_and_buffers_to_ignore", ()),
            *(n for n, _ in delayed),
        }
        self._module_parameters = [p for n, p in module.named_parameters() if n not in self.parameters_to_ignore]
        self._check_module(delayed, device_ids)
        self._select_device(device_ids, output_device)
        self.static_graph = False
        self.dim = dim
        self.module = module
        self.device = self._module_parameters[0].device
        self.device_type = self.device.type
        if broadcast_buffers is not None:
            both = forward_sync_buffers is not None
            warnings.warn(_BOTH_BUFFER_OPTIONS if both else _DEPRECATED_BUFFER_OPTION, FutureWarning, stacklevel=2)
        sync_buffers = forward_sync_buffers is not None or broadcast_buffers is None or broadcast_buffers
        self.forward_sync_buffers = sync_buffers if forward_sync_buffers is None else forward_sync_buffers
        if check_reduction:
            warnings.warn(
                "The `check_reduction` argument in `DistributedDataParallel` module is deprecated. "
                "Please avoid using it.",
                FutureWarning,
                stacklevel=2,
            )
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.batched_grad_copy = batched_grad_copy
        self.mixed_precision = None
        self.skip_all_reduce_unused_params = skip_all_reduce_unused_params
        for param in self._module_parameters:
            if isinstance(param, UninitializedParameter):
                raise RuntimeError(
                    "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
                    "Run a dummy forward pass to correctly initialize the modules"
                )
        self._set_bucket_sizes(bucket_cap_mb, bucket_cap_mb_list)
        self._comm_hooks = []
        self._ddp_sink_clone = True
        self._delay_grad_buffer, self._delay_grad_views = None, []
        self._delay_all_reduce_params = [param for _, param in delayed]
        self._delay_all_reduce_all_params = False
        if delayed:
            self._delay_all_reduce(param_to_hook_all_reduce)
            if self._delay_all_reduce_all_params:
                return
        parameters = self._build_params_for_reducer()
        if init_sync:
            _reducer._verify_params_across_processes(self.process_group, parameters)
            self._sync_states(0, sync_buffers)
        self._make_reducer(parameters, static_graph)
        self._has_rebuilt_buckets = False
        if static_graph:
            self._set_static_graph()

    def _select_group(self, process_group, device_mesh):
        if process_group and device_mesh is not None:
            raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
        if device_mesh is not None:
            if device_mesh.ndim != 1:
                raise RuntimeError(f"Only 1D device mesh is supported, but got {device_mesh}.")
            self.device_mesh = device_mesh
            process_group = device_mesh.get_group(mesh_dim=0)
        self.process_group = dist._get_default_group() if process_group is None else process_group

    def _set_bucket_sizes(self, cap_mb, cap_mb_list):
        self.broadcast_bucket_size = 250 * 1024 * 1024
        self.bucket_bytes_cap_list = [int(cap * 1024 * 1024) for cap in cap_mb_list or ()]
        self.bucket_bytes_cap_default = cap_mb is None and not cap_mb_list
        self.bucket_bytes_cap = max(self.bucket_bytes_cap_list, default=int((cap_mb or 25) * 1024 * 1024))

    def _check_module(self, delayed, device_ids):
        parameters = self._module_parameters
        if not (delayed or any(p.requires_grad for p in parameters)):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError("device_ids can only be None or contain a single element.")
        types = {p.device.type for p in parameters}
        if len(types) != 1:
            raise ValueError(
                "DistributedDataParallel's input module must be on the same type of devices, "
                f"but input module parameters locate in {types}."
            )

    def _select_device(self, device_ids, output_device):
        devices = {p.device for p in self._module_parameters}
        self.device_ids = self.output_device = None
        if device_ids and len(devices) == 1 and self._module_parameters[0].device.type != "cpu":
            self.device_ids = [torch._utils._get_device_index(device, True) for device in device_ids]
            chosen = device_ids[0] if output_device is None else output_device
            self.output_device = torch._utils._get_device_index(chosen, True)
        elif device_ids or output_device:
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with single-device/multiple-"
                f"device GPU modules or CPU modules, but got device_ids {device_ids}, output_device {output_device}, "
                f"and module parameters {devices}."
            )

    def _delay_all_reduce(self, trigger):
        """Makes the gradient of one tensor start the reduction of the delayed parameters, which share a buffer."""
        params = self._delay_all_reduce_params
        buffer = self._delay_grad_buffer = torch.zeros(sum(p.numel() for p in params))
        _reducer._broadcast_coalesced(self.process_group, [p.detach() for p in params], self.bucket_bytes_cap)

        def reduce_all_gradients(grad):
            buffer.div_(self.process_group.size())
            dist.all_reduce(buffer, group=self.process_group, async_op=True)
            return grad

        trigger.register_hook(reduce_all_gradients)
        parts = buffer.split([p.numel() for p in params])
        self._delay_grad_views = [part.view(p.shape) for part, p in zip(parts, params)]
        self._delay_all_reduce_all_params = all(
            name in self.parameters_to_ignore for name, p in self.module.named_parameters() if p.requires_grad
        )

    def _clear_grad_buffer(self):
        """Delayed gradients that were set to None become parts of the buffer again, filled with zeros."""
        cleared = [i for i, p in enumerate(self._delay_all_reduce_params) if p.grad is None]
        for index in cleared:
            self._delay_all_reduce_params[index].grad = self._delay_grad_views[index]
            self._delay_grad_views[index].zero_()

    def _make_reducer(self, parameters, static_graph):
        # Until the order of gradients is known, a single bucket is correct for any order.
        first = 1024 * 1024 if self.bucket_bytes_cap_default else self.bucket_bytes_cap
        limits = self.bucket_bytes_cap_list
        if not limits:
            one = static_graph or not self.find_unused_parameters
            limits = [sys.maxsize] if one else [first, self.bucket_bytes_cap]
        sparse = self._sparse_parameters()
        expects_sparse = [param in sparse for param in parameters]
        buckets, _ = _reducer._compute_bucket_assignment_by_size(parameters, limits, expects_sparse)
        places = {param: place for place, param in enumerate(parameters)}
        names = {
            places[param]: f"{prefix}.{name}"
            for prefix, module in self.module.named_modules()
            for name, param in module.named_parameters(recurse=False)
            if param in places
        }
        self.reducer = _reducer.Reducer(
            parameters,
            buckets[::-1],
            self.process_group,
            self.find_unused_parameters,
            self.gradient_as_bucket_view,
            names,
            self.bucket_bytes_cap_list or [first, self.bucket_bytes_cap],
            self.skip_all_reduce_unused_params,
            expects_sparse,
        )
        if self.device_type == "cpu" and any(isinstance(m, torch.nn.SyncBatchNorm) for m in self.module.modules()):
            raise ValueError("SyncBatchNorm layers only work with GPU modules")

    def _sparse_parameters(self):
        """Returns the parameters with sparse gradients."""
        tables = (torch.nn.Embedding, torch.nn.EmbeddingBag)
        return {
            p for m in self.module.modules() if isinstance(m, tables) and m.sparse for p in m.parameters(recurse=False)
        }

    def __getstate__(self):
        if dist._get_default_group() is not self.process_group:
            raise RuntimeError(
                "DDP Pickling/Unpickling are only supported when using DDP with the default process group. That is, "
                "when you have called init_process_group and have not passed process_group argument to DDP constructor"
            )
        state = copy.copy(self.__dict__)
        del state["process_group"], state["reducer"]
        return state

    def __setstate__(self, state):
        self.process_group = dist._get_default_group()
        super().__setstate__(state)
        self._make_reducer(self._build_params_for_reducer(), self.static_graph)
        if self.static_graph:
            self.reducer._set_static_graph()

    def _build_params_for_reducer(self):
        """Returns the parameters that need gradients, each once."""
        parameters = dict.fromkeys(
            param
            for prefix, module in self.module.named_modules()
            for name, param in module.named_parameters(recurse=False)
            if param.requires_grad and f"{prefix}.{name}" not in self.parameters_to_ignore
        )
        self._assign_modules_buffers()
        return list(parameters)

    def _assign_modules_buffers(self):
        self.named_module_buffers = {
            name: buffer for name, buffer in self.module.named_buffers() if name not in self.parameters_to_ignore
        }
        self.modules_buffers = list(self.named_module_buffers.values())

    def _sync_states(self, source, buffers):
        utils._sync_module_states(
            self.module, self.process_group, self.broadcast_bucket_size, source, self.parameters_to_ignore, buffers
        )

    @property
    def broadcast_buffers(self) -> bool:
        """Whether each forward copies buffers from rank 0; an older name of `forward_sync_buffers`."""
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value) -> bool:
        """Whether each forward copies buffers from rank 0; an older name of `forward_sync_buffers`."""
        self.forward_sync_buffers = value

    @contextmanager
    def no_sync(self):
        """Returns a context in which gradients add up in this process only; for accumulation.

        The first forward and backward after it average the sums. Forward has to be inside as well.

        Returns:
            context manager: gives ``None``.
        """
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def forward(self, *inputs, **kwargs):
        """Runs the module, and prepares the reduction of gradients.

        Args:
            *inputs: arguments of the module.
            **kwargs: its keyword arguments.

        Returns:
            Any: what the module returns.
        """
        with torch.autograd.profiler.record_function("DistributedDataParallel.forward"):
            if self._delay_all_reduce_all_params:
                output = self.module.forward(*inputs, **kwargs)
            else:
                self._pre_forward()
                if self.device_ids:
                    device = torch.device(self.device_type, self.device_ids[0])
                    inputs, kwargs = utils._move_tensors_to((inputs, kwargs), device)
                output = self._post_forward(self.module(*inputs, **kwargs))
            self._clear_grad_buffer()
            return output

    def _pre_forward(self):
        reducer = self.reducer
        if torch.is_grad_enabled() and self.require_backward_grad_sync:
            reducer.prepare_for_forward()
        work = Join.notify_join_context(self)
        if work:
            reducer._set_forward_pass_work_handle(work, self._divide_by_initial_world_size)
        if torch.is_grad_enabled() and reducer._rebuild_buckets():
            logger.info("Reducer buckets have been rebuilt in this iteration.")
            self._has_rebuilt_buckets = True
        if self.will_sync_module_buffers():
            self._assign_modules_buffers()
            # In a join, rank 0 may be without inputs and have outdated buffers.
            source = self._find_common_rank(True) if self._join_config.enable else 0
            with torch.autograd._unsafe_preserve_version_counter(tuple(self.modules_buffers)):
                self._broadcast_buffers(source)
        if self._join_config.enable:
            self._check_global_requires_backward_grad_sync(is_joined_rank=False)

    def _post_forward(self, output):
        dynamic = self.find_unused_parameters and not self.static_graph
        if torch.is_grad_enabled() and self.require_backward_grad_sync:
            self.require_forward_param_sync = True
            self.reducer.prepare_for_backward(list(_find_tensors(output)) if dynamic else [])
        else:
            self.require_forward_param_sync = False
        if not dynamic and not (self.static_graph and not self._static_graph_delay_allreduce_enqueued):
            return output
        leaves, spec = tree_flatten(output)
        passed = _DDPSink.apply(weakref.ref(self), *leaves)
        # Outputs without autograd history are returned as they are.
        kept = [torch.is_tensor(leaf) and leaf.grad_fn is None for leaf in leaves]
        return tree_unflatten([leaf if keep else new for leaf, new, keep in zip(leaves, passed, kept)], spec)

    def will_sync_module_buffers(self):
        """Returns whether the next forward copies buffers from rank 0."""
        return self.require_forward_param_sync and self.forward_sync_buffers and len(self.modules_buffers) > 0

    def _broadcast_buffers(self, source):
        _reducer._broadcast_coalesced(self.process_group, self.modules_buffers, self.broadcast_bucket_size, source)

    def _find_common_rank(self, candidate):
        """Returns the highest rank that is a candidate; all processes call this."""
        rank = torch.tensor([self.process_group.rank() if candidate else -1])
        dist.all_reduce(rank, op=dist.ReduceOp.MAX, group=self.process_group)
        return rank.item()

    def _check_global_requires_backward_grad_sync(self, is_joined_rank):
        """Notifies joined processes whether this pass will reduce."""
        wanted = torch.full((1,), float(not is_joined_rank and self.require_backward_grad_sync))
        work = dist.all_reduce(wanted, group=self.process_group, async_op=True)
        if is_joined_rank:
            work.wait()
            return wanted.item() != 0

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ):
        """Returns a context for uneven numbers of inputs: who has no more takes part in the others' communication.

        Args:
            divide_by_initial_world_size (bool): whether gradients are divided by the number of all
                processes, else of those that still have inputs. Default: ``True``.
            enable (bool): whether it does anything. Default: ``True``.
            throw_on_early_termination (bool): whether all processes raise when the first has no
                more. Default: ``False``.

        Returns:
            Join: the context manager.
        """
        return Join(
            [self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size
        )

    def join_hook(self, **kwargs):
        """Returns the hook for a joined process; `**kwargs` may set `divide_by_initial_world_size`."""
        return _DDPJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self):
        """The device of the communication in `join`."""
        return self.device

    @property
    def join_process_group(self):
        """The processes of the communication in `join`."""
        return self.process_group

    def register_comm_hook(self, state: Any, hook: Callable[..., Any]) -> None:
        """Lets a function reduce the buckets of gradients, for example with compression.

        Args:
            state (object): passed to the hook.
            hook (callable): called as ``hook(state, bucket)`` with a GradBucket; returns a Future
                of the flat, averaged gradient.

        Raises:
            TypeError: when `hook` is not callable.
            ValueError: when its annotations name other types.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        signature = inspect.signature(hook)
        if signature.parameters["bucket"].annotation not in (inspect._empty, _reducer.GradBucket):
            raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
        if signature.return_annotation not in (inspect._empty, torch.futures.Future[torch.Tensor]):
            raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")
        if hook.__name__ in ("bf16_compress_hook", "bf16_compress_wrapper_hook"):
            raise TypeError("BF16 all reduce communication hook required CUDA 11+ and NCCL 2.10+ or XPU and XCCL")
        self._comm_hooks.append((hook, state))
        _reducer._register_comm_hook(self.reducer, state, hook)

    def _register_builtin_comm_hook(self, comm_hook_type):
        _reducer._register_builtin_comm_hook(self.reducer, comm_hook_type)

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module, params_and_buffers_to_ignore):
        """Excludes parameters and buffers with these full names: each process keeps its own."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore
        for name, tensor in itertools.chain(module.named_parameters(), module.named_buffers()):
            if name in params_and_buffers_to_ignore:
                tensor._ddp_ignored = True

    def _set_static_graph(self):
        if self.static_graph:
            warnings.warn("You've set static_graph to be True, no need to set it again.", stacklevel=2)
            return
        self.static_graph = True
        self._static_graph_delay_allreduce_enqueued = False
        self.reducer._set_static_graph()
        if self.find_unused_parameters:
            warnings.warn(
                "You passed find_unused_parameters=true to DistributedDataParallel, `_set_static_graph` will detect "
                "unused parameters automatically, so you do not need to set find_unused_parameters=true, just be sure "
                "these unused parameters will not change during training loop while calling `_set_static_graph`.",
                stacklevel=2,
            )

    def _get_ddp_logging_data(self):
        """Returns facts about this module, by name; times are not measured."""
        params = self.reducer._params
        return {
            "module_name": type(self.module).__name__,
            "world_size": self.process_group.size(),
            "rank": self.process_group.rank(),
            "backend_name": dist.get_backend(self.process_group),
            "broadcast_buffers": int(self.forward_sync_buffers),
            "bucket_cap_bytes": self.bucket_bytes_cap,
            "find_unused_parameters": int(self.find_unused_parameters),
            "gradient_as_bucket_view": int(self.gradient_as_bucket_view),
            "num_parameter_tensors": len(params),
            "total_parameter_size_bytes": sum(param.nbytes for param in params),
            "iteration": self.reducer._iterations,
        }

    def _check_reducer_finalized(self):
        self.reducer._check_previous_reduction_finished()

    def _set_ddp_sink_clone(self, val):
        self._ddp_sink_clone = val


@deprecated_class(
    "`torch.nn.parallel.DistributedDataParallelCPU` is deprecated, "
    "please use `torch.nn.parallel.DistributedDataParallel` instead."
)
class DistributedDataParallelCPU(DistributedDataParallel):
    """Is the deprecated name of DistributedDataParallel; making one warns.

    Args:
        module (Module): the module.
        device_ids, output_device, dim, broadcast_buffers, init_sync, process_group,
            bucket_cap_mb (object): as DistributedDataParallel documents them, and so are the
            following.
        find_unused_parameters, check_reduction, gradient_as_bucket_view, static_graph (bool):
            likewise.
        delay_all_reduce_named_params, param_to_hook_all_reduce, mixed_precision, device_mesh
            (object): likewise.
        skip_all_reduce_unused_params, batched_grad_copy, forward_sync_buffers (bool): likewise.
        bucket_cap_mb_list (list of float, optional): likewise.

    Example:
        >>> from torch.nn.parallel import DistributedDataParallelCPU
        >>> issubclass(DistributedDataParallelCPU, nn.parallel.DistributedDataParallel)
        True
    """
