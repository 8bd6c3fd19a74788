"""Losses, distances, embedding bags: values, gradients and errors beyond torch's operator database."""

import pytest
from outcomes import close, outcome, result

INF = float("inf")


def _assert_close(call, mt, oracle):
    """Names must be equal, numbers within the rounding error of another order of operations."""
    for ours, theirs in zip(call(mt), call(oracle), strict=True):
        if isinstance(ours, mt.Tensor):
            assert ours.stride() == theirs.stride()
            oracle.testing.assert_close(oracle.from_numpy(ours.detach().numpy()), theirs.detach(), rtol=2e-5, atol=1e-4)
        else:
            assert ours == theirs


def _make_input(torch):
    return (torch.arange(15.0).view(3, 5) % 7 / 3 - 1).requires_grad_()


def _make_target(torch):
    return torch.arange(15.0).view(3, 5) % 4 / 3


def _compute_with_gradient(torch, loss, *leaves):
    weights = torch.linspace(0.5, 1.5, loss.numel(), dtype=loss.dtype).view(loss.shape)
    return loss, loss.grad_fn.name(), torch.autograd.grad(loss, leaves, weights, create_graph=True)


def _make_log_probs(torch):
    scores = torch.arange(40.0).view(4, 2, 5) % 9 / 4
    return scores.log_softmax(-1).detach().requires_grad_()


def _compute_ctc(torch, inputs, lengths, targets=None, **options):
    probs = _make_log_probs(torch)
    targets = torch.tensor([[1, 2], [3, 3]]) if targets is None else targets
    return _compute_with_gradient(torch, torch.ctc_loss(probs, targets, inputs, lengths, **options), probs)


CTC = [
    ([4, 4], [2, 2], {"reduction": 0}),
    ([3, 4], [2, 1], {"reduction": 1}),
    ([4, 3], [0, 2], {"reduction": 2}),
    ([1, 4], [2, 2], {"reduction": 0, "zero_infinity": True}),
    ([4, 4], [2, 2], {"blank": 9}),
    ([4], [2, 2], {}),
    ([4, 4], [2], {}),
    ([4, 5], [2, 2], {}),
    ([4, -1], [2, 2], {}),
    ([4, 4], [2, 3], {}),
    ([4, 4], [2, -2], {}),
]


@pytest.mark.parametrize("inputs, lengths, options", CTC)
def test_ctc_loss_with_lengths_in_lists_matches_torch(mt, oracle, inputs, lengths, options):
    def compute_ctc(torch):
        return _compute_ctc(torch, inputs, lengths, **options)

    assert outcome(compute_ctc, mt) == outcome(compute_ctc, oracle)


@pytest.mark.parametrize("shape", ["padded", "joined", "3-d", "wrong"])
def test_ctc_loss_accepts_padded_or_concatenated_targets(mt, oracle, shape):
    def compute_ctc(torch):
        padded = torch.tensor([[1, 2], [3, 3]])
        targets = {"padded": padded, "joined": padded.flatten(), "3-d": padded[None], "wrong": padded[0]}[shape]
        return _compute_ctc(torch, torch.tensor([4, 3]), torch.tensor([2, 2]), targets, reduction=0)

    assert outcome(compute_ctc, mt) == outcome(compute_ctc, oracle)


