"""FullyShardedDataParallel: a wrapper whose module's parameters are one flat tensor, sharded over the ranks."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Any

from typing_extensions import deprecated

from ... import Tensor, float32, inf, no_grad, stack, tensor
from ... import device as torch_device
from ...linalg import vector_norm
from ...nn import Module, Parameter
from ...optim import Optimizer
from ..device_mesh import DeviceMesh
from ..distributed_c10d import (
    ReduceOp,
    _get_default_group,
    all_reduce,
    broadcast,
    get_rank,
    get_world_size,
)
from ..tensor import DTensor, Shard
from . import _flat_optim
from ._flat import FlatRanks, FlatShards
from ._fully_shard import _cast_floating_tensors, _State, _states
from ._policies import MixedPrecisionPolicy
from ._shards import ParameterGroup, find_parameter_owners
from .api import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    OptimStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from .wrap import CustomPolicy, ModuleWrapPolicy, _wrap_children

__all__ = ["FullyShardedDataParallel", "OptimStateKeyType"]

_WRAPPED = "_fsdp_wrapped_module"
_DEPRECATED = (
    "FSDP.state_dict_type() and FSDP.set_state_dict_type() are being deprecated. "
    "Please use APIs, get_state_dict() and set_state_dict(), which can support different parallelisms, "
    "FSDP1, FSDP2, DDP. API doc: https://pytorch.org/docs/stable/distributed.checkpoint.html"
    "#torch.distributed.checkpoint.state_dict.get_state_dict .Tutorial: "
    "https://pytorch.org/tutorials/recipes/distributed_checkpoint_recipe.html ."
)
_CONFIGS = {
    StateDictType.FULL_STATE_DICT: (FullStateDictConfig, FullOptimStateDictConfig),
    StateDictType.LOCAL_STATE_DICT: (LocalStateDictConfig, LocalOptimStateDictConfig),
    StateDictType.SHARDED_STATE_DICT: (ShardedStateDictConfig, ShardedOptimStateDictConfig),
}
_HYBRID = (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)


class OptimStateKeyType(Enum):
    """The keys of an optimizer's state: names of parameters, or their numbers."""

    PARAM_NAME = auto()
    PARAM_ID = auto()


class _FlatState(_State):
    """When a wrapper's parameters are gathered and freed; inputs are cast by other rules than fully_shard's."""

    cast_root_inputs = True

    def _cast_inputs(self, args, kwargs):
        casts = self.policy.cast_forward_inputs or (self.root is self and self.cast_root_inputs)
        if self.policy.param_dtype is None or not casts:
            return args, kwargs
        return _cast_floating_tensors((args, kwargs), self.policy.param_dtype)


def _choose_flat_ranks(strategy, process_group, device_mesh, has_policy) -> FlatRanks:
    """Returns the groups of ranks that a strategy uses."""
    if process_group is not None and device_mesh is not None:
        raise ValueError(
            "Cannot pass both process_group and device_mesh at the same time. Please just pass only one of them."
        )
    if strategy in _HYBRID:
        if process_group is None and device_mesh is None and not has_policy:
            raise ValueError(
                f"Manual wrapping with {strategy} requires explicit specification of process group or device_mesh."
            )
        if device_mesh is not None:
            if device_mesh.ndim != 2:
                raise ValueError(f"Expected device_mesh to have ndim=2 but got {device_mesh.ndim}")
            shard, replicate = device_mesh.get_group(1), device_mesh.get_group(0)
        elif process_group is None:  # one machine: all ranks shard, none replicates
            shard, replicate = _get_default_group(), None
        elif isinstance(process_group, tuple) and len(process_group) == 2:
            shard, replicate = process_group
        else:
            raise ValueError(
                "Expected process_group to be passed in as either None or "
                f"Tuple[dist.ProcessGroup, dist.ProcessGroup] but got {type(process_group)}"
            )
        return FlatRanks(shard, replicate)
    group = device_mesh.get_group() if device_mesh is not None else process_group or _get_default_group()
    if strategy is ShardingStrategy.NO_SHARD:
        return FlatRanks(None, group)
    return FlatRanks(group, None)


