"""Averages of weights: equal (SWA) or exponential (EMA)."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, Literal

from .._root import torch
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from ._elementwise import check
from .lr_scheduler import LRScheduler, _format_param

__all__ = [
    "AveragedModel",
    "update_bn",
    "SWALR",
    "get_ema_multi_avg_fn",
    "get_swa_multi_avg_fn",
    "get_ema_avg_fn",
    "get_swa_avg_fn",
]


def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _are_floating_or_complex(tensors):
    return torch.is_floating_point(tensors[0]) or torch.is_complex(tensors[0])


def get_ema_multi_avg_fn(decay=0.999):
    """Returns a function that updates exponential averages of a list of tensors in place.

    ``average = decay * average + (1 - decay) * current``.

    Args:
        decay (float): share of the average that each update keeps, in [0, 1]. Default: ``0.999``.

    Returns:
        callable: ``f(averages, currents, count)`` for `AveragedModel(multi_avg_fn=...)`.

    Raises:
        ValueError: when `decay` is out of its range.

    Example:
        >>> average = [torch.tensor([1.0])]
        >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.75)(average, [torch.tensor([5.0])], 1)
        >>> average
        [tensor([2.])]
    """
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        if _are_floating_or_complex(ema_param_list):
            torch._foreach_lerp_(ema_param_list, current_param_list, 1 - decay)
            return
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """Returns a function that updates equal-weight averages of a list of tensors in place.

    ``average = average + (current - average) / (count + 1)``.

    Returns:
        callable: ``f(averages, currents, count)`` for `AveragedModel(multi_avg_fn=...)`.

    Example:
        >>> average = [torch.tensor([1.0])]
        >>> torch.optim.swa_utils.get_swa_multi_avg_fn()(average, [torch.tensor([5.0])], 1)
        >>> average
        [tensor([3.])]
    """

    @torch.no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        if _are_floating_or_complex(averaged_param_list):
            torch._foreach_lerp_(averaged_param_list, current_param_list, 1 / (num_averaged + 1))
            return
        differences = torch._foreach_sub(current_param_list, averaged_param_list)
        if isinstance(num_averaged, torch.Tensor):
            counts = [num_averaged + 1] * len(averaged_param_list)
            torch._foreach_addcdiv_(averaged_param_list, differences, counts)
        else:
            torch._foreach_add_(averaged_param_list, differences, alpha=1.0 / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """Returns a function that computes the exponential average of one tensor.

    ``decay * average + (1 - decay) * current``.

    Args:
        decay (float): share of the average that each update keeps, in [0, 1]. Default: ``0.999``.

    Returns:
        callable: ``f(average, current, count)`` for `AveragedModel(avg_fn=...)`.

    Raises:
        ValueError: when `decay` is out of its range.

    Example:
        >>> average = torch.optim.swa_utils.get_ema_avg_fn(0.75)
        >>> average(torch.tensor([1.0]), torch.tensor([5.0]), 1)
        tensor([2.])
    """
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """Returns a function that computes the equal-weight average of one tensor.

    ``average + (current - average) / (count + 1)``.

    Returns:
        callable: ``f(average, current, count)`` for `AveragedModel(avg_fn=...)`.

    Example:
        >>> average = torch.optim.swa_utils.get_swa_avg_fn()
        >>> average(torch.tensor([1.0]), torch.tensor([5.0]), 1)
        tensor([3.])
    """

    @torch.no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """Keeps a copy of a model whose parameters are running averages of the model's.

    For stochastic weight averaging (Izmailov et al. 2018, "Averaging weights leads to wider optima and
    better generalization") the averages have equal weights, the default; for an exponential moving
    average pass ``multi_avg_fn=get_ema_multi_avg_fn(decay)``. Call `update_parameters` after steps of
    the optimizer. Afterwards batch normalisation needs new statistics: `update_bn`.

    Args:
        model (Module): the model; it is copied deeply.
        device (torch.device, optional): where the copy is kept. Default: where the model is.
        avg_fn (callable, optional): ``f(average, current, count)``, returns the new average of one
            tensor. Default: equal weights.
        multi_avg_fn (callable, optional): ``f(averages, currents, count)``, updates lists in place;
            excludes `avg_fn`.
        use_buffers (bool): averages buffers too, instead of copying them. Default: ``False``.

    Attributes:
        module (Module): the copy; calling the AveragedModel calls it.
        n_averaged (Tensor): number of updates so far, a buffer.

    Example:
        >>> model = nn.Linear(1, 1, bias=False)
        >>> averaged = torch.optim.swa_utils.AveragedModel(model)
        >>> for value in (1.0, 2.0, 6.0):
        ...     _ = nn.init.constant_(model.weight, value)
        ...     averaged.update_parameters(model)
        >>> averaged(torch.ones(1, 1)).item()
        3.0
    """

    n_averaged: torch.Tensor

    def __init__(
        self,
        model: Module,
        device: int | torch.device | None = None,
        avg_fn: Callable[[torch.Tensor, torch.Tensor, torch.Tensor | int], torch.Tensor] | None = None,
        multi_avg_fn: Callable[
            [
                tuple[torch.Tensor, ...] | list[torch.Tensor],
                tuple[torch.Tensor, ...] | list[torch.Tensor],
                torch.Tensor | int,
            ],
            None,
        ]
        | None = None,
        use_buffers=False,
    ) -> None:
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        super().__init__()
        copy = deepcopy(model)
        self.module = copy if device is None else copy.to(device)
        self.register_buffer("n_averaged", torch.zeros((), dtype=torch.long, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """Calls the averaged copy.

        Args:
            *args, **kwargs: passed on.

        Returns:
            What the copy returns.
        """
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the current parameters of the model into the averages; the first call copies them.

        Args:
            model (Module): a model with the same parameters in the same order.
        """
        if self.use_buffers:
            averaged = itertools.chain(self.module.parameters(), self.module.buffers())
            current = itertools.chain(model.parameters(), model.buffers())
        else:
            averaged, current = self.parameters(), model.parameters()
        pairs = [(a.detach(), c.detach().to(a.device)) for a, c in zip(averaged, current, strict=False)]
        if self.n_averaged == 0:
            for average, value in pairs:
                average.copy_(value)
        elif pairs:
            self._update_averages(pairs)
        if not self.use_buffers:
            for average, value in zip(self.module.buffers(), model.buffers(), strict=True):
                average.detach().copy_(value.detach().to(average.device))
        self.n_averaged += 1

    def _update_averages(self, pairs):
        if self.multi_avg_fn is None:
            function = self.avg_fn or get_swa_avg_fn()
            for average, value in pairs:
                average.copy_(function(average, value, self.n_averaged.to(average.device)))
            return
        lists = [list(column) for column in zip(*pairs, strict=True)]
        groups = torch.utils._foreach_utils._group_tensors_by_device_and_dtype(lists)
        for (device, _), ((averages, values), _) in groups.items():
            self.multi_avg_fn(averages, values, self.n_averaged.to(device))


@torch.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: int | torch.device | None = None) -> None:
    """Recomputes the running statistics of batch normalisation in one pass over data.

    The statistics become equal-weight averages over all batches. The model runs in training mode,
    without gradients, and gets its mode back; without such layers nothing is run.

    Args:
        loader (iterable): batches; of a list or tuple the first item is the input.
        model (Module): the model to call on each batch.
        device (torch.device, optional): where inputs are moved to. Default: they stay.

    Example:
        >>> model = nn.BatchNorm1d(1)
        >>> batches = [torch.tensor([[1.0], [3.0]]), torch.tensor([[5.0], [7.0]])]
        >>> torch.optim.swa_utils.update_bn(batches, model)
        >>> model.running_mean
        tensor([4.])
    """
    momenta = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None  # a cumulative average
    for batch in loader:
        input = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(input if device is None else input.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


def _anneal_linearly(t):
    return t


def _anneal_by_cosine(t):
    return (1 - math.cos(math.pi * t)) / 2


# {annealing strategy: function from the elapsed fraction of the annealing time to the share of the new learning rate}
_SHARES = {"cos": _anneal_by_cosine, "linear": _anneal_linearly}


class SWALR(LRScheduler):
    """Moves the rate from its current value to `swa_lr` in `anneal_epochs` epochs, and keeps it there.

    With ``t = min(1, epoch / anneal_epochs)`` and a the share t (``"linear"``) or
    ``(1 - cos(pi * t)) / 2`` (``"cos"``): ``lr = (1 - a) * start + a * swa_lr``.

    Args:
        optimizer (Optimizer): the optimizer whose learning rates are set.
        swa_lr (float or list): last rate, of all groups or of each.
        anneal_epochs (int): length of the change; 0 sets the rate at once. Default: ``10``.
        anneal_strategy (str): ``"cos"`` or ``"linear"``. Default: ``"cos"``.
        last_epoch (int): epoch to resume after; ``-1`` starts from the beginning. Default: ``-1``.

    Raises:
        ValueError: when the strategy is unknown, `anneal_epochs` negative, or a list has a wrong
            length.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.swa_utils.SWALR(optimizer, 0.5, 2, anneal_strategy="linear")
        >>> rates = []
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     rates.append(scheduler.get_last_lr()[0])
        >>> rates
        [0.75, 0.5, 0.5]
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        swa_lr: float,
        anneal_epochs=10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch=-1,
    ) -> None:
        for rate, group in zip(_format_param("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        known = anneal_strategy in tuple(_SHARES)
        check(known, "anneal_strategy must be one of 'cos' or 'linear', instead got {}", anneal_strategy)
        self._set_anneal_func(anneal_strategy)
        is_count = isinstance(anneal_epochs, int) and anneal_epochs >= 0
        check(is_count, "anneal_epochs must be equal or greater than 0, got {}", anneal_epochs)
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _get_initial_lr(lr, swa_lr, alpha):
        """Returns the initial rate, from the rate that an `alpha` fraction of `swa_lr` gives."""
        return swa_lr if alpha == 1 else (lr - alpha * swa_lr) / (1 - alpha)

    def _annealed_fraction(self, step):
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self):
        """Computes the learning rates of the current epoch; `step` calls it, programs call `get_last_lr`.

        Returns:
            list: one rate per group.
        """
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._annealed_fraction(step - 1), self._annealed_fraction(step)
        lrs = []
        for group in self.optimizer.param_groups:
            start = self._get_initial_lr(group["lr"], group["swa_lr"], before)
            lrs.append(group["swa_lr"] * now + start * (1 - now))
        return lrs

    def _set_anneal_func(self, anneal_strategy):
        self._anneal_strategy = anneal_strategy
        self.anneal_func = _SHARES[anneal_strategy]

    def state_dict(self) -> dict[str, Any]:
        """Returns all attributes but the optimizer, and the annealing function by name.

        Returns:
            dict: the attributes by name.
        """
        return {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "anneal_func")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` of a like schedule returned.

        Args:
            state_dict (dict): attributes by name.
        """
        self.__dict__.update(state_dict)
        self._set_anneal_func(self._anneal_strategy)
