"""fully_shard: a module whose parameters are sharded, and gathered while it computes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ... import device as torch_device
from ... import is_floating_point, is_grad_enabled
from ..._root import torch
from ...autograd import Variable
from ...nn import Module, ModuleDict, ModuleList, Parameter
from ...nn.parallel.distributed import _find_tensors
from ...utils._pytree import tree_map_only
from ..device_mesh import DeviceMesh, init_device_mesh
from ..distributed_c10d import get_world_size, init_process_group, is_initialized
from ..tensor import DTensor, Shard
from ._policies import CPUOffloadPolicy, DataParallelMeshDims, MixedPrecisionPolicy, OffloadPolicy
from ._shards import ParameterGroup, Ranks, ShardedParameter, find_parameter_owners

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method", "share_comm_ctx"]

_states: WeakKeyDictionary[Module, _State] = WeakKeyDictionary()
_smaller_ranks: WeakKeyDictionary[DeviceMesh, dict[int, Ranks]] = WeakKeyDictionary()


class _State:
    """When the parameters of one call of fully_shard are gathered, freed and reduced."""

    def __init__(self, modules, group: ParameterGroup, reshard_after_forward, policy: MixedPrecisionPolicy):
        self.modules, self.group, self.policy = modules, group, policy
        self.reshard_after_forward = reshard_after_forward  # None: True, except for the root
        self.reshard_after_backward = self.unshard_in_backward = True
        self.root: _State | None = None
        self.states: list[_State] = []  # of a root: all below it
        self.forward_prefetch: list[FSDPModule] = []
        self.backward_prefetch: list[FSDPModule] = []
        self._waiting_modules: set[Module] = set()
        self._in_backward = self._finish_is_queued = False
        self._pending: set[ShardedParameter] = set()
        self._input_hooks: list[Any] = []
        self._inputs = 0
        self._hooked: set[ShardedParameter] = set()

    def _find_root(self):
        """The first module that runs forward is the root of all below it."""
        if self.root is not None:
            return
        self.root, self.states = self, [self]
        if self.reshard_after_forward is None:
            self.reshard_after_forward = False
        for name, module in self.modules[0].named_modules():
            state = _states.get(module)
            if state is None or state in self.states:
                continue
            if state.root is not None:
                raise RuntimeError(
                    f"FSDP state has already been lazily initialized for {name}\n"
                    "FSDP requires running forward through the root module first"
                )
            state.root = self
            self.states.append(state)
            if state.reshard_after_forward is None:
                state.reshard_after_forward = True

    def before_forward(self, module, args, kwargs):
        if self._in_backward:  # a checkpoint computes the forward again
            self.group.gather()
            return self._cast_inputs(args, kwargs)
        self._find_root()
        if self.root is self:
            self._finish_is_queued = False
        if not self._waiting_modules:
            self._waiting_modules = set(self.modules)
            self.group.gather()
            self._register_gradient_hooks()
            for other in self.forward_prefetch:
                _states[other].group.start_gather()
        args, kwargs = self._cast_inputs(args, kwargs)
        if is_grad_enabled():
            for value in _find_tensors((args, kwargs)):
                if value.requires_grad:
                    self._inputs += 1
                    self._input_hooks.append(value.register_hook(self._count_input_gradient))
        return args, kwargs

    def _cast_inputs(self, args, kwargs):
        if self.policy.param_dtype is None or not self.policy.cast_forward_inputs:
            return args, kwargs
        return _cast_floating_tensors((args, kwargs), self.policy.param_dtype)

    def after_forward(self, module, args, output):
        if self.policy.output_dtype is not None:
            output = _cast_floating_tensors(output, self.policy.output_dtype)
        if self._in_backward:
            return output
        if is_grad_enabled():
            for value in _find_tensors(output):
                if value.requires_grad:
                    value.register_hook(self._before_backward)
        self._waiting_modules.discard(module)
        if not self._waiting_modules and self.reshard_after_forward is not False:
            self.group.reshard(_choose_ranks_after_forward(self.group.ranks, self.reshard_after_forward))
        return output

    def _register_gradient_hooks(self):
        for parameter in self.group.parameters:
            if parameter.full.requires_grad and parameter not in self._hooked:
                self._hooked.add(parameter)
                parameter.full.register_post_accumulate_grad_hook(
                    functools.partial(self._mark_gradient_ready, parameter)
                )

    def _before_backward(self, gradient):
        root = self.root
        if not root._finish_is_queued:
            root._finish_is_queued = True
            Variable._execution_engine.queue_callback(root._finish_backward)
        if not self._in_backward:
            self._in_backward = True
            self._pending = {parameter for parameter in self.group.parameters if parameter.full.requires_grad}
            if self.unshard_in_backward:
                self.group.gather()
            for other in self.backward_prefetch:
                _states[other].group.start_gather()

    def _mark_gradient_ready(self, parameter, _):
        self._pending.discard(parameter)
        self._end_backward_if_complete()

    def _count_input_gradient(self, gradient):
        self._inputs -= 1
        self._end_backward_if_complete()

    def _end_backward_if_complete(self):
        # A node may compute an input's gradient after the last parameter's, so the backward pass ends only with both.
        if self._in_backward and not self._pending and self._inputs <= 0:
            self._end_backward()

    def _end_backward(self):
        self._in_backward = False
        self.group.reduce_gradients()
        if self.reshard_after_backward:
            self.group.reshard()

    def _finish_backward(self):
        """Ends the backward of modules that had unused parameters or inputs."""
        self._finish_is_queued = False
        for state in self.states:
            state._end_backward()
            for hook in state._input_hooks:
                hook.remove()
            state._input_hooks.clear()
            state._inputs = 0


def _cast_floating_tensors(values, dtype):
    return tree_map_only(torch.Tensor, lambda value: value.to(dtype) if is_floating_point(value) else value, values)


def _choose_ranks_after_forward(ranks: Ranks, reshard_after_forward) -> Ranks | None:
    """Returns the smaller group of ranks that keeps the parameters after forward; None if all ranks do."""
    if isinstance(reshard_after_forward, bool) or reshard_after_forward == ranks.size:
        return None
    known = _smaller_ranks.setdefault(ranks.mesh, {})
    return known[reshard_after_forward]


class UnshardHandle:
    """A running all-gather, from FSDPModule.unshard."""

    def wait(self) -> None:
        """Waits until the parameters are gathered."""


class _UnshardHandle(UnshardHandle):
    def __init__(self, group):
        self._group = group

    def wait(self) -> None:
        if self._group is not None:
            self._group.finish_gather()
            self._group = None


class FSDPModule:
    """What fully_shard adds to the class of a module."""

    def __new__(cls, *args, **kwargs):
        """Makes a module of the class without sharding: parts of a module, as slices, are not sharded themselves."""
        original = cls.__mro__[2]
        made = original.__new__(original, *args, **kwargs)
        made.__init__(*args, **kwargs)
        return made

    def reshard(self) -> None:
        """Frees the gathered parameters of this module's group."""
        _states[self].group.reshard()

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gathers the parameters of this module's group.

        Args:
            async_op (bool): whether to return before they are there. Default: ``False``.

        Returns:
            UnshardHandle or None: what to wait for, with `async_op`.
        """
        group = _states[self].group
        group.start_gather()
        if async_op:
            return _UnshardHandle(group)
        group.finish_gather()
        return None

    def _yield_fsdp_states(self, recurse):
        for module in self.modules() if recurse else (self,):
            if module in _states:
                yield _states[module]

    def reset_iter_state(self) -> None:
        """Forgets what an interrupted iteration left.

        Raises:
            RuntimeError: when this module is not the root.
        """
        state = _states[self]
        state._find_root()
        if state.root is not state:
            raise RuntimeError("reset_iter_state must be called on the root FSDP module")
        state._finish_is_queued = False
        for each in state.states:
            each._in_backward, each._inputs = False, 0
            each._waiting_modules.clear()
            each.group.reshard()

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Says whether the next backward is the last of the iteration; here nothing is left pending after any.

        Args:
            is_last_backward (bool): whether it is.
        """

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Says whether backward reduces gradients; if not, each rank accumulates complete ones.

        Args:
            requires_gradient_sync (bool): whether it does.
            recurse (bool): applies to all modules below too. Default: ``True``.
        """
        for state in self._yield_fsdp_states(recurse):
            state.group.requires_sync = state.group.requires_all_reduce = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Says whether backward reduces gradients over replicas; if not, their sums stay within each.

        Args:
            requires_all_reduce (bool): whether it does.
            recurse (bool): applies to all modules below too. Default: ``True``.
        """
        for state in self._yield_fsdp_states(recurse):
            state.group.requires_all_reduce = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Says whether parameters are freed after forward.

        Args:
            reshard_after_forward (bool): whether they are.
            recurse (bool): applies to all modules below too. Default: ``True``.

        Raises:
            ValueError: when it is no bool.
        """
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(f"reshard_after_forward should be a bool, got {type(reshard_after_forward)}")
        for state in self._yield_fsdp_states(recurse):
            state.reshard_after_forward = reshard_after_forward

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Says whether parameters are freed after backward.

        Args:
            reshard_after_backward (bool): whether they are.
            recurse (bool): applies to all modules below too. Default: ``True``.
        """
        for state in self._yield_fsdp_states(recurse):
            state.reshard_after_backward = reshard_after_backward

    def set_modules_to_forward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Starts to gather these modules when this one runs forward.

        Args:
            modules (list[FSDPModule]): the modules.

        Raises:
            ValueError: when one is not sharded.
        """
        _check_modules(modules)
        _states[self].forward_prefetch = list(modules)

    def set_modules_to_backward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Starts to gather these modules when this one runs backward.

        Args:
            modules (list[FSDPModule]): the modules.

        Raises:
            ValueError: when one is not sharded.
        """
        _check_modules(modules)
        _states[self].backward_prefetch = list(modules)

    def set_all_reduce_hook(self, hook: Callable[[torch.Tensor], None], *, stream=None) -> None:
        """Calls a function with this rank's piece of the summed gradients, before they are divided.

        Args:
            hook (callable): the function.
            stream (optional): must be None.
        """
        _states[self].group.all_reduce_hook = hook

    def set_post_optim_event(self, event) -> None:
        """Does nothing: no stream waits for the optimizer.

        Args:
            event (torch.Event): the event.
        """

    def set_reduce_scatter_divide_factor(self, factor: float) -> None:
        """The former name of `set_gradient_divide_factor`.

        Args:
            factor (float): the divisor of gradients.
        """
        warnings.warn("Use `set_gradient_divide_factor` instead", DeprecationWarning, stacklevel=2)
        self.set_gradient_divide_factor(factor)

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Sets by what summed gradients are divided. Default: by the number of ranks.

        Args:
            factor (float): the divisor.
        """
        _states[self].group.divide_factor = factor

    def set_force_sum_reduction_for_comms(self, enable: bool) -> None:
        """Does nothing: gradients are always summed, then divided.

        Args:
            enable (bool): whether they are to be.
        """

    def set_reduce_scatter_unused_params(self, reduce_scatter_unused_params: bool, *, recurse: bool = True) -> None:
        """Says whether unused parameters that require a gradient count as having a gradient of zeros.

        Args:
            reduce_scatter_unused_params (bool): whether they do. Default of modules: ``False``, they keep None.
            recurse (bool): applies to all modules below too. Default: ``True``.
        """
        for state in self._yield_fsdp_states(recurse):
            state.group.reduces_unused = reduce_scatter_unused_params

    def set_reduce_scatter_max_input_buffers(self, max_input_buffers: int, *, recurse: bool = True) -> None:
        """Does nothing: each reduction ends before the next starts, so there is one buffer.

        Args:
            max_input_buffers (int): how many may exist.
            recurse (bool): applies to all modules below too. Default: ``True``.
        """

    def set_separate_reduce_scatter_group(self, enable: bool = True, *, recurse: bool = True) -> None:
        """Does nothing: reductions do not overlap with gathers, so they share a group.

        Args:
            enable (bool): whether reductions are to have a group of their own. Default: ``True``.
            recurse (bool): applies to all modules below too. Default: ``True``.
        """

    def set_custom_all_gather(self, comm) -> None:
        """Is not supported.

        Args:
            comm (object): how to gather.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("torch.distributed.fsdp.FSDPModule.set_custom_all_gather is not in this build")

    def set_custom_reduce_scatter(self, comm) -> None:
        """Is not supported.

        Args:
            comm (object): how to reduce.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("torch.distributed.fsdp.FSDPModule.set_custom_reduce_scatter is not in this build")

    def set_symm_mem_for_comm(self, backend: str = "NCCL") -> None:
        """Is not supported.

        Args:
            backend (str): the owner of symmetric memory. Default: ``"NCCL"``.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("torch.distributed.fsdp.FSDPModule.set_symm_mem_for_comm is not in this build")

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Says whether backward gathers the parameters; not needed if it does not use them.

        Args:
            unshard_in_backward (bool): whether it does.
        """
        _states[self].unshard_in_backward = unshard_in_backward

    def set_allocate_memory_from_process_group_for_comm(self, enable: bool) -> None:
        """Does nothing: no backend here has an allocator of its own.

        Args:
            enable (bool): whether it is to be used.
        """

    def _apply(self, *args, **kwargs):
        self.reshard()  # what moves are the pieces
        return super()._apply(*args, **kwargs)


def _check_modules(modules):
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"Expects FSDPModule but got {type(module)}: {module}")


def _refuse_deepcopy(self, memo):
    raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


@functools.cache
def _make_sharded_class(original):
    return type(f"FSDP{original.__name__}", (FSDPModule, original), {"__deepcopy__": _refuse_deepcopy})


def _make_default_mesh():
    if not is_initialized():
        init_process_group()
    return init_device_mesh("cpu", (get_world_size(),))


def _normalize_reshard_after_forward(ranks: Ranks, reshard_after_forward):
    """Returns the option with 1 replaced by False; makes the groups of a smaller number of ranks."""
    if not isinstance(reshard_after_forward, (bool, int, type(None))):
        raise ValueError(
            "reshard_after_forward should be a bool or an int representing the group size to reshard to, "
            f"not {reshard_after_forward}"
        )
    if reshard_after_forward is None or isinstance(reshard_after_forward, bool):
        return reshard_after_forward
    if not 1 <= reshard_after_forward <= ranks.size or ranks.size % reshard_after_forward:
        raise ValueError(
            f"If passing reshard_after_forward as an int, it should be a factor of {ranks.size}, "
            f"not {reshard_after_forward}"
        )
    if reshard_after_forward == 1:
        return False
    known = _smaller_ranks.setdefault(ranks.mesh, {})
    if reshard_after_forward < ranks.size and reshard_after_forward not in known:
        lines = ranks.mesh.mesh.view(-1, reshard_after_forward)
        known[reshard_after_forward] = Ranks(DeviceMesh(ranks.mesh.device_type, lines))
    return reshard_after_forward


def _list_modules_not_yet_sharded(modules) -> list[Module]:
    """Returns the modules below these, without those that are sharded themselves and what is below those."""
    found: dict[Module, None] = {}
    pending = list(reversed(modules))
    while pending:
        module = pending.pop()
        if module not in found and module not in _states:
            found[module] = None
            pending.extend(reversed(list(module.children())))
    return list(found)


def fully_shard(
    module,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[[Parameter], Shard | None] | None = None,
    mp_policy: MixedPrecisionPolicy = MixedPrecisionPolicy(),
    offload_policy: OffloadPolicy = OffloadPolicy(),
    ignored_params: set[Parameter] | None = None,
    dp_mesh_dims: DataParallelMeshDims | None = None,
):
    """Shards the parameters of a module over the ranks, in place.

    Between uses each rank has a piece of each parameter, a DTensor. Forward and backward gather the complete ones, and
    backward leaves each rank its piece of the averaged gradients. Apply it to the parts first: the parameters of one
    call are gathered together, and a call leaves out what is sharded already.

    Args:
        module (nn.Module or list[nn.Module]): the module; several form one group.
        mesh (DeviceMesh, optional): the ranks; of two dimensions, the first replicates. Default: all ranks.
        reshard_after_forward (bool, int or None): whether parameters are freed after forward and gathered again for
            backward. A number of ranks keeps pieces for groups of that size. Default: ``True`` except for the root.
        shard_placement_fn (callable, optional): returns for a parameter the dimension to shard, as ``Shard(1)``; None
            is the first.
        mp_policy (MixedPrecisionPolicy): the types in which the module computes.
        offload_policy (OffloadPolicy): where the pieces are.
        ignored_params (set[nn.Parameter], optional): parameters that stay as they are.
        dp_mesh_dims (DataParallelMeshDims, optional): unsupported.

    Returns:
        nn.Module or list[nn.Module]: the argument, whose class is now a subclass of FSDPModule too.

    Raises:
        ValueError: when a module has no forward, or a parameter no dimensions.
        AssertionError: when the module is sharded already.

    Example:
        >>> import torch, torch.distributed as dist
        >>> from torch.distributed.fsdp import fully_shard
        >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        >>> model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
        >>> for part in model:
        ...     _ = fully_shard(part)
        >>> model = fully_shard(model)
        >>> model(torch.ones(2, 4)).sum().backward()
        >>> model[0].weight.placements, model[0].weight.grad.shape
        ((Shard(dim=0),), torch.Size([4, 4]))
        >>> dist.destroy_process_group()
    """
    modules = list(module) if isinstance(module, (list, tuple)) else [module]
    for each in modules:
        if isinstance(each, (ModuleList, ModuleDict)) and not _has_forward(each):
            raise ValueError(f"fully_shard does not support containers that do not implement forward: {each}")
    if dp_mesh_dims is not None:
        raise NotImplementedError("torch.distributed.fsdp.fully_shard(..., dp_mesh_dims) is not in this build")
    mesh = mesh or _make_default_mesh()
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    if mesh.ndim == 2 and mesh.mesh_dim_names is None:
        raise AssertionError("Please init the 2D mesh for HSDP with mesh_dim_names specified")
    for each in modules:
        if each in _states:
            raise AssertionError(
                "Each distinct composable distributed API can only be applied to a module once. fully_shard has "
                f"already been applied to the following module:\n{each}"
            )
    ranks = Ranks(mesh)
    reshard_after_forward = _normalize_reshard_after_forward(ranks, reshard_after_forward)
    managed = _list_modules_not_yet_sharded(modules)
    owners = find_parameter_owners(managed, ignored_params or ())
    device = torch_device(mesh.device_type)
    keep = torch_device("cpu") if isinstance(offload_policy, CPUOffloadPolicy) else device
    dims = {parameter: _choose_shard_dim(parameter, pairs, shard_placement_fn) for parameter, pairs in owners.items()}
    parameters = [
        ShardedParameter(parameter, pairs, ranks, dims.pop(parameter), mp_policy, device, keep)
        for parameter, pairs in owners.items()
    ]
    state = _State(modules, ParameterGroup(parameters, ranks, mp_policy), reshard_after_forward, mp_policy)
    for each in modules:
        _states[each] = state
        each.__class__ = _make_sharded_class(type(each))
        each.register_forward_pre_hook(state.before_forward, prepend=True, with_kwargs=True)
        each.register_forward_hook(state.after_forward)
    for each in {id(owner): owner for parameter in parameters for owner, _ in parameter.owners}.values():
        each.register_state_dict_pre_hook(lambda *_: state.group.reshard())
        each.register_load_state_dict_pre_hook(lambda *_: state.group.reshard())
    return module


def _has_forward(module):
    return type(module).forward not in (ModuleList.forward, ModuleDict.forward)


def _choose_shard_dim(parameter, pairs, shard_placement_fn):
    """Returns the dimension along which a parameter is sharded."""
    if isinstance(parameter, DTensor):
        raise NotImplementedError("torch.distributed.fsdp.fully_shard of DTensor parameters is not in this build")
    if parameter.ndim == 0:
        raise ValueError(
            f"fully_shard doesn't support scalar parameters. Change {pairs[0][1]} to a 1D tensor with numel equal to 1."
        )
    if not parameter.is_contiguous():
        raise NotImplementedError(
            f"FSDP does not support non-contiguous parameters yet: parameter.shape={parameter.shape} "
            f"parameter.stride()={parameter.stride()}"
        )
    placement = shard_placement_fn(parameter) if shard_placement_fn else None
    if placement is None:
        return 0
    if not isinstance(placement, Shard):
        raise ValueError(f"Invalid shard_placement_fn result: {placement}")
    dim = placement.dim + parameter.ndim if placement.dim < 0 else placement.dim
    if dim >= parameter.ndim:
        raise AssertionError(f"Shard dim {dim} is invalid for {parameter.ndim}D tensor: {parameter.shape}")
    return dim


def register_fsdp_forward_method(module: Module, method_name: str) -> None:
    """Lets a method gather and free the parameters as forward does; does nothing for modules that are not sharded.

    Args:
        module (nn.Module): the module.
        method_name (str): the method's name.

    Raises:
        ValueError: when it has no such method.
    """
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(f"{type(module)} does not have a method {method_name}")
    original, state = getattr(type(module), method_name), _states[module]

    @functools.wraps(original)
    def wrapped(*args, **kwargs):
        args, kwargs = state.before_forward(module, args, kwargs)
        return state.after_forward(module, args, original(module, *args, **kwargs))

    setattr(module, method_name, wrapped)


def share_comm_ctx(modules: list[FSDPModule]) -> None:
    """Lets several roots share their communication; here they have nothing to share.

    Args:
        modules (list[FSDPModule]): the roots.

    Raises:
        ValueError: when one is not sharded.
    """
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"Expects list of FSDPModules but got {module}")
