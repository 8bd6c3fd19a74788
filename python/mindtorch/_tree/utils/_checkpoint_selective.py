"""Selective checkpointing: a policy chooses, for each operator, whether to keep or to recompute its results."""

import enum
from collections import defaultdict

from .._root import torch
from ._python_dispatch import TorchDispatchMode
from ._pytree import tree_map

_MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that "
    "changed between forward and backward."
)
_RECOMPUTE = object()
_CONSUMED = object()


class CheckpointPolicy(enum.Enum):
    """What selective checkpointing does with an operator's result; PREFER leaves compilers the choice."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """The context that a policy function gets, besides the operator and its arguments.

    Args:
        is_recompute (bool): whether this is the second run.
        op_output (optional): the operator's result.

    Example:
        >>> torch.utils.checkpoint.SelectiveCheckpointContext(is_recompute=False).is_recompute
        False
    """

    def __init__(self, *, is_recompute, op_output=None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


# Operators that are always recomputed, without a call of the policy: they copy no data, and checkpointing itself calls
# them.
SAC_IGNORED_OPS = {torch.ops.aten.detach.default}
if hasattr(torch.ops.prim, "device"):
    SAC_IGNORED_OPS.add(torch.ops.prim.device.default)


class _Kept:
    """A kept result with its version at that time."""

    def __init__(self, value) -> None:
        is_tensor = isinstance(value, torch.Tensor)
        self.value = value.detach() if is_tensor else value
        self.version = self.value._version if is_tensor else None

    def get(self, allow_mutation):
        if self.version is not None and not allow_mutation and self.value._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.value


class _CachingTorchDispatchMode(TorchDispatchMode):
    """Forward: calls the policy and stores results."""

    def __init__(self, policy_fn, storage) -> None:
        super().__init__()
        self.policy_fn = policy_fn
        self.storage = storage
        self.func_counter = defaultdict(int)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if func in SAC_IGNORED_OPS:
            return out
        context = SelectiveCheckpointContext(is_recompute=False, op_output=out)
        policy = self.policy_fn(context, func, *args, **kwargs)
        if isinstance(policy, bool):
            policy = CheckpointPolicy.MUST_SAVE if policy else CheckpointPolicy.PREFER_RECOMPUTE
        keep = policy in (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
        self.storage[func][self.func_counter[func]] = tree_map(_Kept, out) if keep else _RECOMPUTE
        self.func_counter[func] += 1
        return out


class _CachedTorchDispatchMode(TorchDispatchMode):
    """Recomputation: returns each stored result once."""

    def __init__(self, storage, allow_cache_entry_mutation=False) -> None:
        super().__init__()
        self.storage = storage
        self.allow_cache_entry_mutation = allow_cache_entry_mutation
        self.func_counter = defaultdict(int)

    def __enter__(self):
        self.func_counter.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        index = self.func_counter[func]
        self.func_counter[func] += 1
        entries = self.storage.get(func)
        if entries is None:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {_MISMATCH}")
        entry = entries.get(index)
        if entry is None:
            raise RuntimeError(
                f"{func} invocation index {index} encountered during backward but not found in storage. {_MISMATCH}"
            )
        if entry is _CONSUMED:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under "
                "selective activation checkpoint."
            )
        if entry is _RECOMPUTE:
            return func(*args, **kwargs)
        entries[index] = _CONSUMED
        return tree_map(lambda kept: kept.get(self.allow_cache_entry_mutation), entry)


def _check_op_list(ops) -> None:
    from .._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

    for op in ops:
        if isinstance(op, (OpOverload, HigherOrderOperator)):
            continue
        hint = ""
        if isinstance(op, OpOverloadPacket):
            hint = (
                "Please update the OpOverloadPacket to a specific OpOverload."
                "For example, if you have `torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
            )
        raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {hint}")


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """Returns contexts for `context_fn` of `checkpoint` that keep the results of chosen operators.

    Args:
        policy_fn_or_list (callable or list): operators (OpOverload) whose results are kept, or
            ``policy(ctx, op, *args, **kwargs)`` that returns a CheckpointPolicy.
        allow_cache_entry_mutation (bool): does not raise when a kept tensor was changed in place.
            Default: ``False``.

    Returns:
        tuple: two contexts.

    Raises:
        TypeError: for other types.
        ValueError: when the list has other things than overloads.

    Example:
        >>> from functools import partial
        >>> from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
        >>> keep = partial(create_selective_checkpoint_contexts, [torch.ops.aten.sin.default])
        >>> x = torch.zeros(1, requires_grad=True)
        >>> checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False, context_fn=keep).backward()
        >>> x.grad
        tensor([-0.])
    """
    if isinstance(policy_fn_or_list, list):
        _check_op_list(policy_fn_or_list)

        def policy_fn(ctx, op, *args, **kwargs):
            listed = op in policy_fn_or_list
            return CheckpointPolicy.MUST_SAVE if listed else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy_fn = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage = defaultdict(dict)
    return (
        _CachingTorchDispatchMode(policy_fn, storage),
        _CachedTorchDispatchMode(storage, allow_cache_entry_mutation),
    )
