"""torch.nn.functional: values, errors and warnings match real torch, and overrides see every call."""

import inspect

import pytest
from outcomes import close, outcome, result


def _make_input(t, *shape):
    t.manual_seed(0)
    return t.randn(*shape)


CALLS = {
    "dropout probability": lambda t, f: f.dropout(_make_input(t, 2), 2.0),
    "dropout": lambda t, f: f.dropout(_make_input(t, 4, 4), 0.3),
    "dropout1d of an image": lambda t, f: f.dropout1d(_make_input(t, 2, 3, 4, 4)),
    "dropout2d of a matrix": lambda t, f: f.dropout2d(_make_input(t, 3, 5)),
    "dropout3d of a matrix": lambda t, f: f.dropout3d(_make_input(t, 3, 5)),
    "alpha_dropout probability": lambda t, f: f.alpha_dropout(_make_input(t, 2), -1),
    "glu of a number": lambda t, f: f.glu(t.tensor(1.0)),
    "hardtanh bounds": lambda t, f: f.hardtanh(_make_input(t, 2), 2, 1),
    "softmax without dim": lambda t, f: f.softmax(_make_input(t, 3, 5)),
    "log_softmax without dim": lambda t, f: f.log_softmax(_make_input(t, 2, 3, 4)),
    "softmin without dim": lambda t, f: f.softmin(_make_input(t, 3)),
    "softmax in float64": lambda t, f: f.softmax(_make_input(t, 3), 0, dtype=t.float64),
    "gumbel_softmax": lambda t, f: f.gumbel_softmax(_make_input(t, 3, 5), hard=True),
    "gumbel_softmax eps": lambda t, f: f.gumbel_softmax(_make_input(t, 3, 5), eps=1e-5),
    "embedding padding": lambda t, f: f.embedding(t.tensor([1, 0]), _make_input(t, 3, 5), 9),
    "embedding negative padding": lambda t, f: f.embedding(t.tensor([1, 0]), _make_input(t, 3, 5), -9),
    "embedding_bag without offsets": lambda t, f: f.embedding_bag(t.tensor([1, 0]), _make_input(t, 3, 5)),
    "embedding_bag mode": lambda t, f: f.embedding_bag(t.tensor([[1, 0]]), _make_input(t, 3, 5), mode="x"),
    "embedding_bag sparse max": lambda t, f: f.embedding_bag(
        t.tensor([[1, 0]]), _make_input(t, 3, 5), mode="max", sparse=True
    ),
    "embedding_bag weights": lambda t, f: f.embedding_bag(
        t.tensor([[1, 0]]), _make_input(t, 3, 5), per_sample_weights=t.ones(1, 2)
    ),
    "embedding_bag of a volume": lambda t, f: f.embedding_bag(t.tensor([[[1, 0]]]), _make_input(t, 3, 5)),
    "embedding_bag vector table": lambda t, f: f.embedding_bag(t.tensor([[1, 0]]), _make_input(t, 3)),
    "batch_norm of one value": lambda t, f: f.batch_norm(_make_input(t, 1, 3), None, None, training=True),
    "batch_norm eps": lambda t, f: f.batch_norm(_make_input(t, 4, 3), None, None, training=True, eps=0.0),
    "batch_norm negative eps": lambda t, f: f.batch_norm(_make_input(t, 4, 3), t.zeros(3), t.ones(3), eps=-1.0),
    "instance_norm of a pixel": lambda t, f: f.instance_norm(_make_input(t, 2, 3, 1, 1)),
    "group_norm of a vector": lambda t, f: f.group_norm(_make_input(t, 3), 1),
    "group_norm of one value": lambda t, f: f.group_norm(_make_input(t, 1, 1, 1), 1),
    "layer_norm": lambda t, f: f.layer_norm(_make_input(t, 4, 6), (6,)),
    "rms_norm": lambda t, f: f.rms_norm(_make_input(t, 4, 6), (6,)),
    "local_response_norm rank": lambda t, f: f.local_response_norm(_make_input(t, 3, 5), 2),
    "nll_loss reduction": lambda t, f: f.nll_loss(_make_input(t, 3, 5), t.tensor([1, 0, 2]), reduction="q"),
    "cross_entropy": lambda t, f: f.cross_entropy(_make_input(t, 3, 5), t.tensor([1, -100, 2])),
    "cross_entropy smoothed": lambda t, f: f.cross_entropy(
        _make_input(t, 3, 5), t.tensor([1, 0, 2]), label_smoothing=0.1
    ),
    "cross_entropy old arguments": lambda t, f: f.cross_entropy(
        _make_input(t, 3, 5), t.tensor([1, 0, 2]), reduce=False
    ),
    "cross_entropy old mean": lambda t, f: f.cross_entropy(
        _make_input(t, 3, 5), t.tensor([1, 0, 2]), reduction="elementwise_mean"
    ),
    "poisson_nll_loss reduction": lambda t, f: f.poisson_nll_loss(_make_input(t, 3), _make_input(t, 3), reduction="q"),
    "gaussian_nll_loss variance": lambda t, f: f.gaussian_nll_loss(_make_input(t, 3), _make_input(t, 3), -t.ones(3)),
    "gaussian_nll_loss number": lambda t, f: f.gaussian_nll_loss(_make_input(t, 3), t.zeros(3), 1.0),
    "gaussian_nll_loss sizes": lambda t, f: f.gaussian_nll_loss(_make_input(t, 3, 5), t.zeros(3, 5), t.ones(2, 5)),
    "kl_div mean": lambda t, f: f.kl_div(_make_input(t, 3, 5), t.ones(3, 5)),
    "binary_cross_entropy sizes": lambda t, f: f.binary_cross_entropy(t.ones(3, 5), t.ones(3)),
    "bce with logits sizes": lambda t, f: f.binary_cross_entropy_with_logits(t.ones(3, 5), t.ones(3)),
    "mse_loss sizes": lambda t, f: f.mse_loss(_make_input(t, 3, 5), t.ones(5)),
    "mse_loss weighted": lambda t, f: f.mse_loss(_make_input(t, 3, 5), t.ones(3, 5), weight=t.full((3, 5), 2.0)),
    "mse_loss weight size": lambda t, f: f.mse_loss(_make_input(t, 3, 5), t.ones(3, 5), weight=t.ones(2)),
    "l1_loss weighted reduction": lambda t, f: f.l1_loss(t.ones(2), t.zeros(2), weight=t.ones(2), reduction="q"),
    "huber_loss weighted": lambda t, f: f.huber_loss(_make_input(t, 3), t.zeros(3), weight=t.ones(3)),
    "smooth_l1_loss without beta": lambda t, f: f.smooth_l1_loss(_make_input(t, 3), t.zeros(3), beta=0.0),
    "margin_ranking_loss ranks": lambda t, f: f.margin_ranking_loss(t.ones(2, 2), t.ones(2, 2), t.ones(2)),
    "multi_margin_loss p": lambda t, f: f.multi_margin_loss(_make_input(t, 3, 5), t.tensor([1, 0, 2]), p=3),
    "triplet_margin_loss margin": lambda t, f: f.triplet_margin_loss(t.ones(2), t.ones(2), t.ones(2), margin=-1),
    "triplet with distance ranks": lambda t, f: f.triplet_margin_with_distance_loss(
        t.ones(2, 2), t.ones(2, 2), t.ones(2)
    ),
    "interpolate nothing": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4)),
    "interpolate both": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), 3, 2),
    "interpolate sizes": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), (3,)),
    "interpolate size types": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), (3.0, 3)),
    "interpolate scales": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), scale_factor=(2,)),
    "interpolate corners": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), 2, align_corners=True),
    "interpolate linear image": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), 2, mode="linear"),
    "interpolate unknown mode": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), 2, mode="foo"),
    "interpolate recompute": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), 3, recompute_scale_factor=True),
    "interpolate nearest": lambda t, f: f.interpolate(_make_input(t, 1, 1, 4, 4), (3, 6)),
    "grid_sample mode": lambda t, f: f.grid_sample(_make_input(t, 1, 1, 4, 4), _make_input(t, 1, 2, 2, 2), mode="q"),
    "grid_sample padding": lambda t, f: f.grid_sample(
        _make_input(t, 1, 1, 4, 4), _make_input(t, 1, 2, 2, 2), padding_mode="q"
    ),
    "affine_grid size": lambda t, f: f.affine_grid(_make_input(t, 2, 2, 3), (2, 3, 4)),
    "affine_grid theta": lambda t, f: f.affine_grid(_make_input(t, 2, 2, 2), (2, 3, 4, 4)),
    "affine_grid integers": lambda t, f: f.affine_grid(t.ones(1, dtype=t.long), (1,)),
    "normalize": lambda t, f: f.normalize(_make_input(t, 3, 5)),
    "max_unpool2d size": lambda t, f: f.max_unpool2d(
        t.ones(1, 1, 2, 2), t.zeros(1, 1, 2, 2).long(), 2, output_size=(9, 9)
    ),
    "max_unpool2d sizes": lambda t, f: f.max_unpool2d(
        t.ones(1, 1, 2, 2), t.zeros(1, 1, 2, 2).long(), 2, output_size=(9,)
    ),
    "fractional_max_pool2d": lambda t, f: f.fractional_max_pool2d(_make_input(t, 1, 1, 4, 4), 2),
    "adaptive_avg_pool2d rank": lambda t, f: f.adaptive_avg_pool2d(_make_input(t, 4, 4), (2, 2)),
    "linear_cross_entropy features": lambda t, f: f.linear_cross_entropy(
        _make_input(t, 3, 5), _make_input(t, 4, 6), t.tensor([1, 0, 2])
    ),
    "linear_cross_entropy rank": lambda t, f: f.linear_cross_entropy(
        _make_input(t, 2, 3, 5), _make_input(t, 4, 5), t.tensor([1, 0])
    ),
    "attention width": lambda t, f: _call_attention(t, f, embed_dim_to_check=7),
    "attention heads": lambda t, f: _call_attention(t, f, num_heads=4),
    "attention mask shape": lambda t, f: _call_attention(t, f, attn_mask=t.zeros(3, 3)),
    "attention mask type": lambda t, f: _call_attention(t, f, attn_mask=t.zeros(5, 5, dtype=t.int64)),
    "attention padding shape": lambda t, f: _call_attention(t, f, key_padding_mask=t.zeros(5, 2)),
    "attention causal": lambda t, f: _call_attention(t, f, is_causal=True),
    "attention with boolean mask": lambda t, f: _call_attention(t, f, attn_mask=t.ones(5, 5).triu(1).bool()),
    "attention by the kernel": lambda t, f: _call_attention(t, f, need_weights=False),
    "missing argument": lambda t, f: f.embedding(t.ones(2)),
}


