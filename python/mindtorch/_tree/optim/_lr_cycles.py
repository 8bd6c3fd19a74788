"""Learning rate schedules with cycles, and the one that watches a metric; `lr_scheduler` exports them."""

import functools
import math
import types
import warnings
from math import inf

from ._lr_base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    _check_is_optimizer,
    _enable_get_lr_call,
    _format_param,
    _param_groups_val_list,
    _update_param_group_val,
    _warn_get_lr_called_within_step,
)


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when a metric has not improved for `patience` epochs."""

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
    ):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        _check_is_optimizer(optimizer)
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != groups:
                raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * groups
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = _param_groups_val_list(optimizer, "lr")
        self._init_is_better(mode=mode, threshold=threshold, threshold_mode=threshold_mode)
        self._reset()

    def _reset(self):
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics, epoch=None):
        """Looks at the metric of this epoch."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = _param_groups_val_list(self.optimizer, "lr")

    def _reduce_lr(self, epoch):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new "
                    "param group being added to the optimizer. Please modify the `min_lrs` field to match the "
                    "length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            before = float(group["lr"])
            after = max(before * self.factor, lowest)
            if before - after > self.eps:
                _update_param_group_val(group, "lr", after)

    @property
    def in_cooldown(self):
        """Whether bad epochs do not count at the moment."""
        return self.cooldown_counter > 0

    def _is_better(self, a, best):
        relative = self.threshold_mode == "rel"
        if self.mode == "min":
            return a < (best * (1.0 - self.threshold) if relative else best - self.threshold)
        return a > (best * (self.threshold + 1.0) if relative else best + self.threshold)

    def _init_is_better(self, mode, threshold, threshold_mode):
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = inf if mode == "min" else -inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def load_state_dict(self, state_dict):
        """Takes over what `state_dict` gave."""
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)


def _set_momentum(group, momentum, use_beta1):
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def _has_beta1(optimizer):
    """Whether momentum is called beta1; an optimizer with neither is refused."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


def _start_momentums(optimizer, largest, base, use_beta1):
    for high, low, group in zip(largest, base, optimizer.param_groups, strict=True):
        _set_momentum(group, high, use_beta1)
        group["max_momentum"] = high
        group["base_momentum"] = low


class CyclicLR(LRScheduler):
    """Up and down between two rates, momentum the other way round (Smith 2015)."""

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up=2000,
        step_size_down=None,
        mode="triangular",
        gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        cycle_momentum=True,
        base_momentum=0.8,
        max_momentum=0.9,
        last_epoch=-1,
    ):
        _check_is_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _format_param("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                _update_param_group_val(group, "lr", lr)
        self.max_lrs = _format_param("max_lr", optimizer, max_lr)
        step_size_up = float(step_size_up)
        step_size_down = step_size_up if step_size_down is None else float(step_size_down)
        self.total_size = step_size_up + step_size_down
        self.step_ratio = step_size_up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _has_beta1(optimizer)
            self.base_momentums = _format_param("base_momentum", optimizer, base_momentum)
            self.max_momentums = _format_param("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                _start_momentums(optimizer, self.max_momentums, self.base_momentums, self.use_beta1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self):
        if self._scale_fn_custom is not None:
            return
        if self.mode == "exp_range":
            self._scale_fn_ref = functools.partial(self._exp_range_scale_fn, self.gamma)
            self.scale_mode = "iterations"
        else:
            plain = self.mode == "triangular"
            self._scale_fn_ref = self._triangular_scale_fn if plain else self._triangular2_scale_fn
            self.scale_mode = "cycle"

    def scale_fn(self, x):
        """The height of cycle (or at iteration) `x`."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return self._scale_fn_ref(x)

    @staticmethod
    def _triangular_scale_fn(x):
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x):
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma, x):
        return gamma**x

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        within = 1.0 + self.last_epoch / self.total_size - cycle
        rising = within <= self.step_ratio
        height = within / self.step_ratio if rising else (within - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            groups = self.optimizer.param_groups
            for low, high, group in zip(self.base_momentums, self.max_momentums, groups, strict=True):
                _set_momentum(group, high - (high - low) * height * scale, self.use_beta1)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self):
        """All attributes but the optimizer; of a scale function only a callable object's attributes."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        custom = state["_scale_fn_custom"]
        plain = custom is None or isinstance(custom, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else custom.__dict__.copy()
        return state

    def load_state_dict(self, state_dict):
        attributes = state_dict.pop("_scale_fn_custom")
        super().load_state_dict(state_dict)
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines, each `T_mult` times as long as the one before (Loshchilov and Hutter 2016)."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        low = self.eta_min
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [low + (base - low) * height / 2 for base in self.base_lrs]

    def _move_to(self, epoch):
        """Finds the cycle that holds `epoch`, which may be fractional."""
        if epoch < self.T_0:
            self.T_i = self.T_0
            self.T_cur = epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n

    def step(self, epoch=None):
        """Sets the learning rates for the next epoch, or for the given one."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._move_to(epoch)
        self.last_epoch = math.floor(epoch)
        with _enable_get_lr_call(self):
            self._set_lrs(self.get_lr())


