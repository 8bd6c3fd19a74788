"""torch.nn.utils: clipping, sequences, parametrizations, fusion, pruning match real torch."""

import copy

import pytest
from outcomes import close, result


def _describe_outcome(call):
    try:
        return call()
    except Exception as error:
        return [type(error).__name__, str(error).replace("mindtorch.", "torch.")]


def _seed_and_run(function):
    def seed_and_call(t):
        t.manual_seed(1)
        return function(t)

    return seed_and_call


def _clip_gradients(t, **options):
    params = [t.nn.Parameter(t.ones(3)), t.nn.Parameter(t.ones(2, dtype=t.float64)), t.nn.Parameter(t.ones(1))]
    for i, p in enumerate(params[:2]):
        p.grad = t.linspace(-3, 4 + i, p.numel(), dtype=p.dtype)
    norm = t.nn.utils.clip_grad_norm_(params, 1.0, **options)
    grads = [p.grad.clone() for p in params[:2]]
    t.nn.utils.clip_grad_value_(params, 0.1)
    return [norm, grads, [p.grad for p in params[:2]]]


def _clip_non_finite_gradients(t):
    p = t.nn.Parameter(t.ones(2))
    p.grad = t.tensor([float("nan"), 1.0])
    return t.nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)


def _parametrize_weight(t):
    class Symmetric(t.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).mT

        def right_inverse(self, x):
            return x.triu()

    class Shrinking(t.nn.Module):
        def forward(self, x):
            return x[:1]

    parametrize = t.nn.utils.parametrize
    layer = t.nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    seen = [layer.weight]
    layer.weight = t.ones(3, 3)
    seen += [layer.weight, list(layer.state_dict()), type(layer).__name__, repr(layer)]
    seen += [parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias")]
    for name in ("weight", "bias", "nope"):
        seen.append(_describe_outcome(lambda n=name: parametrize.register_parametrization(layer, n, Shrinking())))
    with parametrize.cached():
        seen.append(layer.weight is layer.weight)
    seen.append(copy.deepcopy(layer).weight)
    parametrize.remove_parametrizations(layer, "weight")
    seen += [layer.weight, type(layer).__name__]
    seen.append(_describe_outcome(lambda: parametrize.remove_parametrizations(layer, "weight")))
    return seen


def _call_with_other_tensors(t):
    network = t.nn.Sequential(t.nn.Linear(3, 3), t.nn.Linear(3, 3))
    network[1].weight = network[0].weight
    others = {"0.weight": t.ones(3, 3), "0.bias": t.zeros(3)}
    call = t.nn.utils.stateless._functional_call
    seen = [call(network, others, (t.ones(2, 3),)), network(t.ones(2, 3))]
    seen.append(_describe_outcome(lambda: call(network, {"nope": t.ones(1)}, (t.ones(2, 3),), strict=True)))
    tied = {"0.weight": t.ones(3, 3), "1.weight": t.zeros(3, 3)}
    seen.append(_describe_outcome(lambda: call(network, tied, (t.ones(2, 3),))))
    return seen


def _prune_weight(t):
    from importlib import import_module

    prune = import_module(f"{t.__name__}.nn.utils.prune")
    layer = t.nn.Linear(4, 6)
    prune.l1_unstructured(layer, "weight", 10)
    prune.ln_structured(layer, "weight", 2, 2, 0)
    seen = [dict(layer.state_dict()), prune.is_pruned(layer), layer(t.ones(1, 4))]
    prune.remove(layer, "weight")
    seen += [list(layer.state_dict()), layer.weight]
    seen.append(_describe_outcome(lambda: prune.l1_unstructured(layer, "weight", 99)))
    seen.append(_describe_outcome(lambda: prune.remove(layer, "weight")))
    return seen


CALLS = {
    "clip": lambda t: _clip_gradients(t),
    "clip by the largest": lambda t: _clip_gradients(t, norm_type=float("inf")),
    "clip by the sum": lambda t: _clip_gradients(t, norm_type=1),
    "clip one by one": lambda t: _clip_gradients(t, foreach=False),
    "clip what is not finite": _clip_non_finite_gradients,
    "vector": lambda t: t.nn.utils.parameters_to_vector(t.nn.Linear(2, 3).parameters()),
    "not a vector": lambda t: t.nn.utils.vector_to_parameters([1], []),
    "padded": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2), t.ones(3)], True, -1.0),
    "padded by the longest of the first dimension": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2, 3), t.ones(3, 3)]),
    "padded integers": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2, dtype=t.int32), t.ones(3)], True),
    "padded none": lambda t: t.nn.utils.rnn.pad_sequence([]),
    "padded on another side": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2)], padding_side="up"),
    "padded with other sizes behind": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2, 3), t.ones(3, 2)]),
    "padded numbers": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(()), t.ones(3)]),
    "padded with a number behind": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2), t.ones(())]),
    "padded with a gradient": lambda t: _differentiate_padded(t),
    "padded left": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2), t.ones(3)], padding_side="left"),
    "packed": lambda t: tuple(t.nn.utils.rnn.pack_sequence([t.ones(2, 3), t.zeros(4, 3)], enforce_sorted=False)),
    "packed and padded": lambda t: t.nn.utils.rnn.pad_packed_sequence(
        t.nn.utils.rnn.pack_sequence([t.zeros(4, 3), t.ones(2, 3)]), total_length=5
    ),
    "packed too short": lambda t: t.nn.utils.rnn.pad_packed_sequence(
        t.nn.utils.rnn.pack_sequence([t.zeros(4, 3)]), total_length=2
    ),
    "parametrized": _parametrize_weight,
    "weight norm": lambda t: dict(t.nn.utils.parametrizations.weight_norm(t.nn.Linear(3, 4)).state_dict()),
    "spectral norm": lambda t: t.nn.utils.parametrizations.spectral_norm(t.nn.Linear(3, 4))(t.ones(2, 3)),
    "old spectral norm": lambda t: dict(t.nn.utils.spectral_norm(t.nn.Linear(3, 4)).state_dict()),
    "old spectral norm, removed": lambda t: _remove_normalisation(t, "spectral_norm"),
    "old weight norm, removed": lambda t: _remove_normalisation(t, "weight_norm"),
    "old spectral norm of nothing": lambda t: t.nn.utils.spectral_norm(t.nn.Linear(2, 2, bias=False), "bias"),
    "old spectral norm of a lazy layer": lambda t: t.nn.utils.spectral_norm(t.nn.LazyLinear(2)),
    "old weight norm of a lazy layer": lambda t: t.nn.utils.weight_norm(t.nn.LazyLinear(2)),
    "old spectral norm without steps": lambda t: t.nn.utils.spectral_norm(t.nn.Linear(2, 2), n_power_iterations=0),
    "spectral norm of dimension 2": lambda t: t.nn.utils.parametrizations.spectral_norm(t.nn.Linear(2, 2), dim=2),
    "spectral norm of a vector": lambda t: t.nn.utils.parametrizations.spectral_norm(t.nn.LayerNorm(3)).weight,
    "orthogonal": lambda t: t.nn.utils.parametrizations.orthogonal(t.nn.Linear(4, 4)).weight,
    "orthogonal map": lambda t: t.nn.utils.parametrizations.orthogonal(t.nn.Linear(4, 4), orthogonal_map="x"),
    "fused": lambda t: dict(
        t.nn.utils.fuse_conv_bn_eval(t.nn.Conv2d(2, 3, 2).eval(), t.nn.BatchNorm2d(3).eval()).state_dict()
    ),
    "fused in training": lambda t: t.nn.utils.fuse_conv_bn_eval(t.nn.Conv2d(2, 3, 2), t.nn.BatchNorm2d(3)),
    "without initial values": lambda t: [v.shape for v in t.nn.utils.skip_init(t.nn.Linear, 2, 3).parameters()],
    "skip_init of no module": lambda t: t.nn.utils.skip_init(int),
    "called with other tensors": _call_with_other_tensors,
    "pruned": _prune_weight,
}


def _remove_normalisation(torch, form):
    """Values in training and evaluation, a second application, removal, a second removal."""
    apply, remove = getattr(torch.nn.utils, form), getattr(torch.nn.utils, f"remove_{form}")
    layer, x = apply(torch.nn.Linear(3, 4)), torch.ones(2, 3)
    seen = [layer(x), layer(x), layer.eval()(x), list(layer.state_dict()), _describe_outcome(lambda: apply(layer))]
    remove(layer)
    return seen + [dict(layer.state_dict()), len(layer._forward_pre_hooks), _describe_outcome(lambda: remove(layer))]


def _differentiate_padded(torch):
    a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    padded = torch.nn.utils.rnn.pad_sequence([a, b], True, padding_side="left")
    padded.mul(torch.arange(6.0).view(2, 3)).sum().backward()
    return type(padded.grad_fn).__name__, a.grad, b.grad


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_utility_is_torchs(mt, oracle, name):
    theirs = result(_seed_and_run(CALLS[name]), oracle)
    ours = result(_seed_and_run(CALLS[name]), mt)
    assert close(ours, theirs)