def _call_attention(t, f, **changes):
    x = _make_input(t, 5, 2, 6)
    arguments = {
        "embed_dim_to_check": 6,
        "num_heads": 2,
        "in_proj_weight": t.linspace(-1, 1, 108).reshape(18, 6),
        "in_proj_bias": t.zeros(18),
        "bias_k": None,
        "bias_v": None,
        "add_zero_attn": False,
        "dropout_p": 0.0,
        "out_proj_weight": t.eye(6),
        "out_proj_bias": None,
    }
    return f.multi_head_attention_forward(x, x, x, **(arguments | changes))


@pytest.mark.parametrize("name", CALLS)
def test_function_is_torchs(mt, oracle, name):
    call = lambda t: CALLS[name](t, t.nn.functional)
    theirs = result(call, oracle)
    ours = result(call, mt)
    assert close(ours, theirs)
    assert outcome(call, mt)[1] == outcome(call, oracle)[1]  # warnings


def _list_parameters(function):
    def describe_default(value):
        return getattr(value, "__name__", str(value).replace("mindtorch.", "torch."))

    return [(p.name, p.kind, describe_default(p.default)) for p in inspect.signature(function).parameters.values()]


def test_signatures_are_torchs(mt, oracle):
    theirs = vars(oracle.nn.functional)
    for name, function in theirs.items():
        if not inspect.isfunction(function) or not function.__module__.endswith("nn.functional"):
            continue
        ours = getattr(mt.nn.functional, name, None)
        if name.startswith("_") and ours is None:
            continue
        assert ours is not None, name
        assert _list_parameters(ours) == _list_parameters(function), name
        assert ours.__module__.endswith("nn.functional"), name


