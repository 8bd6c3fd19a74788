"""Join: training with uneven numbers of inputs; processes without inputs take part in the communication of the
others."""

import warnings
from abc import ABC, abstractmethod
from typing import NamedTuple

from ..._root import torch
from .. import distributed_c10d as dist

__all__ = ["JoinHook", "Joinable", "Join"]


class JoinHook:
    """What a joined process runs: `main_hook` for each pass of the others, `post_hook` when all have joined."""

    def main_hook(self) -> None:
        """Takes part in the communication of one pass."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Runs once at the end; `is_last_joiner` is whether this process was among the last with inputs."""


class _JoinConfig(NamedTuple):
    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool

    @staticmethod
    def construct_disabled_join_config():
        return _JoinConfig(False, False, False)


class Joinable(ABC):
    """A class for use in Join: it calls Join.notify_join_context(self) before its communication in each pass."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = _JoinConfig.construct_disabled_join_config()

    @abstractmethod
    def join_hook(self, **kwargs) -> JoinHook:
        """Returns a hook for this object; `kwargs` are those of Join."""

    @property
    @abstractmethod
    def join_device(self):
        """The device of the context's own communication."""

    @property
    @abstractmethod
    def join_process_group(self):
        """The group of the context's own communication."""


class Join:
    """A context for a training loop whose processes have different numbers of inputs.

    A process that has no more runs, at the context's end, the hooks of the joinables, which take part in the
    communication of those that go on.

    Args:
        joinables (list[Joinable]): what communicates in each pass, of one process group.
        enable (bool): without it the context does nothing. Default: ``True``.
        throw_on_early_termination (bool): all processes raise RuntimeError instead once one has no more
            inputs. Default: ``False``.
        **kwargs: for the joinables' join_hook.

    Raises:
        ValueError: when there are no joinables, or their groups differ.
    """

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable = enable
        self._throw_on_early_termination = throw_on_early_termination
        for joinable in joinables:
            joinable._join_config = _JoinConfig(enable, throw_on_early_termination, joinable is joinables[0])
        self._process_group = joinables[0].join_process_group
        if any(joinable.join_process_group != self._process_group for joinable in joinables):
            raise ValueError("Using join context manager with multiple process groups")
        self._rank = dist.get_rank(self._process_group)
        self._device = joinables[0].join_device

    def __enter__(self):
        pass

    def __exit__(self, type, value, traceback):
        if not self._enable or type:
            return
        is_last_joiner = True
        passes = 0
        warnings.simplefilter("once")
        while True:
            if passes > 1000:
                warnings.warn(
                    "Detected uneven input skew of greater than 1000. This means that rank "
                    f"{self._rank} has at least 1000 fewer inputs than other currently-active ranks. "
                    "This level of skew could lead to performance degradation during training.",
                    stacklevel=2,
                )
            if _sum_number_over_ranks(self._process_group, self._device, 0)[0].item() == 0:
                break
            if self._throw_on_early_termination:
                _sum_number_over_ranks(self._process_group, self._device, 1)
                raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")
            for hook in self._join_hooks:
                hook.main_hook()
            is_last_joiner = False
            passes += 1
        for hook in self._join_hooks:
            hook.post_hook(is_last_joiner)

    @staticmethod
    def notify_join_context(joinable):
        """Notifies joined processes that this one continues; returns the Work if `joinable` is the first of the
        context."""
        if not hasattr(joinable, "_join_config"):
            raise AssertionError(f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor")
        config = joinable._join_config
        if not config.is_first_joinable or not config.enable:
            return None
        group, device = joinable.join_process_group, joinable.join_device
        _, work = _sum_number_over_ranks(group, device, 1, async_op=True)
        if config.throw_on_early_termination and _sum_number_over_ranks(group, device, 0)[0].item():
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work


def _sum_number_over_ranks(group, device, mine, async_op=False):
    """Sums a number over all processes."""
    total = torch.full((1,), float(mine), device=device)
    return total, dist.all_reduce(total, group=group, async_op=async_op)
