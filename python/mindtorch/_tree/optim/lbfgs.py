"""L-BFGS."""

from collections.abc import Iterable
from typing import Any

from .._root import torch
from ._elementwise import check, check_learning_rate
from .optimizer import Optimizer, ParamsT, _to_scalar

__all__ = ["LBFGS"]


def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """Returns the minimum of the cubic through two points with slopes, within bounds (Nocedal and Wright, eq. 3.59)."""
    # Sorts the two points by position, so that one interpolation formula serves both orders.
    points = (x1, f1, g1), (x2, f2, g2)
    (left, f_left, g_left), (right, f_right, g_right) = points if x1 <= x2 else points[::-1]
    low, high = (left, right) if bounds is None else bounds
    bend = g1 + g2 - 3 * (f_left - f_right) / (left - right)
    discriminant = bend**2 - g_left * g_right
    if discriminant < 0:  # there is no minimum
        return (low + high) / 2.0
    root = discriminant.sqrt()
    share = (g_right + root - bend) / (g_right - g_left + 2 * root)
    return min(max(right - (right - left) * share, low), high)


class _Point:
    """A step length with the value, the gradient and the slope there."""

    def __init__(self, t, f, g, slope):
        self.t, self.f, self.g, self.slope = t, f, g, slope


def _copy_gradient(g):
    return g.clone(memory_format=torch.contiguous_format)