LOSSES = {
    "huber": lambda torch, x, y, r: torch._C._nn.huber_loss(x, y, r, 0.5),
    "smooth_l1": lambda torch, x, y, r: torch._C._nn.smooth_l1_loss(x, y, r, 0.5),
    "mse": lambda torch, x, y, r: torch._C._nn.mse_loss(x, y, r),
    "soft_margin": lambda torch, x, y, r: torch._C._nn.soft_margin_loss(x, y - 0.5, r),
    "bce": lambda torch, x, y, r: torch._C._nn.binary_cross_entropy(x.sigmoid(), y, None, r),
    "bce weighted": lambda torch, x, y, r: torch._C._nn.binary_cross_entropy(x.sigmoid(), y, y + 1, r),
    "multi_margin": lambda torch, x, y, r: torch._C._nn.multi_margin_loss(x, torch.tensor([0, 4, 2]), 2, 0.5, y[1], r),
    "multilabel_margin": lambda torch, x, y, r: torch._C._nn.multilabel_margin_loss(
        x, torch.tensor([[0, 3, -1, 1, 1], [-1, 0, 0, 0, 0], [4, 3, 2, 1, 0]]), r
    ),
    "kl_div": lambda torch, x, y, r: torch.kl_div(x, y, r),
    "kl_div of log targets": lambda torch, x, y, r: torch.kl_div(x, y, r, log_target=True),
    "hinge": lambda torch, x, y, r: torch.hinge_embedding_loss(x, y.round() * 2 - 1, 0.7, r),
    "cosine": lambda torch, x, y, r: torch.cosine_embedding_loss(x, y, torch.tensor([1, -1, 0]), 0.1, r),
    "ranking": lambda torch, x, y, r: torch.margin_ranking_loss(x, y, y.round() * 2 - 1, 0.1, r),
    "triplet": lambda torch, x, y, r: torch.triplet_margin_loss(x, y, y + 0.3, 1.0, 2, 1e-6, True, r),
    "poisson": lambda torch, x, y, r: torch.poisson_nll_loss(x, y * 4, True, True, 1e-8, r),
    "nll of images": lambda torch, x, y, r: torch._C._nn.nll_loss_nd(
        x.view(1, 3, 5, 1), torch.tensor([[[0], [1], [2], [-100], [1]]]), None, r
    ),
    "nll in one dimension": lambda torch, x, y, r: torch._C._nn.nll_loss_nd(
        x.view(1, 3, 5), torch.tensor([[0, 1, 2, -100, 1]]), y[1, :3], r
    ),
}


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("name", LOSSES)
def test_loss_and_its_gradient_match_torch(mt, oracle, name, reduction):
    def compute_loss(torch):
        x = _make_input(torch)
        return _compute_with_gradient(torch, LOSSES[name](torch, x, _make_target(torch), reduction), x)

    assert outcome(compute_loss, mt) == outcome(compute_loss, oracle)


REFUSED = {
    "huber delta": lambda torch, x, y: torch._C._nn.huber_loss(x, y, 1, 0.0),
    "smooth_l1 beta": lambda torch, x, y: torch._C._nn.smooth_l1_loss(x, y, 1, -1.0),
    "kl_div integers": lambda torch, x, y: torch.kl_div(x.long(), y.long(), 1),
    "kl_div complex": lambda torch, x, y: torch.kl_div(x.cfloat(), y, 1),
    "cosine target": lambda torch, x, y: torch.cosine_embedding_loss(x, y, y),
    "cosine rank": lambda torch, x, y: torch.cosine_embedding_loss(x[0], y[0], y[0]),
    "multi_margin target": lambda torch, x, y: torch._C._nn.multi_margin_loss(x, torch.tensor([0, 1])),
    "multi_margin range": lambda torch, x, y: torch._C._nn.multi_margin_loss(x, torch.tensor([0, 1, 9])),
    "multi_margin negative": lambda torch, x, y: torch._C._nn.multi_margin_loss(x, torch.tensor([0, 1, -1])),
    "multi_margin power": lambda torch, x, y: torch._C._nn.multi_margin_loss(x, torch.tensor([0, 1, 2]), 3),
    "multilabel shape": lambda torch, x, y: torch._C._nn.multilabel_margin_loss(x, torch.zeros(5).long()),
    "multilabel range": lambda torch, x, y: torch._C._nn.multilabel_margin_loss(x, torch.full((3, 5), 7)),
    "nll2d target": lambda torch, x, y: torch._C._nn.nll_loss2d(x.view(1, 3, 5, 1), torch.full((1, 5, 1), 3)),
    "nll2d rank": lambda torch, x, y: torch._C._nn.nll_loss2d(x, torch.zeros(3).long()),
    "cdist columns": lambda torch, x, y: torch.cdist(x, y[:, :3]),
    "cdist rank": lambda torch, x, y: torch.cdist(x[0], y),
    "cdist p": lambda torch, x, y: torch.cdist(x, y, -1.0),
    "cdist integers": lambda torch, x, y: torch.cdist(x.long(), y.long()),
    "cdist dtypes": lambda torch, x, y: torch.cdist(x, y.double()),
    "cdist twice": lambda torch, x, y: torch.autograd.grad(
        torch.autograd.grad(torch.cdist(x, y).sum(), x, create_graph=True)[0].sum(), x
    ),
    "pdist rank": lambda torch, x, y: torch.pdist(x[0]),
    "pdist p": lambda torch, x, y: torch.pdist(x, -1.0),
    "pdist integers": lambda torch, x, y: torch.pdist(x.long()),
    "cosine_similarity integers": lambda torch, x, y: torch.cosine_similarity(x.long(), y.long()),
    "bilinear rank": lambda torch, x, y: torch.bilinear(x, y[0], torch.zeros(2, 5, 5)),
    "bilinear sizes": lambda torch, x, y: torch.bilinear(x, y, torch.zeros(2, 5, 4)),
    "bilinear bias": lambda torch, x, y: torch.bilinear(x, y, torch.zeros(2, 5, 5), torch.zeros(3)),
    "feature_dropout rank": lambda torch, x, y: torch.feature_dropout(x[0], 0.5, True),
    "dropout p": lambda torch, x, y: torch.alpha_dropout(x, 1.5, True),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_arguments_are_refused_with_the_texts_of_torch(mt, oracle, name):
    def pass_bad_arguments(torch):
        return REFUSED[name](torch, _make_input(torch), _make_target(torch))

    theirs = outcome(pass_bad_arguments, oracle)
    assert theirs[0][0].endswith("Error")
    assert outcome(pass_bad_arguments, mt) == theirs


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, INF])
@pytest.mark.parametrize(
    "shapes",
    [((3, 5), (3, 5)), ((2, 1, 3, 5), (2, 3, 5)), ((0, 5), (2, 5)), ((3, 0), (2, 0))]
    + [((4, n), (3, n)) for n in (1, 7, 8, 19)],
)
def test_cdist_in_every_norm_matches_torch(mt, oracle, p, shapes):
    def compute_cdist(torch):
        a, b = (torch.arange(float(torch.Size(s).numel())).view(s) * 0.37 % 1.9 for s in shapes)
        a.requires_grad_()
        loss, name, (gradient,) = _compute_with_gradient(torch, torch.cdist(a, b, p), a)
        return loss, name, gradient

    _assert_close(compute_cdist, mt, oracle)


