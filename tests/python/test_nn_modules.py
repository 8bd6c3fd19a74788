"""Every layer matches real torch: initial bits, state_dict keys, repr, values and gradients."""

import warnings

import pytest
from outcomes import close, plain


def _normal_input(*shape):
    return lambda t: t.randn(*shape)


def _index_input(high, *shape):
    return lambda t: t.randint(0, high, shape)


X2, X3, X4, X5 = _normal_input(4, 6), _normal_input(4, 6, 8), _normal_input(2, 6, 7, 8), _normal_input(2, 4, 5, 6, 7)
POSITIVE = lambda t: t.rand(4, 6)
CLASSES = _index_input(6, 4)
SIGNS = lambda t: t.randint(0, 2, (4,)) * 2.0 - 1


def _ctc_arguments(t):
    return t.randn(9, 2, 5).log_softmax(2), t.randint(1, 5, (2, 3)), t.tensor([9, 7]), t.tensor([3, 2])


# name: (how to make it, its arguments); a callable returns one input, a tuple of callables several.
LAYERS = {
    "Identity": (lambda n: n.Identity(3, a=1), X2),
    "Linear": (lambda n: n.Linear(6, 3), X2),
    "Linear without bias": (lambda n: n.Linear(6, 3, bias=False), _normal_input(2, 3, 6)),
    "Bilinear": (lambda n: n.Bilinear(6, 6, 3), (X2, X2)),
    "Embedding": (lambda n: n.Embedding(6, 5, padding_idx=-1), _index_input(6, 3, 4)),
    "Embedding max_norm": (lambda n: n.Embedding(6, 5, max_norm=1.0), _index_input(6, 3, 4)),
    "EmbeddingBag": (lambda n: n.EmbeddingBag(6, 5, mode="max"), _index_input(6, 3, 4)),
    "LayerNorm": (lambda n: n.LayerNorm(6), X2),
    "LayerNorm of two dimensions": (lambda n: n.LayerNorm([6, 8], bias=False), X3),
    "RMSNorm": (lambda n: n.RMSNorm(6), X2),
    "GroupNorm": (lambda n: n.GroupNorm(3, 6), X4),
    "LocalResponseNorm": (lambda n: n.LocalResponseNorm(3), X4),
    "CrossMapLRN2d": (lambda n: n.CrossMapLRN2d(3), X4),
    "BatchNorm1d": (lambda n: n.BatchNorm1d(6), X3),
    "BatchNorm2d cumulative": (lambda n: n.BatchNorm2d(6, momentum=None), X4),
    "BatchNorm3d": (lambda n: n.BatchNorm3d(4, affine=False), X5),
    "SyncBatchNorm": (lambda n: n.SyncBatchNorm(6), X4),
    "InstanceNorm1d": (lambda n: n.InstanceNorm1d(6, affine=True), X3),
    "InstanceNorm2d": (lambda n: n.InstanceNorm2d(6, track_running_stats=True), X4),
    "InstanceNorm3d": (lambda n: n.InstanceNorm3d(4), X5),
    "Dropout": (lambda n: n.Dropout(0.3), X2),
    "Dropout1d": (lambda n: n.Dropout1d(), X3),
    "Dropout2d": (lambda n: n.Dropout2d(), X4),
    "Dropout3d": (lambda n: n.Dropout3d(), X5),
    "AlphaDropout": (lambda n: n.AlphaDropout(0.3), X2),
    "FeatureAlphaDropout": (lambda n: n.FeatureAlphaDropout(0.3), X4),
    "Threshold": (lambda n: n.Threshold(0.1, 20), X2),
    "ReLU": (lambda n: n.ReLU(), X2),
    "RReLU": (lambda n: n.RReLU(), X2),
    "Hardtanh": (lambda n: n.Hardtanh(-0.5, 2.0), X2),
    "ReLU6": (lambda n: n.ReLU6(), X2),
    "Sigmoid": (lambda n: n.Sigmoid(), X2),
    "Hardsigmoid": (lambda n: n.Hardsigmoid(), X2),
    "Tanh": (lambda n: n.Tanh(), X2),
    "SiLU": (lambda n: n.SiLU(), X2),
    "Mish": (lambda n: n.Mish(), X2),
    "Hardswish": (lambda n: n.Hardswish(), X2),
    "ELU": (lambda n: n.ELU(0.7), X2),
    "CELU": (lambda n: n.CELU(0.7), X2),
    "SELU": (lambda n: n.SELU(), X2),
    "GLU": (lambda n: n.GLU(1), X2),
    "GELU": (lambda n: n.GELU(), X2),
    "GELU by tanh": (lambda n: n.GELU("tanh"), X2),
    "Hardshrink": (lambda n: n.Hardshrink(), X2),
    "LeakyReLU": (lambda n: n.LeakyReLU(0.2), X2),
    "LogSigmoid": (lambda n: n.LogSigmoid(), X2),
    "Softplus": (lambda n: n.Softplus(2.0), X2),
    "Softshrink": (lambda n: n.Softshrink(), X2),
    "PReLU": (lambda n: n.PReLU(6), X2),
    "Softsign": (lambda n: n.Softsign(), X2),
    "Tanhshrink": (lambda n: n.Tanhshrink(), X2),
    "Softmin": (lambda n: n.Softmin(1), X2),
    "Softmax": (lambda n: n.Softmax(1), X2),
    "Softmax2d": (lambda n: n.Softmax2d(), X4),
    "LogSoftmax": (lambda n: n.LogSoftmax(1), X2),
    "MultiheadAttention": (lambda n: n.MultiheadAttention(6, 2), (_normal_input(5, 3, 6),) * 3),
    "MultiheadAttention with biases": (
        lambda n: n.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True, kdim=4, vdim=5, batch_first=True),
        (_normal_input(3, 5, 6), _normal_input(3, 7, 4), _normal_input(3, 7, 5)),
    ),
    "TransformerEncoderLayer": (lambda n: n.TransformerEncoderLayer(6, 2, 8, 0.0), _normal_input(5, 3, 6)),
    "TransformerDecoderLayer": (
        lambda n: n.TransformerDecoderLayer(6, 2, 8, 0.0, norm_first=True),
        (_normal_input(5, 3, 6), _normal_input(4, 3, 6)),
    ),
    "Transformer": (lambda n: n.Transformer(4, 2, 1, 1, 8, 0.0), (_normal_input(5, 3, 4), _normal_input(2, 3, 4))),
    "Conv1d": (lambda n: n.Conv1d(6, 4, 3, padding="same", dilation=2), X3),
    "Conv2d": (lambda n: n.Conv2d(6, 4, (3, 2), stride=2, padding=1, groups=2), X4),
    "Conv2d circular": (lambda n: n.Conv2d(6, 4, 3, padding=1, padding_mode="circular", bias=False), X4),
    "Conv3d": (lambda n: n.Conv3d(4, 2, 2), X5),
    "ConvTranspose1d": (lambda n: n.ConvTranspose1d(6, 4, 3, stride=2), X3),
    "ConvTranspose2d": (lambda n: n.ConvTranspose2d(6, 4, 3, stride=2, output_padding=1), X4),
    "ConvTranspose3d": (lambda n: n.ConvTranspose3d(4, 2, 2), X5),
    "MaxPool1d": (lambda n: n.MaxPool1d(2), X3),
    "MaxPool2d with indices": (lambda n: n.MaxPool2d(2, return_indices=True), X4),
    "MaxPool3d": (lambda n: n.MaxPool3d(2), X5),
    "AvgPool1d": (lambda n: n.AvgPool1d(2), X3),
    "AvgPool2d": (lambda n: n.AvgPool2d(2, padding=1, count_include_pad=False), X4),
    "AvgPool3d": (lambda n: n.AvgPool3d(2), X5),
    "LPPool2d": (lambda n: n.LPPool2d(2.0, 2), X4),
    "FractionalMaxPool2d": (lambda n: n.FractionalMaxPool2d(2, output_ratio=0.5), X4),
    "AdaptiveMaxPool1d": (lambda n: n.AdaptiveMaxPool1d(3), X3),
    "AdaptiveMaxPool2d": (lambda n: n.AdaptiveMaxPool2d((None, 3)), X4),
    "AdaptiveAvgPool1d": (lambda n: n.AdaptiveAvgPool1d(3), X3),
    "AdaptiveAvgPool2d": (lambda n: n.AdaptiveAvgPool2d((None, 3)), X4),
    "AdaptiveAvgPool3d": (lambda n: n.AdaptiveAvgPool3d(3), X5),
    "ReflectionPad2d": (lambda n: n.ReflectionPad2d(2), X4),
    "ReplicationPad1d": (lambda n: n.ReplicationPad1d((1, 2)), X3),
    "ConstantPad2d": (lambda n: n.ConstantPad2d(1, 3.5), X4),
    "ZeroPad1d": (lambda n: n.ZeroPad1d(2), X3),
    "CircularPad2d": (lambda n: n.CircularPad2d(2), X4),
    "Upsample": (lambda n: n.Upsample(scale_factor=2, mode="bilinear"), X4),
    "UpsamplingNearest2d": (lambda n: n.UpsamplingNearest2d(5), X4),
    "PixelShuffle": (lambda n: n.PixelShuffle(2), _normal_input(2, 8, 3, 3)),
    "PixelUnshuffle": (lambda n: n.PixelUnshuffle(2), _normal_input(2, 3, 4, 4)),
    "ChannelShuffle": (lambda n: n.ChannelShuffle(2), X4),
    "Flatten": (lambda n: n.Flatten(1, 2), X4),
    "Unflatten": (lambda n: n.Unflatten(1, (2, 3)), X4),
    "Unfold": (lambda n: n.Unfold(2), X4),
    "Fold": (lambda n: n.Fold((4, 4), 2), _normal_input(2, 12, 9)),
    "PairwiseDistance": (lambda n: n.PairwiseDistance(), (X2, X2)),
    "CosineSimilarity": (lambda n: n.CosineSimilarity(), (X2, X2)),
    "RNN": (lambda n: n.RNN(6, 3, 2, bidirectional=True), _normal_input(5, 2, 6)),
    "LSTM with projections": (lambda n: n.LSTM(6, 4, proj_size=2, batch_first=True), _normal_input(5, 2, 6)),
    "GRU": (lambda n: n.GRU(6, 3, dropout=0.0), _normal_input(5, 2, 6)),
    "RNNCell": (lambda n: n.RNNCell(6, 3, nonlinearity="relu"), X2),
    "LSTMCell": (lambda n: n.LSTMCell(6, 3), X2),
    "GRUCell": (lambda n: n.GRUCell(6, 3, bias=False), X2),
    "LazyLinear": (lambda n: n.LazyLinear(3), X2),
    "LazyConv2d": (lambda n: n.LazyConv2d(3, 2), X4),
    "LazyBatchNorm1d": (lambda n: n.LazyBatchNorm1d(), X3),
    "AdaptiveLogSoftmaxWithLoss": (lambda n: n.AdaptiveLogSoftmaxWithLoss(6, 20, [5, 12]), (X2, _index_input(20, 4))),
    "L1Loss": (lambda n: n.L1Loss(), (X2, X2)),
    "MSELoss": (lambda n: n.MSELoss(reduction="sum"), (X2, X2)),
    "SmoothL1Loss": (lambda n: n.SmoothL1Loss(beta=0.5), (X2, X2)),
    "HuberLoss": (lambda n: n.HuberLoss(delta=0.5), (X2, X2)),
    "NLLLoss": (lambda n: n.NLLLoss(ignore_index=2), (X2, CLASSES)),
    "CrossEntropyLoss": (lambda n: n.CrossEntropyLoss(label_smoothing=0.1), (X2, CLASSES)),
    "LinearCrossEntropyLoss": (lambda n: n.LinearCrossEntropyLoss(6, 6), (X2, CLASSES)),
    "chunked LinearCrossEntropyLoss": (
        lambda n: n.LinearCrossEntropyLoss(6, 6, options=n.LinearCrossEntropyOptions(batch_chunk_size=3)),
        (X2, CLASSES),
    ),
    "BCELoss": (lambda n: n.BCELoss(), (POSITIVE, POSITIVE)),
    "BCEWithLogitsLoss": (lambda n: n.BCEWithLogitsLoss(), (X2, POSITIVE)),
    "KLDivLoss": (lambda n: n.KLDivLoss(reduction="batchmean"), (X2, POSITIVE)),
    "PoissonNLLLoss": (lambda n: n.PoissonNLLLoss(), (X2, POSITIVE)),
    "GaussianNLLLoss": (lambda n: n.GaussianNLLLoss(full=True), (X2, X2, POSITIVE)),
    "HingeEmbeddingLoss": (lambda n: n.HingeEmbeddingLoss(), (_normal_input(4), SIGNS)),
    "SoftMarginLoss": (lambda n: n.SoftMarginLoss(), (_normal_input(4), SIGNS)),
    "MultiMarginLoss": (lambda n: n.MultiMarginLoss(p=2), (X2, CLASSES)),
    "MultiLabelSoftMarginLoss": (lambda n: n.MultiLabelSoftMarginLoss(), (X2, POSITIVE)),
    "MarginRankingLoss": (lambda n: n.MarginRankingLoss(0.1), (_normal_input(4), _normal_input(4), SIGNS)),
    "CosineEmbeddingLoss": (lambda n: n.CosineEmbeddingLoss(), (X2, X2, SIGNS)),
    "TripletMarginLoss": (lambda n: n.TripletMarginLoss(swap=True), (X2, X2, X2)),
    "TripletMarginWithDistanceLoss": (lambda n: n.TripletMarginWithDistanceLoss(), (X2, X2, X2)),
    "CTCLoss": (lambda n: n.CTCLoss(), _ctc_arguments),
}