def test_an_override_sees_the_public_function_and_all_arguments(mt):
    seen = []

    class Overriding:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append((function, args, kwargs))
            return "overridden"

    x = Overriding()
    functional = mt.nn.functional
    assert functional.dropout(x, 0.25) == "overridden"
    assert seen[-1] == (functional.dropout, (x,), {"p": 0.25, "training": True, "inplace": False})
    assert functional.embedding(x, x, sparse=True) == "overridden"
    function, args, kwargs = seen[-1]
    assert function is functional.embedding and args == (x, x) and kwargs["sparse"] is True
    assert functional.max_pool2d(x, 2) == "overridden"
    assert seen[-1][0] is functional.max_pool2d
    assert functional.pad(x, (1, 1)) == "overridden"
    assert seen[-1][0] is functional.pad


def test_the_names_of_its_annotations_are_there(mt):
    f = mt.nn.functional
    assert [f.BroadcastingList1[int], f.BroadcastingList2[int], f.BroadcastingList3[int]] == [None] * 3
    pair = f.boolean_dispatch("both", 1, False, lambda x, both=True: (x, x), lambda x, both=False: x, "m", "pair")
    assert [pair(3), pair(3, True), pair(3, both=True), pair(3, both=False)] == [3, (3, 3), (3, 3), 3]
    assert (pair.__name__, pair.__module__) == ("pair", "m")


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding_idx", [None, 0, 3])
def test_the_last_bag_ends_where_torch_ends_it(mt, oracle, mode, padding_idx):
    def embed_bags(torch):
        weight, index = torch.arange(12.0).view(4, 3), torch.tensor([0, 1, 2, 3])
        return [
            torch.nn.functional.embedding_bag(
                index, weight, torch.tensor(offsets), mode=mode, include_last_offset=True, padding_idx=padding_idx
            )
            for offsets in ([0, 2, 4], [0, 1, 2], [0, 3, 3])
        ]

    assert outcome(embed_bags, mt) == outcome(embed_bags, oracle)