@pytest.mark.parametrize("p", [0.0, 1.0, 3.0, INF])
@pytest.mark.parametrize("width", [3, 10])
def test_cdist_of_nan_matches_torch(mt, oracle, p, width):
    def compute_cdist(torch):
        a, b = torch.ones(4, width), torch.zeros(3, width)
        a[1, 1], a[2, 2], b[1, 0], b[2] = INF, float("nan"), -INF, 1.0
        return torch.cdist(a, b, p)

    assert close(result(compute_cdist, mt), result(compute_cdist, oracle))


@pytest.mark.parametrize("width", [1, 2, 7, 8, 16, 24])
def test_cdist_of_infinite_p_leaves_nan_out(mt, oracle, width):
    def compute_cdist(torch):
        x = torch.ones(width, width)
        x.fill_diagonal_(float("nan"))
        return torch.cdist(x, torch.zeros(2, width), INF)

    assert close(result(compute_cdist, mt), result(compute_cdist, oracle))


# For rows below 16 elements the gradient is computed along columns, whose length is rounded up to a multiple of 16.
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, INF])
@pytest.mark.parametrize("width", [1, 4, 15, 16, 33])
@pytest.mark.parametrize("count", [2, 16, 37])
def test_gradients_of_distances_of_many_rows_match_torch(mt, oracle, count, width, p, dtype):
    def differentiate_distances(torch):
        values = (torch.arange(2 * count * width) * 37 % 1009).to(getattr(torch, dtype)) / 64
        a = values.view(2, count, width).requires_grad_()
        between, among = torch.cdist(a, a[:, 1:].detach() + 0.25, p), torch.pdist(a[0], p)
        _, _, of_cdist = _compute_with_gradient(torch, between, a)
        _, _, of_pdist = _compute_with_gradient(torch, among, a)
        return *of_cdist, *of_pdist

    _assert_close(differentiate_distances, mt, oracle)


@pytest.mark.parametrize("size", [1.0, 2.0**-100, 2.0**-140, 2.0**100])
def test_slopes_of_tiny_and_huge_distances_are_those_of_the_direction(mt, size):
    a = mt.tensor([[3.0, 4.0], [0.0, 0.0]]) * size
    distances = mt.tensor([[5.0 * size], [0.0]])
    slopes = mt.ops.aten._cdist_backward(mt.ones(2, 1), a, mt.zeros(1, 2), 2.0, distances)
    assert mt.allclose(slopes, mt.tensor([[0.6, 0.8], [0.0, 0.0]]), rtol=1e-6)