def _list_tensors(value, torch):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _list_tensors(item, torch)]
    return []


def _call_layer(torch, make, inputs, training):
    """Returns the state and repr of a new layer, the state after a call, outputs and gradients."""
    torch.manual_seed(3)
    layer = make(torch.nn)
    layer.train(training)
    lazy = any(name in type(layer).__name__ for name in ("Lazy",))
    made = plain([repr(layer), {} if lazy else dict(layer.state_dict())], torch)  # running statistics will change
    torch.manual_seed(4)
    given = [one(torch) for one in inputs] if isinstance(inputs, tuple) else [inputs(torch)]
    given = list(given[0]) if isinstance(given[0], tuple) else given
    if given[0].is_floating_point():
        given[0].requires_grad_(True)
    torch.manual_seed(5)
    outputs = _list_tensors(layer(*given), torch)
    wanted = [o for o in outputs if o.requires_grad]
    leaves = [t for t in given if t.requires_grad] + [p for p in layer.parameters() if p.requires_grad]
    gradients = []
    if wanted and leaves:
        total = sum((o * torch.linspace(0.3, 1.7, o.numel()).reshape(o.shape)).sum() for o in wanted)
        gradients = torch.autograd.grad(total, leaves, allow_unused=True)
    after = [repr(layer), dict(layer.state_dict()), outputs, list(gradients)]
    return made, plain(after, torch)


@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("name", LAYERS)
def test_layer_is_torchs(mt, oracle, name, training):
    make, inputs = LAYERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = _call_layer(oracle, make, inputs, training)
        ours = _call_layer(mt, make, inputs, training)
    assert ours[0] == theirs[0]  # the same bits
    assert close(ours[1], theirs[1])


def test_all_names_are_torchs(mt, oracle):
    public = {name for name in oracle.nn.modules.__all__}
    assert public - set(dir(mt.nn)) == set()


def test_layers_say_where_they_are_from(mt, oracle):
    for name in oracle.nn.modules.__all__:
        ours, theirs = getattr(mt.nn, name), getattr(oracle.nn, name)
        assert ours.__module__.partition(".")[2] == theirs.__module__.partition(".")[2], name