def _phase(end_step, start_lr, end_lr, start_momentum, end_momentum):
    return {
        "end_step": end_step,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }


class OneCycleLR(LRScheduler):
    """Up to `max_lr` and far down, once (Smith and Topin 2017)."""

    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps=None,
        epochs=None,
        steps_per_epoch=None,
        pct_start=0.3,
        anneal_strategy="cos",
        cycle_momentum=True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor=25.0,
        final_div_factor=1e4,
        three_phase=False,
        last_epoch=-1,
    ):
        _check_is_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = self._count_steps(total_steps, epochs, steps_per_epoch)
        last = self.total_steps - 1
        rise = _phase(float(pct_start * self.total_steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if three_phase:
            turn = float(2 * pct_start * self.total_steps) - 2
            self._schedule_phases = [
                rise,
                _phase(turn, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                _phase(last, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            self._schedule_phases = [
                rise,
                _phase(last, "max_lr", "min_lr", "base_momentum", "max_momentum"),
            ]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy

        max_lrs = _format_param("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for highest, group in zip(max_lrs, optimizer.param_groups, strict=True):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _has_beta1(optimizer)
            largest = _format_param("max_momentum", optimizer, max_momentum)
            base = _format_param("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                _start_momentums(optimizer, largest, base, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _count_steps(total_steps, epochs, steps_per_epoch):
        if total_steps is not None:
            named = {"total_steps": total_steps}
        elif epochs is not None and steps_per_epoch is not None:
            named = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        for name, value in named.items():
            if value <= 0 or not isinstance(value, int):
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        return math.prod(named.values())

    def _anneal_func(self, *args, **kwargs):
        if not hasattr(self, "_anneal_func_type"):  # state of versions that saved the function itself
            return self.anneal_func(*args, **kwargs)
        if self._anneal_func_type == "cos":
            return self._annealing_cos(*args, **kwargs)
        if self._anneal_func_type == "linear":
            return self._annealing_linear(*args, **kwargs)
        raise ValueError(f"Unknown _anneal_func_type: {self._anneal_func_type}")

    @staticmethod
    def _annealing_cos(start, end, pct):
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start, end, pct):
        return (end - start) * pct + start

    def _current_phase(self):
        """(the phase of this step, how far it has come)."""
        start = 0.0
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if self.last_epoch <= end or phase is self._schedule_phases[-1]:
                return phase, (self.last_epoch - start) / (end - start)
            start = end
        raise AssertionError("a schedule has at least one phase")

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        phase, progress = self._current_phase()
        lrs = []
        for group in self.optimizer.param_groups:
            lrs.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], progress))
            if self.cycle_momentum:
                momentum = self._anneal_func(group[phase["start_momentum"]], group[phase["end_momentum"]], progress)
                _set_momentum(group, momentum, self.use_beta1)
        return lrs
