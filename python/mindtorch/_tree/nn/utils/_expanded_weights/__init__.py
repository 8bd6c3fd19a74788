"""Weights that compute a gradient for each sample of a batch, in `grad_sample` of their parameter."""

from operator import attrgetter

from ...._root import torch
from ... import functional as F

__all__ = ["ExpandedWeight"]

HANDLED_FUNCTIONS: dict = {}


class ExpandedWeight(torch.Tensor):
    """Represents a parameter in calls on a batch: backward sets its `grad_sample`, batch_size x its shape, instead of
    `grad`.

    Functions without their own rule raise a RuntimeError, because their batch dimension is unknown.
    """

    handled_functions = HANDLED_FUNCTIONS

    def __new__(cls, orig_weight, batch_size, loss_reduction):
        if not isinstance(orig_weight, torch.Tensor):
            raise RuntimeError(f"Can only make Expanded Weights of Tensors, got {type(orig_weight).__name__}")
        if not orig_weight.requires_grad:
            raise RuntimeError("Can only build ExpandedWeights objects of tensors that requires_grad")
        return torch.Tensor._make_subclass(cls, orig_weight, True)

    def __init__(self, orig_weight, batch_size, loss_reduction) -> None:
        self.orig_weight = orig_weight
        self.batch_size = batch_size
        self.loss_reduction = loss_reduction
        self.batch_first = True
        self.allow_smaller_batches = False

    @classmethod
    def __torch_function__(cls, func, _, args=(), kwargs=None):
        rule = cls.handled_functions.get(func)
        if rule is None:
            raise RuntimeError(f"Expanded Weights encountered but cannot handle function {func.__name__}")
        named = kwargs or {}
        return rule.apply(tuple(named), func, *args, *named.values())

    dtype, data, shape, device, is_cuda, data_ptr, get_device = (
        property(attrgetter(f"orig_weight.{name}"))
        for name in ("dtype", "data", "shape", "device", "is_cuda", "data_ptr", "get_device")
    )

    def set_allow_smaller_batches(self, is_allow_smaller_batches) -> None:
        self.allow_smaller_batches = is_allow_smaller_batches

    def set_batch_first(self, is_batch_first=True) -> None:
        self.batch_first = is_batch_first


def _find_original(value):
    return value.orig_weight if isinstance(value, ExpandedWeight) else value


def _check_batch(func, values) -> None:
    """Raises unless the first value is a batch, with the size that the weights among the others have."""
    batch = values[0]
    if isinstance(batch, ExpandedWeight):
        raise RuntimeError(
            "Expanded Weights do not support inputs that are also ExpandedWeights. "
            f"Input must be a Tensor, got {type(batch).__name__} in function {func.__name__}"
        )
    if not isinstance(batch, torch.Tensor):
        raise RuntimeError(
            "Expanded Weights requires a Tensor as the first input to get the batch dimension, "
            f"got {type(batch).__name__} in function {func.__name__}"
        )
    if batch.dim() == 0:
        raise RuntimeError(
            f"Expanded Weights requires a batch dimension but got an input of size 0 in function {func.__name__}"
        )
    if batch.shape[0] == 0:
        raise RuntimeError(
            "0 is not a valid batch size for Expanded Weights but got input tensor of "
            f"{batch} in function {func.__name__}"
        )
    weights = [value for value in values if isinstance(value, ExpandedWeight)]
    for weight in weights:
        size = batch.shape[0 if weight.batch_first else 1]
        if size > weight.batch_size or (size < weight.batch_size and not weight.allow_smaller_batches):
            raise RuntimeError(
                "Expected ExpandedWeights to have batch size matching input but got "
                f"input batch size of {size} with ExpandedWeight of batch size {weight.batch_size}"
            )
    for weight in weights:
        if weight.loss_reduction != weights[0].loss_reduction:
            raise RuntimeError(
                "Expected ExpandedWeights to all have the same loss_reduction argument but got one"
                f"with {weights[0].loss_reduction} and one with {weight.loss_reduction}"
            )