@pytest.mark.parametrize("p", [1.0, 2.0, INF])
@pytest.mark.parametrize("width", [3, 20])
def test_gradients_of_distances_to_nan_match_torch(mt, oracle, p, width):
    def differentiate_cdist(torch):
        x = torch.ones(5, width)
        x[1], x[3, 0] = 4.0, float("nan")
        distances = (x[:, None] - x).norm(dim=-1).nan_to_num(2.0)
        return torch.ops.aten._cdist_backward(torch.ones(5, 5), x, x, p, distances)

    assert close(result(differentiate_cdist, mt), result(differentiate_cdist, oracle))


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, INF])
def test_gradients_of_distances_do_not_depend_on_threads(mt, p):
    x = (mt.arange(70.0 * 5).view(70, 5) * 0.37 % 1.9).requires_grad_()
    before, results = mt.get_num_threads(), []
    for threads in (1, 3):
        mt.set_num_threads(threads)
        results.append([*mt.autograd.grad(mt.pdist(x, p).sum() + mt.cdist(x, x.detach() + 0.5, p).sum(), x)])
    mt.set_num_threads(before)
    assert mt.equal(results[0][0], results[1][0])


def test_cdist_of_many_rows_runs_as_a_product(mt, oracle):
    def compute_cdist(torch):
        a = (torch.arange(120.0).view(30, 4) * 0.37 % 1.9).requires_grad_()
        distances = torch.cdist(a, a[:3].detach() + 0.5)
        return distances, distances.grad_fn.name(), torch.autograd.grad(distances.sum(), a)[0]

    _assert_close(compute_cdist, mt, oracle)


@pytest.mark.parametrize("p", [0.0, 1.0, 1.5, 2.0, 3.0, INF])
@pytest.mark.parametrize("shape", [(4, 5), (1, 5), (0, 5), (3, 0)])
def test_pdist_in_every_norm_matches_torch(mt, oracle, p, shape):
    def compute_pdist(torch):
        a = (torch.arange(float(torch.Size(shape).numel())).view(shape) * 0.37 % 1.9).requires_grad_()
        if a.shape[0] < 2 or a.shape[1] == 0:  # torch's backward pass reads beyond such a result
            return [torch.pdist(a, p)]
        loss, name, (gradient,) = _compute_with_gradient(torch, torch.pdist(a, p), a)
        return loss, name, gradient

    _assert_close(compute_pdist, mt, oracle)


@pytest.mark.parametrize("width", [3, 9, 17])
@pytest.mark.parametrize("odd", [float("nan"), INF, -INF])
@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, 3.0, INF])
def test_distances_to_nan_and_infinity_match_torch(mt, oracle, p, odd, width):
    """pdist propagates NaN in every norm; cdist ignores it in the infinite one."""

    def compute_distances(torch):
        a = torch.arange(3.0 * width).view(3, width) % 7
        a[0, 1] = odd
        pairs, rows = a.clone().requires_grad_(), a.clone().requires_grad_()
        between = torch.pdist(pairs, p)
        among = torch.cdist(rows, a.flip(0), p, compute_mode="donot_use_mm_for_euclid_dist")
        gradients = torch.autograd.grad(between.sum(), pairs) + torch.autograd.grad(among.sum(), rows)
        return [between, among, *gradients]

    assert close(result(compute_distances, mt), result(compute_distances, oracle))


def _compute_bags(torch, mode, dtype, options):
    table = (torch.arange(20.0).view(5, 4) % 7).to(dtype).requires_grad_()
    indices, offsets = torch.tensor([0, 1, 2, 3, 1]), torch.tensor([0, 2, 2, 5 if options.get("last") else 3])
    scale = torch.linspace(0.5, 1, 5).to(dtype).requires_grad_() if options.get("scaled") else None
    found = torch.embedding_bag(
        table,
        indices,
        offsets,
        options.get("by_freq", False),
        mode,
        False,
        scale,
        options.get("last", False),
        options.get("padding"),
    )
    leaves = [table, scale] if options.get("scaled") else [table]
    out = found[0]
    weights = torch.linspace(0.5, 1.5, out.numel()).to(out.dtype).view(out.shape)
    return found, torch.autograd.grad(out, leaves, weights)