def _require_unwrapped(module):
    if any(isinstance(each, FullyShardedDataParallel) for each in module.modules()):
        raise ValueError(
            "FSDP auto wrapping requires modules to not already have FSDP applied but found an FSDP module in\n"
            + str(module)
        )


def _require_dimensions(owners):
    for parameter, pairs in owners.items():
        if parameter.ndim == 0:
            raise ValueError(
                f"FSDP doesn't support scalar parameters. Change {pairs[0][1]} to a 1D tensor with numel equal to 1."
            )


def _convert_buffers(modules, dtype):
    for module in modules:
        for name, buffer in module._buffers.items():
            if buffer is not None and buffer.is_floating_point():
                module._buffers[name] = buffer.to(dtype)


def _make_original_parameters_from_flat(flat, full, gradients):
    """Returns the original parameters as views of the complete flat one, with gradients if there are any."""
    values = [Parameter(entry.view(full), requires_grad=entry.requires_grad) for entry in flat.entries]
    if gradients is not None:
        for value, entry in zip(values, flat.entries):
            value.grad = entry.view(gradients) if entry.requires_grad else None
    return values


class FullyShardedDataParallel(Module):
    """Wraps a module and shards its parameters over the ranks; forward and backward gather them.

    The parameters of the module, without those of wrapped modules below it, form one flat tensor. Each rank has an
    equal piece of it, of the averaged gradient, and of the optimizer's state. Make the optimizer after wrapping.

    Args:
        module (nn.Module): the module.
        process_group (ProcessGroup or tuple, optional): the ranks; with HYBRID_SHARD the groups that shard and that
            replicate. Default: all ranks.
        sharding_strategy (ShardingStrategy, optional): what is sharded. Default: ``FULL_SHARD``.
        cpu_offload (CPUOffload, optional): whether pieces are in the host's memory.
        auto_wrap_policy (callable, ModuleWrapPolicy or CustomPolicy, optional): which modules below are wrapped too.
        backward_prefetch (BackwardPrefetch, optional): ignored; parameters are gathered when they are needed.
        mixed_precision (MixedPrecision, optional): the types in which the module computes.
        ignored_modules (iterable of nn.Module, optional): modules that stay as they are.
        param_init_fn (callable, optional): initialises a module that has meta parameters. Default: allocates them and
            calls `reset_parameters`.
        device_id (int or torch.device, optional): the device that computes. Default: that of the parameters.
        sync_module_states (bool): whether rank 0 sends its parameters and buffers to all. Default: ``False``.
        forward_prefetch (bool): ignored. Default: ``False``.
        limit_all_gathers (bool): ignored. Default: ``True``.
        use_orig_params (bool): whether `parameters()` are this rank's parts of the original parameters instead of the
            flat one. Default: ``False``.
        ignored_states (iterable, optional): parameters or modules that stay as they are.
        device_mesh (DeviceMesh, optional): the ranks, in place of `process_group`; of two dimensions for HYBRID_SHARD.

    Raises:
        ValueError: when parameters have several types, or arguments contradict each other.

    Example:
        >>> import torch, torch.distributed as dist
        >>> from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
        >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        >>> model = FSDP(torch.nn.Linear(3, 2), device_id=torch.device("cpu"))
        >>> model(torch.ones(1, 3)).sum().backward()
        >>> [(name, tuple(p.grad.shape)) for name, p in model.named_parameters()]
        [('_fsdp_wrapped_module._flat_param', (8,))]
        >>> {name: tuple(value.shape) for name, value in model.state_dict().items()}
        {'weight': (2, 3), 'bias': (2,)}
        >>> dist.destroy_process_group()
    """

    def __init__(
        self,
        module: Module,
        process_group=None,
        sharding_strategy: ShardingStrategy | None = None,
        cpu_offload: CPUOffload | None = None,
        auto_wrap_policy: Callable | ModuleWrapPolicy | CustomPolicy | None = None,
        backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE,
        mixed_precision: MixedPrecision | None = None,
        ignored_modules: Iterable[Module] | None = None,
        param_init_fn: Callable[[Module], None] | None = None,
        device_id: int | torch_device | None = None,
        sync_module_states: bool = False,
        forward_prefetch: bool = False,
        limit_all_gathers: bool = True,
        use_orig_params: bool = False,
        ignored_states: Iterable[Parameter] | Iterable[Module] | None = None,
        device_mesh: DeviceMesh | None = None,
    ):
        super().__init__()
        if ignored_modules is not None and ignored_states is not None:
            raise ValueError(
                "Cannot pass both ignored_modules and ignored_states at the same time. Please just pass ignored_states."
            )
        skipped_modules, skipped_parameters = _list_ignored_modules_and_parameters(
            module, ignored_modules, ignored_states
        )
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        ranks = _choose_flat_ranks(strategy, process_group, device_mesh, auto_wrap_policy is not None)
        if auto_wrap_policy is not None:
            if strategy in _HYBRID and device_mesh is None:
                process_group = (ranks.shard_group, ranks.replicate_group)
            options = dict(
                process_group=process_group,
                sharding_strategy=strategy,
                cpu_offload=cpu_offload,
                backward_prefetch=backward_prefetch,
                mixed_precision=mixed_precision,
                param_init_fn=param_init_fn,
                device_id=device_id,
                sync_module_states=sync_module_states,
                forward_prefetch=forward_prefetch,
                limit_all_gathers=limit_all_gathers,
                use_orig_params=use_orig_params,
                ignored_states=list(skipped_parameters) or None,
                device_mesh=device_mesh,
            )
            _require_unwrapped(module)
            _wrap_children(
                module, auto_wrap_policy, FullyShardedDataParallel, skipped_modules, skipped_parameters, options
            )
        self.sharding_strategy, self.cpu_offload = strategy, cpu_offload or CPUOffload()
        self.mixed_precision = mixed_precision or MixedPrecision()
        self.process_group = ranks.shard_group or ranks.replicate_group
        self.rank, self.world_size = get_rank(self.process_group), get_world_size(self.process_group)
        self._use_orig_params, self._is_summoned, self._loading = use_orig_params, False, None
        self._settings = StateDictSettings(
            StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig()
        )
        managed = [each for each in _list_managed_modules(module) if each not in skipped_modules]
        if device_id is not None and not isinstance(device_id, torch_device):
            device_id = torch_device(device_id)
        _materialize_meta_modules(managed, param_init_fn, device_id)
        owners = find_parameter_owners(managed, skipped_parameters)
        _require_dimensions(owners)
        if sync_module_states:
            _broadcast_initial_values(managed, owners, ranks)
        self.compute_device = device_id or next((parameter.device for parameter in owners), torch_device("cpu"))
        keep = torch_device("cpu") if self.cpu_offload.offload_params else self.compute_device
        precision = self.mixed_precision
        reduce_dtype = precision.reduce_dtype or precision.param_dtype
        setattr(self, _WRAPPED, module)
        self._flat = None
        if owners:
            self._flat = FlatShards(
                module, owners, ranks, precision.param_dtype, reduce_dtype, use_orig_params, self.compute_device, keep
            )
        policy = MixedPrecisionPolicy(
            precision.param_dtype, reduce_dtype, cast_forward_inputs=precision.cast_forward_inputs
        )
        keeps_gathered = strategy in (
            ShardingStrategy.SHARD_GRAD_OP,
            ShardingStrategy.NO_SHARD,
            ShardingStrategy._HYBRID_SHARD_ZERO2,
        )
        group = ParameterGroup([] if self._flat is None else [self._flat], ranks, policy)
        state = _FlatState([self], group, not keeps_gathered, policy)
        state.cast_root_inputs = precision.cast_root_forward_inputs
        _states[self] = state
        if precision.buffer_dtype is not None:
            _convert_buffers(managed, precision.buffer_dtype)
        self._register_load_state_dict_pre_hook(self._prepare_load_state_dict)
        self.register_load_state_dict_post_hook(self._finish_load_state_dict)

    @property
    def module(self) -> Module:
        """The wrapped module."""
        return getattr(self, _WRAPPED)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == _WRAPPED:
                raise
            return getattr(self.module, name)

    def __getitem__(self, key):
        return self.module.__getitem__(key)

    def forward(self, *args, **kwargs):
        """Runs the wrapped module with gathered parameters.

        Args:
            *args (object): its arguments.
            **kwargs (object): its keyword arguments.

        Returns:
            object: its result.
        """
        state = _states[self]
        args, kwargs = state.before_forward(self, args, kwargs)
        return state.after_forward(self, args, self.module(*args, **kwargs))

    def check_is_root(self) -> bool:
        """Returns whether no other wrapper contains this one.

        Returns:
            bool: whether that is so.
        """
        state = _states[self]
        state._find_root()
        return state.root is state

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[FullyShardedDataParallel]:
        """Returns the wrappers in a module.

        Args:
            module (nn.Module): the module.
            root_only (bool): only those that no other wrapper contains. Default: ``False``.

        Returns:
            list[FullyShardedDataParallel]: the wrappers.
        """
        found = [each for each in module.modules() if isinstance(each, FullyShardedDataParallel)]
        return [each for each in found if each.check_is_root()] if root_only else found

    def apply(self, fn: Callable[[Module], None]) -> FullyShardedDataParallel:
        """Applies a function to all modules, which have their complete parameters meanwhile.

        Args:
            fn (callable): the function of a module.

        Returns:
            FullyShardedDataParallel: this wrapper.
        """
        if self._is_summoned:  # by a wrapper above
            return super().apply(fn)
        with self.summon_full_params(self):
            return super().apply(fn)

    def _apply(self, *args, **kwargs):
        self._reshard()
        return super()._apply(*args, **kwargs)

    def _reshard(self):
        _states[self].group.reshard()

    def _strip_wrapper_names(self, pairs):
        for name, value in pairs:
            yield (name.replace(_WRAPPED + ".", "") if self._is_summoned else name), value

    def named_parameters(self, *args, **kwargs):
        """Yields names and parameters; within `summon_full_params`, the names of the module without wrappers.

        Args:
            *args (object): those of nn.Module.named_parameters.
            **kwargs (object): likewise.

        Yields:
            tuple[str, Parameter]: a name and its parameter.
        """
        yield from self._strip_wrapper_names(super().named_parameters(*args, **kwargs))

    def named_buffers(self, *args, **kwargs):
        """Yields names and buffers; within `summon_full_params`, the names of the module without wrappers.

        Args:
            *args (object): those of nn.Module.named_buffers.
            **kwargs (object): likewise.

        Yields:
            tuple[str, Tensor]: a name and its buffer.
        """
        yield from self._strip_wrapper_names(super().named_buffers(*args, **kwargs))

    # States of models.

    @staticmethod
    @deprecated(_DEPRECATED, category=FutureWarning)
    def set_state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> StateDictSettings:
        """Sets which kind of state the wrappers in a module return and load.

        Args:
            module (nn.Module): the module.
            state_dict_type (StateDictType): the kind.
            state_dict_config (StateDictConfig, optional): options of the model's state, of the kind's class.
            optim_state_dict_config (OptimStateDictConfig, optional): options of the optimizer's state.

        Returns:
            StateDictSettings: those of before.

        Raises:
            RuntimeError: when options have another class.
        """
        return _set_state_dict_settings(module, state_dict_type, state_dict_config, optim_state_dict_config)

    @staticmethod
    def get_state_dict_type(module: Module) -> StateDictSettings:
        """Returns which kind of state the wrappers in a module return.

        Args:
            module (nn.Module): the module.

        Returns:
            StateDictSettings: the kind and its options.
        """
        found = FullyShardedDataParallel.fsdp_modules(module)
        return copy.copy(found[0]._settings) if found else StateDictSettings(None, None, None)

    @staticmethod
    @contextlib.contextmanager
    @deprecated(_DEPRECATED, category=FutureWarning)
    def state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ):
        """Sets the kind of state within a context.

        Args:
            module (nn.Module): the module.
            state_dict_type (StateDictType): the kind.
            state_dict_config (StateDictConfig, optional): as of `set_state_dict_type`.
            optim_state_dict_config (OptimStateDictConfig, optional): likewise.
        """
        before = _set_state_dict_settings(module, state_dict_type, state_dict_config, optim_state_dict_config)
        try:
            yield
        finally:
            if before.state_dict_type is not None:
                _set_state_dict_settings(
                    module, before.state_dict_type, before.state_dict_config, before.optim_state_dict_config
                )

    def state_dict(self, *args, **kwargs):
        """Returns the state of the module, of the kind that `state_dict_type` sets, under the module's own names.

        Args:
            *args (object): those of nn.Module.state_dict.
            **kwargs (object): likewise.

        Returns:
            dict: the state.
        """
        config, kind = self._settings.state_dict_config, self._settings.state_dict_type
        self._reshard()
        values, extra = None, {}
        if self._flat is not None:
            values, extra = self._collect_state_values(kind, config)
        with contextlib.ExitStack() as exposed:
            if self._flat is not None:
                exposed.enter_context(self._flat.expose_values_as_parameters(values))
            found = self.module.state_dict(*args, **kwargs)
        prefix = kwargs.get("prefix", args[1] if len(args) > 1 else "")
        for name, value in extra.items():
            found[prefix + name] = value
        if getattr(config, "rank0_only", False) and get_rank() != 0:
            for name in [name for name in found if name.startswith(prefix)]:
                del found[name]
        return found

    def _collect_state_values(self, kind, config):
        """Returns the values of the original parameters, and values under other names."""
        flat = self._flat
        to_host = torch_device("cpu") if config.offload_to_cpu else flat.device
        with no_grad():
            if kind is StateDictType.LOCAL_STATE_DICT:
                stop = min(flat.chunk_numel, max(flat.numel - flat.ranks.rank * flat.chunk_numel, 0))
                flat.reload_piece_from_modules()
                local = flat.piece[:stop].detach().clone()
                value = DTensor.from_local(local, flat.mesh, [Shard(0)], run_check=False, shape=flat.shape, stride=(1,))
                return [None] * len(flat.entries), {"_flat_param": value}
            full = flat.gather_all_elements()
            sharded = kind is StateDictType.SHARDED_STATE_DICT and flat.ranks.size > 1
            if sharded:
                return [flat.distribute_rows(entry.view(full)) for entry in flat.entries], {}
            return [entry.view(full).clone().to(to_host) for entry in flat.entries], {}

    def _prepare_load_state_dict(self, state_dict, prefix, *_):
        self._reshard()
        inner = prefix + _WRAPPED + "."
        for name in [name for name in state_dict if name.startswith(prefix) and not name.startswith(inner)]:
            state_dict[inner + name[len(prefix) :]] = state_dict.pop(name)
        if self._flat is None:
            return
        names = {id(each): name for name, each in self.module.named_modules()}
        full = self._flat.gather_all_elements()
        local = state_dict.pop(inner + "_flat_param", None)
        if local is not None:
            full = local.full_tensor() if isinstance(local, DTensor) else local
        for entry in self._flat.entries:
            for owner, name in entry.owners:
                path = names[id(owner)].replace(_WRAPPED + ".", "")
                key = inner + (f"{path}." if path else "") + name
                value = state_dict.get(key)
                if local is not None:
                    state_dict[key] = entry.view(full)
                elif isinstance(value, DTensor):
                    state_dict[key] = value.full_tensor()
        values = [Parameter(entry.view(full), requires_grad=entry.requires_grad) for entry in self._flat.entries]
        exposing = self._flat.expose_values_as_parameters(values)
        exposing.__enter__()
        self._loading = (exposing, full)

    def _finish_load_state_dict(self, module, incompatible):
        for names in incompatible:
            names[:] = [name.replace(_WRAPPED + ".", "") for name in names]
        if self._loading is None:
            return
        (exposing, full), self._loading = self._loading, None
        exposing.__exit__(None, None, None)
        self._flat.write_own_piece_from_flat(full)

    # Complete parameters.

    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(
        module: Module,
        recurse: bool = True,
        writeback: bool = True,
        rank0_only: bool = False,
        offload_to_cpu: bool = False,
        with_grads: bool = False,
    ):
        """Gives modules their complete parameters within a context, outside of forward and backward.

        Args:
            module (nn.Module): the module.
            recurse (bool): includes the wrappers below. Default: ``True``.
            writeback (bool): keeps changes of the parameters; those of this rank's piece. Default: ``True``.
            rank0_only (bool): only rank 0 gets them. Default: ``False``.
            offload_to_cpu (bool): copies them to the host. Default: ``False``.
            with_grads (bool): includes the gradients; needs `use_orig_params`. Default: ``False``.

        Raises:
            NotImplementedError: when arguments exclude each other.
        """
        if writeback and rank0_only:
            raise NotImplementedError(f"writeback={writeback} and rank0_only={rank0_only} is not supported")
        wrappers = FullyShardedDataParallel.fsdp_modules(module)
        if not recurse:
            wrappers = [each for each in wrappers if each is module]
        wrappers_with_state = [each for each in wrappers if each._flat is not None]
        if with_grads and any(not each._use_orig_params for each in wrappers_with_state):
            raise NotImplementedError("with_grads=True requires use_orig_params=True")
        visible = not rank0_only or get_rank() == 0
        with contextlib.ExitStack() as exposed:
            summoned = []
            for each in wrappers_with_state:
                each._reshard()
                flat = each._flat
                gradients = flat.all_gather_pieces(flat.read_own_gradient_piece()) if with_grads else None
                full = flat.gather_all_elements()
                if not visible:
                    continue
                full = full.cpu() if offload_to_cpu else full
                summoned.append((flat, full))
                exposed.enter_context(
                    flat.expose_values_as_parameters(_make_original_parameters_from_flat(flat, full, gradients))
                )
            for each in wrappers if visible else ():
                each._is_summoned = True
            try:
                yield
            finally:
                for each in wrappers:
                    each._is_summoned = False
                if writeback:
                    for flat, full in summoned:
                        flat.write_own_piece_from_flat(full.to(flat.piece.device))

    # Gradients.

    @contextlib.contextmanager
    def no_sync(self):
        """Accumulates complete gradients on each rank within a context, without reducing them.

        Example:
            >>> import torch, torch.distributed as dist
            >>> from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
            >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
            >>> model = FSDP(torch.nn.Linear(1, 1, bias=False), device_id=torch.device("cpu"))
            >>> with model.no_sync():
            ...     model(torch.ones(1, 1)).sum().backward()
            >>> model(torch.ones(1, 1)).sum().backward()
            >>> next(model.parameters()).grad
            tensor([2.])
            >>> dist.destroy_process_group()
        """
        groups = [_states[each].group for each in self.fsdp_modules(self)]
        before = [group.requires_sync for group in groups]
        for group in groups:
            group.requires_sync = False
        try:
            yield
        finally:
            for group, value in zip(groups, before):
                group.requires_sync = value

    @no_grad()
    def clip_grad_norm_(self, max_norm: float | int, norm_type: float | int = 2.0) -> Tensor:
        """Scales the gradients so that their total norm, over all ranks, is at most a maximum.

        Args:
            max_norm (float): the maximum.
            norm_type (float): the norm; ``inf`` is the largest element. Default: ``2.0``.

        Returns:
            Tensor: the norm of before.
        """
        norm_type = float(norm_type)
        in_wrapper, sharded, whole = set(), [], []
        for each in self.fsdp_modules(self):
            if each._flat is None:
                continue
            entries = [e.parameter for e in each._flat.entries] if each._use_orig_params else [each._flat.sharded]
            in_wrapper.update(entries)
            gradients = [parameter.grad for parameter in entries if parameter.grad is not None]
            (sharded if each._flat.ranks.size > 1 else whole).extend(gradients)
        whole += [p.grad for p in self.parameters() if p not in in_wrapper and p.grad is not None]
        total = self._norm_of_gradients(sharded, norm_type)
        group = _states[self].group.ranks.shard_group
        if norm_type == inf:
            if group is not None:
                all_reduce(total, ReduceOp.MAX, group)
            total = total.maximum(self._norm_of_gradients(whole, norm_type))
        else:
            total = total**norm_type
            if group is not None:
                all_reduce(total, ReduceOp.SUM, group)
            total = (total + self._norm_of_gradients(whole, norm_type) ** norm_type) ** (1.0 / norm_type)
        scale = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for gradient in sharded + whole:
            gradient.mul_(scale.to(gradient.device, gradient.dtype))
        dtypes = {gradient.dtype for gradient in sharded + whole}
        return total.to(dtypes.pop()) if len(dtypes) == 1 else total

    def _norm_of_gradients(self, gradients, norm_type):
        if not gradients:
            return tensor(0.0, device=self.compute_device)
        return vector_norm(stack([vector_norm(g, norm_type, dtype=float32) if g.numel()
                                  else tensor(0.0, device=g.device) for g in gradients]), norm_type)  # fmt: skip

    def register_comm_hook(self, state: object, hook: Callable) -> None:
        """Is not supported.

        Args:
            state (object): the hook's state.
            hook (callable): the hook.

        Raises:
            NotImplementedError: always.
        """
        name = "torch.distributed.fsdp.FullyShardedDataParallel.register_comm_hook"
        raise NotImplementedError(f"{name} is not in this build")

    # States of optimizers.

    @staticmethod
    def optim_state_dict(
        model: Module, optim: Optimizer, optim_state_dict: dict[str, Any] | None = None, group=None
    ) -> dict[str, Any]:
        """Returns the state of an optimizer under the names of the original parameters; all ranks call it.

        Args:
            model (nn.Module): the module with the wrappers.
            optim (Optimizer): the optimizer of its parameters.
            optim_state_dict (dict, optional): the state of `optim`. Default: ``optim.state_dict()``.
            group (ProcessGroup, optional): ignored.

        Returns:
            dict: complete tensors or DTensors, as `state_dict_type` sets.
        """
        settings = FullyShardedDataParallel.get_state_dict_type(model)
        config = settings.optim_state_dict_config or FullOptimStateDictConfig()
        sharded = settings.state_dict_type in (StateDictType.LOCAL_STATE_DICT, StateDictType.SHARDED_STATE_DICT)
        return _flat_optim.gather_state(model, optim, optim_state_dict, config, sharded)

    @staticmethod
    def optim_state_dict_to_load(
        model: Module,
        optim: Optimizer,
        optim_state_dict: dict[str, Any],
        is_named_optimizer: bool = False,
        load_directly: bool = False,
        group=None,
    ) -> dict[str, Any]:
        """Returns what `optim.load_state_dict` loads, from a state under the names of the original parameters.

        Args:
            model (nn.Module): the module with the wrappers.
            optim (Optimizer): the optimizer of its parameters.
            optim_state_dict (dict): the state, of `optim_state_dict`.
            is_named_optimizer (bool): must be ``False``. Default: ``False``.
            load_directly (bool): whether to load it into `optim` too. Default: ``False``.
            group (ProcessGroup, optional): ignored.

        Returns:
            dict: the state of this rank's pieces.
        """
        if is_named_optimizer:
            raise NotImplementedError("optim_state_dict_to_load(..., is_named_optimizer=True) is not in this build")
        state = _flat_optim.shard_state(model, optim, optim_state_dict)
        if load_directly:
            optim.load_state_dict(state)
        return state

    @staticmethod
    def full_optim_state_dict(
        model: Module, optim: Optimizer, optim_input=None, rank0_only: bool = True, group=None
    ) -> dict[str, Any]:
        """Returns the complete state of an optimizer; the former way to `optim_state_dict`.

        Args:
            model (nn.Module): the module with the wrappers.
            optim (Optimizer): the optimizer of its parameters.
            optim_input (optional): ignored.
            rank0_only (bool): whether other ranks get an empty dictionary. Default: ``True``.
            group (ProcessGroup, optional): ignored.

        Returns:
            dict: the state.
        """
        config = FullOptimStateDictConfig(rank0_only=rank0_only)
        return _flat_optim.gather_state(model, optim, None, config, sharded=False)

    @staticmethod
    def sharded_optim_state_dict(model: Module, optim: Optimizer, group=None) -> dict[str, Any]:
        """Returns the state of an optimizer as DTensors; the former way to `optim_state_dict`.

        Args:
            model (nn.Module): the module with the wrappers.
            optim (Optimizer): the optimizer of its parameters.
            group (ProcessGroup, optional): ignored.

        Returns:
            dict: the state.
        """
        return _flat_optim.gather_state(model, optim, None, ShardedOptimStateDictConfig(), sharded=True)

    @staticmethod
    def shard_full_optim_state_dict(
        full_optim_state_dict: dict[str, Any], model: Module, optim_input=None, optim: Optimizer | None = None
    ) -> dict[str, Any]:
        """Returns what `optim.load_state_dict` loads; the former way to `optim_state_dict_to_load`.

        Args:
            full_optim_state_dict (dict): the complete state.
            model (nn.Module): the module with the wrappers.
            optim_input (optional): ignored.
            optim (Optimizer): the optimizer of its parameters.

        Returns:
            dict: the state of this rank's pieces.
        """
        return _flat_optim.shard_state(model, optim, full_optim_state_dict)

    @staticmethod
    def flatten_sharded_optim_state_dict(
        sharded_optim_state_dict: dict[str, Any], model: Module, optim: Optimizer
    ) -> dict[str, Any]:
        """Returns what `optim.load_state_dict` loads; the former way to `optim_state_dict_to_load`.

        Args:
            sharded_optim_state_dict (dict): the state, of `sharded_optim_state_dict`.
            model (nn.Module): the module with the wrappers.
            optim (Optimizer): the optimizer of its parameters.

        Returns:
            dict: the state of this rank's pieces.
        """
        return _flat_optim.shard_state(model, optim, sharded_optim_state_dict)