class _PerSampleGrad(torch.autograd.Function):
    """A function of a batch and weights: the gradient of the batch as usual, those of the weights per sample.

    Subclasses check batches (`check`), and may compute the gradients of all samples at once
    (`per_sample_weight_gradients`).
    """

    @classmethod
    def check(cls, func, values) -> None:
        pass

    @classmethod
    def per_sample_weight_gradients(cls, call, values, weights, grad):
        """Returns, for each index in `weights`, the gradient of that value per sample."""
        originals = [values[place].orig_weight.detach().requires_grad_() for place in weights]
        found = []
        for sample in range(values[0].shape[0]):
            one = slice(sample, sample + 1)
            given = list(values)
            given[0] = values[0][one].detach()
            for place, original in zip(weights, originals, strict=True):
                given[place] = original
            with torch.enable_grad():
                found.append(torch.autograd.grad(call(given), originals, grad[one]))
        return [torch.stack(gradients) for gradients in zip(*found, strict=True)]

    @classmethod
    def caller(cls, ctx):
        """Returns the function as one of a list of all values, without side effects."""
        n = len(ctx.names)

        def call_function(values):
            values = [_find_original(value) for value in values]
            return ctx.func(*values[: len(values) - n], **dict(zip(ctx.names, values[len(values) - n :], strict=True)))

        return call_function

    @staticmethod
    def forward(ctx, names, func, *values):
        rule = HANDLED_FUNCTIONS[func]
        rule.check(func, values)
        _check_batch(func, values)
        ctx.names, ctx.func, ctx.values = names, func, values
        return rule.caller(ctx)(values)

    @staticmethod
    def backward(ctx, grad):
        rule, values = HANDLED_FUNCTIONS[ctx.func], ctx.values
        for value in values[1:]:
            if isinstance(value, torch.Tensor) and not isinstance(value, ExpandedWeight) and value.requires_grad:
                raise RuntimeError(
                    "ExpandedWeights currently does not support a mixture of ExpandedWeight parameters "
                    "and normal Parameters. Please file and issue with pytorch/pytorch"
                )
        call = rule.make_call_for_backward(ctx)
        batch_gradient = None
        if isinstance(values[0], torch.Tensor) and values[0].requires_grad:
            with torch.enable_grad():
                batch = values[0].detach().requires_grad_()
                (batch_gradient,) = torch.autograd.grad(call([batch, *values[1:]]), batch, grad)
        weights = [place for place, value in enumerate(values) if isinstance(value, ExpandedWeight)]
        for place, gradients in zip(
            weights, rule.per_sample_weight_gradients(call, values, weights, grad), strict=True
        ):
            _add_grad_sample(values[place], gradients)
        return (None, None, batch_gradient, *[None] * (len(values) - 1))

    @classmethod
    def make_call_for_backward(cls, ctx):
        """Returns `caller` for backward, which must not write again."""
        return cls.caller(ctx)


def _add_grad_sample(weight: ExpandedWeight, gradients: torch.Tensor) -> None:
    if weight.loss_reduction == "mean":
        gradients = gradients * weight.batch_size
    if weight.batch_size > gradients.shape[0]:  # samples that ended earlier
        gradients = F.pad(gradients, (0, 0) * (gradients.dim() - 1) + (0, weight.batch_size - gradients.shape[0]))
    former = getattr(weight.orig_weight, "grad_sample", None)
    weight.orig_weight.grad_sample = gradients if former is None else former + gradients


def _find_rule(*functions):
    def register_rule(cls):
        HANDLED_FUNCTIONS.update(dict.fromkeys(functions, cls))
        return cls

    return register_rule


@_find_rule(F.linear)
class LinearPerSampleGrad(_PerSampleGrad):
    @classmethod
    def check(cls, func, values) -> None:
        rank = len(values[0].shape)
        if rank < 2:
            raise RuntimeError(
                "Input does not have a batch dimension. Expanded Weights expected input "
                f"of at least rank 2, got of rank {rank}"
            )

    @classmethod
    def per_sample_weight_gradients(cls, call, values, weights, grad):
        batch = values[0]
        rows = batch.reshape(batch.shape[0], -1, batch.shape[-1]), grad.reshape(grad.shape[0], -1, grad.shape[-1])
        return [rows[1].mT @ rows[0] if len(values[place].shape) == 2 else rows[1].sum(1) for place in weights]


@_find_rule(torch.conv1d, torch.conv2d, torch.conv3d)
class ConvPerSampleGrad(_PerSampleGrad):
    @classmethod
    def check(cls, func, values) -> None:
        dims = {torch.conv1d: 3, torch.conv2d: 4, torch.conv3d: 5}[func]
        if values[0].dim() != dims:
            raise RuntimeError(
                f"Expanded Weights only support convolution with batched input, got {func} with an"
                f"unbatched input of dim {values[0].dim()}, expected input of dim {dims}"
            )


@_find_rule(F.embedding)
class EmbeddingPerSampleGrad(_PerSampleGrad):
    @classmethod
    def check(cls, func, values) -> None:
        if values[0].dim() == 1:
            raise RuntimeError(f"Expanded Weights needs an input with a batch size, got a 1D tensor, {values[0]}")


@_find_rule(F.group_norm)
class GroupNormPerSampleGrad(_PerSampleGrad):
    pass


@_find_rule(F.instance_norm)
class InstanceNormPerSampleGrad(_PerSampleGrad):
    @classmethod
    def make_call_for_backward(cls, ctx):
        call, n = cls.caller(ctx), len(ctx.values) - len(ctx.names)
        places = {name: n + i for i, name in enumerate(ctx.names)}
        order = ("input", "running_mean", "running_var", "weight", "bias", "use_input_stats")
        places.update({name: i for i, name in enumerate(order) if i < n})
        uses = "use_input_stats" not in places or ctx.values[places["use_input_stats"]]

        def drop_running_statistics(values):
            values = list(values)
            for name in ("running_mean", "running_var"):
                if uses and name in places:  # then they are written separately
                    values[places[name]] = None
            return call(values)

        return drop_running_statistics


@_find_rule(F.layer_norm)
class LayerNormPerSampleGrad(_PerSampleGrad):
    @classmethod
    def check(cls, func, values) -> None:
        if values[0].dim() <= len(values[1]):
            raise RuntimeError(
                "Expanded Weights: Layer norm should not normalize over batch dimension for per sample gradient"
                f"computations but got that normalized shape, {values[1]}, matched input shape."
            )