@pytest.mark.parametrize(
    "options", [{}, {"by_freq": True}, {"last": True}, {"padding": 1}, {"padding": -2}, {"scaled": 1}]
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_embedding_bag_and_its_gradients_match_torch(mt, oracle, mode, dtype, options):
    def compute_bags(torch):
        return _compute_bags(torch, mode, getattr(torch, dtype), options)

    assert outcome(compute_bags, mt) == outcome(compute_bags, oracle)


BAD_BAGS = {
    "index": ([0, 9], [0], {}),
    "first offset": ([0, 1], [1], {}),
    "last offset": ([0, 1], [0, 3], {}),
    "padding": ([0, 1], [0], {"padding_idx": 9}),
    "no offset": ([0, 1], [], {"include_last_offset": True}),
    "mode": ([0, 1], [0], {"mode": 7}),
    "weights": ([0, 1], [0], {"per_sample_weights": 1}),
    "weights of a mean": ([0, 1], [0], {"per_sample_weights": 2, "mode": 1}),
}


@pytest.mark.parametrize("name", BAD_BAGS)
def test_embedding_bag_refuses_bad_bags(mt, oracle, name):
    def call_embedding_bag(torch):
        indices, offsets, options = BAD_BAGS[name]
        options = {
            "scale_grad_by_freq": False,
            "mode": 0,
            "sparse": False,
            "per_sample_weights": None,
            "include_last_offset": False,
            "padding_idx": None,
            **options,
        }
        if options["per_sample_weights"]:
            options["per_sample_weights"] = torch.ones(options["per_sample_weights"])
        return torch.embedding_bag(
            torch.ones(5, 4), torch.tensor(indices).long(), torch.tensor(offsets).long(), **options
        )

    theirs = outcome(call_embedding_bag, oracle)
    assert theirs[0][0].endswith("Error")
    assert outcome(call_embedding_bag, mt)[0] == theirs[0]


@pytest.mark.parametrize("norm", [1.0, 2.0, INF])
def test_embedding_renorm_scales_the_rows_that_are_used(mt, oracle, norm):
    def renormalise_table(torch):
        table = torch.arange(20.0).view(5, 4) / 4
        torch.embedding_renorm_(table, torch.tensor([[3, 1], [3, 4]]), 1.5, norm)
        return table

    assert outcome(renormalise_table, mt) == outcome(renormalise_table, oracle)


@pytest.mark.parametrize("name", ["dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"])
@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_dropouts_draw_the_noise_of_torch(mt, oracle, name, p):
    def drop_out(torch):
        torch.manual_seed(11)
        x = torch.ones(3, 4, 5, requires_grad=True)
        y = getattr(torch, name)(x * 2, p, True)
        z = getattr(torch, name + "_")(torch.ones(3, 4, 5), p, True)
        return y, torch.autograd.grad(y.sum(), x), z, torch.native_dropout(x, 0.5, True), torch.rand(2)

    assert outcome(drop_out, mt) == outcome(drop_out, oracle)


# torch's binder reads the default "Mean" as the number 0, so these calls return each element's loss; the
# same operators of torch.ops return the mean.
@pytest.mark.parametrize(
    "call",
    [
        "torch._C._nn.mse_loss(x, y)",
        "torch._C._nn.l1_loss(x, y)",
        "torch._C._nn.smooth_l1_loss(x, y)",
        "torch._C._nn.huber_loss(x, y)",
        "torch._C._nn.soft_margin_loss(x, y)",
        "torch._C._nn.binary_cross_entropy(x, y)",
        "torch._C._nn.nll_loss(m, i)",
        "torch._C._nn.multi_margin_loss(m, i)",
        "torch._C._nn.cross_entropy_loss(m, i)",
        "torch.kl_div(x, y)",
        "torch.binary_cross_entropy_with_logits(x, y)",
        "torch.hinge_embedding_loss(x, y)",
        "torch.margin_ranking_loss(x, y, x)",
        "torch.cosine_embedding_loss(m, m + 1, x)",
        "torch.triplet_margin_loss(m, m + 1, m * 2)",
        "torch._C._nn.mse_loss(x, y, out=torch.empty(()))",
        "torch.ops.aten.mse_loss(x, y)",
        "torch.nn.functional.mse_loss(x, y)",
    ],
)
def test_loss_without_a_reduction_matches_torch(mt, oracle, call):
    def compute_loss(torch):
        x, y, i = torch.tensor([0.25, 0.5]), torch.tensor([0.75, 0.5]), torch.tensor([0, 1])
        return eval(call, {"torch": torch, "x": x, "y": y, "i": i, "m": torch.stack([x, y])})

    assert outcome(compute_loss, mt) == outcome(compute_loss, oracle)
