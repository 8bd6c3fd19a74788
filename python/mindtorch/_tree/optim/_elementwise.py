"""Shared by optimizers that update each parameter separately: the step, checks, and fields of old pickles."""

from .._method_copies import copies_methods
from .._root import torch
from .optimizer import (
    Optimizer,
    _get_capturable_supported_devices,
    _get_scalar_dtype,
    _use_grad_for_differentiable,
)


def check_learning_rate(lr, text="Invalid learning rate: {}", exclusive=False):
    """Raises for a negative learning rate (with `exclusive`, zero too) and tensors of several elements."""
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check(lr > 0.0 if exclusive else lr >= 0.0, text, lr)


def check(holds, text, *values):
    """Raises ValueError(text) unless `holds`."""
    if not holds:
        raise ValueError(text.format(*values))


def check_betas(betas):
    """Raises for decay rates outside [0, 1)."""
    for i in range(2):
        check(0.0 <= betas[i] < 1.0, "Invalid beta parameter at index {}: {}", i, betas[i])


def check_flags(foreach, fused, differentiable):
    """Raises for implementations that exclude each other."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_foreach(foreach, differentiable):
    """Grouped updates have no gradient. On this library's devices they are the same loop over tensors."""
    if foreach and differentiable:
        raise AssertionError("_foreach ops don't support autograd")


def check_capturable(param, *scalars, supports_xla=True, what="params and state_steps"):
    """Capturable state exists only on devices with graph capture."""
    devices = _get_capturable_supported_devices(supports_xla)
    if param.device.type not in devices or any(s.device.type != param.device.type for s in scalars):
        raise AssertionError(f"If capturable=True, {what} must be on supported devices: {devices}.")


def check_steps(state_steps, name="state_steps"):
    """Step counts were numbers in older versions."""
    if not all(isinstance(step, torch.Tensor) for step in state_steps):
        raise RuntimeError(f"API has changed, `{name}` argument must contain a list of singleton tensors")


def can_fuse_update(columns, state_steps, numbers):
    """Whether a fused operator gives the same bits as single operations, and nothing observes the difference.

    True for plain CPU tensors of a wide dtype; half types round between single operations.
    """
    plain = (torch.Tensor, torch.nn.Parameter)
    wide = (torch.float32, torch.float64)
    if not columns[0] or not all(isinstance(number, (float, int)) for number in numbers):
        return False
    for row in zip(*columns, strict=True):
        param = row[0]
        if param.dtype not in wide or param.device.type != "cpu":
            return False
        if not all(
            type(t) in plain and t.dtype is param.dtype and t.layout is torch.strided and t.shape == param.shape
            for t in row
        ):
            return False
    return all(step.device.type == "cpu" and step.numel() == 1 for step in state_steps)


def view_as_real_if_complex(param, *others):
    """Views all tensors as real ones, if `param` is complex."""
    if not torch.is_complex(param):
        return (param, *others)
    return tuple(torch.view_as_real(t) for t in (param, *others))


def make_step_counter(p, group, value=0.0):
    """Returns a step count: on the CPU, unless the step is captured or fused."""
    dtype = _get_scalar_dtype(is_fused=group.get("fused"))
    device = p.device if group.get("capturable") or group.get("fused") else "cpu"
    return torch.full((), value, dtype=dtype, device=device)


def zeros(p):
    """Returns a state tensor with the parameter's layout."""
    return torch.zeros_like(p, memory_format=torch.preserve_format)


def list_state_tensors(states, name, wanted=True):
    """Returns one state tensor of each parameter; an empty list if the group does not use it."""
    return [state[name] for state in states] if wanted else []


def options(group, *names):
    """Returns a group's values for arguments of the same names."""
    return {name: group[name] for name in names}


def run_step_without_grad(optimizer, closure, update):
    """Calls update(group) for each group, for optimizers without gradients; returns the result of `closure`."""
    with torch.no_grad():
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in optimizer.param_groups:
            update(group)
        return loss


@copies_methods("step", "__setstate__")
class _ElementwiseOptimizer(Optimizer):
    """Subclasses define the state of a parameter (`_new_state`) and how to update a group (`_update_group`)."""

    # Fills in what groups in old pickles lack, and converts state fields that were numbers.
    _group_defaults = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}
    _scalar_fields = ("step",)
    _sparse_refusal = "{} does not support sparse gradients"

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self._group_defaults.items():
                group.setdefault(name, value)
            for p in group["params"]:
                fields = self.state.get(p, {})
                for name in self._scalar_fields:
                    if fields and not isinstance(fields[name], torch.Tensor):
                        fields[name] = make_step_counter(p, group, float(fields[name]))

    def _new_state(self, p, group):
        raise NotImplementedError

    def _update_group(self, group, params, grads, states):
        raise NotImplementedError

    def _collect_params_grads_states(self, group):
        """Returns parameters with gradients, the gradients, and their states; creates missing states."""
        params, grads, states = [], [], []
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            if grad.is_sparse and self._sparse_refusal is not None:
                raise RuntimeError(self._sparse_refusal.format(type(self).__name__))
            state = self.state[p]
            if len(state) == 0:
                state.update(self._new_state(p, group))
            params.append(p)
            grads.append(grad)
            states.append(state)
        return params, grads, states

    @_use_grad_for_differentiable
    def step(self, closure=None):
        """Updates all parameters once from their gradients.

        Args:
            closure (callable, optional): computes the loss again, with gradients, and returns it; called
                once, before the update.

        Returns:
            What `closure` returned, or None without one.
        """
        self._accelerator_graph_capture_health_check()
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            self._update_group(group, *self._collect_params_grads_states(group))
        return loss