def _strong_wolfe(obj_func, x, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """Finds a step length that satisfies the strong Wolfe conditions (Nocedal and Wright, algorithms 3.5 and 3.6).

    Returns (value, gradient, step length, number of evaluations).
    """
    evaluations = 0

    def evaluate_step_length(length):
        nonlocal evaluations
        evaluations += 1
        value, gradient = obj_func(x, length, d)
        return _Point(length, value, gradient, gradient.dot(d))

    start = _Point(0, f, _copy_gradient(g), gtd)
    longest = d.abs().max()
    previous, point = start, evaluate_step_length(t)
    done = False
    rounds = 0

    # Increases the step until two lengths bracket a minimum.
    bracket = None
    while rounds < max_ls:
        too_high = point.f > f + c1 * point.t * gtd or (rounds > 1 and point.f >= previous.f)
        if not too_high and abs(point.slope) <= -c2 * gtd:
            bracket = [point]
            done = True
            break
        if too_high or point.slope >= 0:
            point.g = _copy_gradient(point.g)
            bracket = [previous, point]
            break
        bounds = (point.t + 0.01 * (point.t - previous.t), point.t * 10)
        t = _cubic_interpolate(previous.t, previous.f, previous.slope, point.t, point.f, point.slope, bounds=bounds)
        point.g = _copy_gradient(point.g)
        previous, point = point, evaluate_step_length(t)
        rounds += 1
    if bracket is None:
        bracket = [_Point(0, f, g, gtd), point]

    # Shrinks the bracket around the minimum.
    low, high = (0, 1) if bracket[0].f <= bracket[-1].f else (1, 0)
    slow = False
    while not done and rounds < max_ls:
        a, b = bracket
        if abs(b.t - a.t) * longest < tolerance_change:
            break
        t = _cubic_interpolate(a.t, a.f, a.slope, b.t, b.f, b.slope)
        left, right = min(a.t, b.t), max(a.t, b.t)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:
            # If the trial point is outside the bracket, or close to one of its ends for the second time, moves it
            # inwards by a tenth of the bracket.
            if slow or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                slow = False
            else:
                slow = True
        else:
            slow = False
        point = evaluate_step_length(t)
        rounds += 1
        if point.f > f + c1 * t * gtd or point.f >= bracket[low].f:
            point.g = _copy_gradient(point.g)
            bracket[high] = point
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
        else:
            if abs(point.slope) <= -c2 * gtd:
                done = True
            elif point.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            point.g = _copy_gradient(point.g)
            bracket[low] = point

    best = bracket[low if len(bracket) > 1 else 0]
    return best.f, best.g, best.t, evaluations


class LBFGS(Optimizer):
    """L-BFGS: quasi-Newton steps from the last changes of gradient and parameters, for full batches.

    Each iteration takes the direction ``d = -H g`` by the two-loop recursion (Liu and Nocedal 1989;
    Nocedal and Wright, algorithm 7.4), H scaled by ``y.s / y.y``; pairs with ``y.s <= 1e-10`` are left
    out. The step length is `lr` (in the first iteration ``min(1, 1 / |g|_1) * lr``), or found by a line
    search for the strong Wolfe conditions (Nocedal and Wright, algorithms 3.5 and 3.6).

    One call of `step` runs several iterations and calls the closure several times. It takes one group
    of parameters only, and keeps ``history_size * 2`` vectors of the size of all parameters.

    Args:
        params (iterable): tensors to optimise, in one group.
        lr (float or Tensor): step length, or the first one that a line search tries. Default: ``1``.
        max_iter (int): iterations per call of `step`. Default: ``20``.
        max_eval (int, optional): calls of the closure per `step`. Default: ``max_iter * 5 // 4``.
        tolerance_grad (float): stops when the largest ``|g|`` is at most this. Default: ``1e-7``.
        tolerance_change (float): stops when loss or parameters change by less. Default: ``1e-9``.
        history_size (int): number of pairs that are kept. Default: ``100``.
        line_search_fn (str, optional): ``"strong_wolfe"`` or None for fixed steps. Default: ``None``.

    Raises:
        ValueError: when there are several groups or `lr` is negative.

    Example:
        >>> p = torch.tensor([3.0, -4.0], requires_grad=True)
        >>> optimizer = torch.optim.LBFGS([p], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = ((p - 1) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure).item()  # the loss before
        29.0
        >>> torch.allclose(p, torch.ones(2))
        True
    """

    def __init__(
        self, params: Iterable[torch.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, torch.Tensor]],
        lr: float | torch.Tensor = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9, history_size: int = 100, line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_learning_rate(lr)
        evaluations = 5 * max_iter // 4 if max_eval is None else max_eval
        limits = {"max_iter": max_iter, "max_eval": evaluations}
        tolerances = {"tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change}
        memory = {"history_size": history_size, "line_search_fn": line_search_fn}
        super().__init__(params, {"lr": lr, **limits, **tolerances, **memory})
        group, *more = self.param_groups
        check(not more, "LBFGS doesn't support per-parameter options (parameter groups)")
        self._params, self._numel_cache = group["params"], None

    def _numel(self):
        if self._numel_cache is None:
            self._numel_cache = sum(p.numel() * (2 if torch.is_complex(p) else 1) for p in self._params)
        return self._numel_cache

    def _gather_flat_grad(self):
        views = []
        for p in self._params:
            if p.grad is None:
                view = p.new(p.numel()).zero_()
            else:
                view = (p.grad.to_dense() if p.grad.is_sparse else p.grad).view(-1)
            views.append(torch.view_as_real(view).view(-1) if torch.is_complex(view) else view)
        return torch.cat(views, 0)

    def _add_grad(self, step_size, update):
        offset = 0
        for p in self._params:
            p = torch.view_as_real(p) if torch.is_complex(p) else p
            count = p.numel()
            p.add_(update[offset : offset + count].view_as(p), alpha=step_size)
            offset += count
        if offset != self._numel():
            raise AssertionError(f"Expected offset {offset} to equal {self._numel()}")

    def _clone_param(self):
        return [p.clone(memory_format=torch.contiguous_format) for p in self._params]

    def _set_param(self, params_data):
        for p, data in zip(self._params, params_data, strict=True):
            p.copy_(data)

    def _directional_evaluate(self, closure, x, t, d):
        self._add_grad(t, d)
        loss = float(closure())
        gradient = self._gather_flat_grad()
        self._set_param(x)
        return loss, gradient

    def _find_direction(self, state, flat_grad):
        """Returns the next search direction; adds the last step to the history in `state`."""
        if state["n_iter"] == 1:
            state.update({"d": flat_grad.neg(), "old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1})
            return
        old_dirs, old_stps, ro = state["old_dirs"], state["old_stps"], state["ro"]
        y = flat_grad.sub(state["prev_flat_grad"])
        s = state["d"].mul(state["t"])
        ys = y.dot(s)
        if ys > 1e-10:  # otherwise the curvature condition fails
            if len(old_dirs) == self.param_groups[0]["history_size"]:
                for history in (old_dirs, old_stps, ro):
                    history.pop(0)
            old_dirs.append(y)
            old_stps.append(s)
            ro.append(1.0 / ys)
            state["H_diag"] = ys / y.dot(y)
        # The two-loop recursion.
        al = state.setdefault("al", [None] * self.param_groups[0]["history_size"])
        q = flat_grad.neg()
        for i in range(len(old_dirs) - 1, -1, -1):
            al[i] = old_stps[i].dot(q) * ro[i]
            q.add_(old_dirs[i], alpha=-al[i])
        r = torch.mul(q, state["H_diag"])
        for i in range(len(old_dirs)):
            be = old_dirs[i].dot(r) * ro[i]
            r.add_(old_stps[i], alpha=al[i] - be)
        state["d"] = r

    def step(self, closure):
        """Runs up to `max_iter` iterations.

        Args:
            closure (callable): clears the gradients, computes the loss, calls its `backward` and returns
                it; called several times.

        Returns:
            The loss that the first call of `closure` returned, before any step.
        """
        with torch.no_grad():
            return self._run_iterations(torch.enable_grad()(closure))

    def _run_iterations(self, closure):
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        group = self.param_groups[0]
        lr = _to_scalar(group["lr"])
        max_iter, max_eval = group["max_iter"], group["max_eval"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        search = group["line_search_fn"]

        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        flat_grad = self._gather_flat_grad()
        flat = flat_grad.abs().max() <= tolerance_grad
        if flat:
            return first_loss

        iteration = 0
        previous_loss = state.get("prev_loss")
        while iteration < max_iter:
            iteration += 1
            state["n_iter"] += 1
            self._find_direction(state, flat_grad)
            if state.get("prev_flat_grad") is None:
                state["prev_flat_grad"] = _copy_gradient(flat_grad)
            else:
                state["prev_flat_grad"].copy_(flat_grad)
            previous_loss = loss
            d = state["d"]
            t = min(1.0, 1.0 / flat_grad.abs().sum()) * lr if state["n_iter"] == 1 else lr
            state["t"] = t
            slope = flat_grad.dot(d)
            if slope > -tolerance_change:
                break

            used = 0
            if search is not None:
                if search != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")

                def objective(x, t, d):
                    return self._directional_evaluate(closure, x, t, d)

                loss, flat_grad, t, used = _strong_wolfe(
                    objective, self._clone_param(), t, d, loss, flat_grad, slope, max_ls=max_eval - evaluations
                )
                state["t"] = t
                self._add_grad(t, d)
                flat = flat_grad.abs().max() <= tolerance_grad
            else:
                self._add_grad(t, d)
                if iteration != max_iter:  # after the last iteration nothing needs the new gradient
                    loss = float(closure())
                    flat_grad = self._gather_flat_grad()
                    flat = flat_grad.abs().max() <= tolerance_grad
                    used = 1
            evaluations += used
            state["func_evals"] += used

            if iteration == max_iter or evaluations >= max_eval or flat:
                break
            if d.mul(t).abs().max() <= tolerance_change or abs(loss - previous_loss) < tolerance_change:
                break
        if "prev_loss" not in state:  # in files, torch's order: it writes these at the end of the first step
            for name in ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad"):
                state[name] = state.pop(name)
        state["prev_loss"] = previous_loss
        return first_loss