def _list_ignored_modules_and_parameters(module, ignored_modules, ignored_states):
    """Returns the modules and parameters that stay as they are."""
    states = list(ignored_modules or ignored_states or ())
    parameters = {state for state in states if isinstance(state, Parameter)}
    modules = {state for state in states if isinstance(state, Module)}
    if len(parameters) + len(modules) < len(states) or (parameters and modules):
        kinds = sorted({type(state) for state in states}, key=repr)
        raise ValueError(
            f"ignored_states expects all nn.Parameter or all nn.Module list elements but got types {kinds}"
        )
    modules = {each for state in modules for each in state.modules()}
    return modules, parameters | {parameter for each in modules for parameter in each.parameters(recurse=False)}


def _list_managed_modules(module) -> list[Module]:
    """Returns the modules below one, without those that wrappers below have."""
    found: dict[Module, None] = {}
    pending = [module]
    while pending:
        each = pending.pop()
        if each not in found and not isinstance(each, FullyShardedDataParallel):
            found[each] = None
            pending.extend(reversed(list(each.children())))
    return list(found)


def _materialize_meta_modules(modules, param_init_fn, device):
    """Initialises the modules that have meta parameters."""
    for each in modules:
        if not any(parameter.is_meta for parameter in each.parameters(recurse=False)):
            continue
        if param_init_fn is not None:
            param_init_fn(each)
        else:
            each.to_empty(device=device or torch_device("cpu"), recurse=False)
            with no_grad():
                each.reset_parameters()


def _broadcast_initial_values(modules, owners, ranks):
    """Copies parameters and buffers from the first rank of each group."""
    buffers = [buffer for each in modules for buffer in each.buffers(recurse=False)]
    with no_grad():
        for group in (ranks.replicate_group, ranks.shard_group):
            for value in [*owners, *buffers] if group is not None else ():
                broadcast(value.detach(), group=group, group_src=0)


def _set_state_dict_settings(module, kind, state_config, optim_config) -> StateDictSettings:
    classes = _CONFIGS[kind]
    configs = [made() if given is None else given for made, given in zip(classes, (state_config, optim_config))]
    for expected, config, name in zip(classes, configs, ("state_dict_config", "optim_state_dict_config")):
        if type(config) is not expected:
            raise RuntimeError(f"Expected {name} of type {expected} but got {type(config)}")
    before = FullyShardedDataParallel.get_state_dict_type(module)
    for each in FullyShardedDataParallel.fsdp_modules(module):
        each._settings = StateDictSettings(kind, *configs)
    return before
