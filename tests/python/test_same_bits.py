"""Results are bit-identical in every run and for any number of threads, at sizes that threads share.

Uses no oracle: the first run, on one thread, gives the expected values.
"""

import pytest

ROWS, COLUMNS = 1021, 770  # sizes that do not divide evenly among threads, vectors or tiles
THREADS = (1, 2, 3, 5, 3)


def make_matrix(t, dtype="float32", rows=ROWS, columns=COLUMNS):
    return t.randn(rows, columns).to(getattr(t, dtype))


def run_forward_and_backward(call):
    """Returns the results of a function of leaves, and the gradients of all leaves."""

    def call_and_differentiate(t, *inputs):
        leaves = [x.requires_grad_() if x.is_floating_point() or x.is_complex() else x for x in inputs]
        out = call(t, *leaves)
        wanted = [x for x in leaves if x.requires_grad]
        return out, *t.autograd.grad(out, wanted, t.linspace(-1, 1, out.numel()).view(out.shape).to(out.dtype))

    return call_and_differentiate


REDUCTIONS = {
    "sum": lambda t, a, dim: t.sum(a, dim),
    "mean": lambda t, a, dim: t.mean(a, dim),
    "prod": lambda t, a, dim: t.prod(a * 0.1 + 1, 0 if dim is None else dim),
    "var": lambda t, a, dim: t.var(a, dim),
    "std_mean": lambda t, a, dim: t.std_mean(a, dim),
    "norm": lambda t, a, dim: t.linalg.vector_norm(a, 2, dim),
    "norm 3": lambda t, a, dim: t.linalg.vector_norm(a, 3, dim),
    "logsumexp": lambda t, a, dim: t.logsumexp(a, (0, 1) if dim is None else dim),
    "max": lambda t, a, dim: t.max(a) if dim is None else t.max(a, dim),
    "argmin": lambda t, a, dim: t.argmin(a, dim),
    "median": lambda t, a, dim: t.median(a) if dim is None else t.median(a, dim),
    "any": lambda t, a, dim: t.any(a > 3, dim),
    "nansum": lambda t, a, dim: t.nansum(a, dim),
    "cumsum": lambda t, a, dim: t.cumsum(a.reshape(-1) if dim is None else a, dim or 0),
    "cumprod": lambda t, a, dim: t.cumprod(a * 0.01 + 1, dim or 0),
    "logcumsumexp": lambda t, a, dim: t.logcumsumexp(a, dim or 0),
    "sort": lambda t, a, dim: t.sort(a.reshape(-1) if dim is None else a, dim=dim or 0),
    "topk": lambda t, a, dim: t.topk(a.reshape(-1) if dim is None else a, 40, dim or 0),
    "unique": lambda t, a, dim: t.unique((a * 8).round(), return_inverse=True, return_counts=True),
    "histc": lambda t, a, dim: t.histc(a.float(), 50, -3, 3),
}


@pytest.fixture
def assert_same_bits_for_threads(mt):
    before = mt.get_num_threads()

    def bytes_of_tensors(value):
        if isinstance(value, mt.Tensor):
            value = value.detach().contiguous()
            return (mt.view_as_real(value) if value.is_complex() else value).reshape(-1).view(mt.uint8)
        return [bytes_of_tensors(part) for part in value]

    def are_equal(a, b):
        if isinstance(a, mt.Tensor):
            return mt.equal(a, b)
        return len(a) == len(b) and all(map(are_equal, a, b))

    def compare_thread_counts(call):
        first = None
        for threads in THREADS:
            mt.set_num_threads(threads)
            mt.manual_seed(7)
            found = bytes_of_tensors(call())
            first = found if first is None else first
            assert are_equal(first, found), f"{threads} threads give other bits than {THREADS[0]}"

    yield compare_thread_counts
    mt.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_have_the_same_bits_for_any_number_of_threads(mt, assert_same_bits_for_threads, name, dtype):
    if dtype == "float16" and name in ("histc", "logcumsumexp"):
        dtype = "float32"
    for dim in (None, 0, 1):
        assert_same_bits_for_threads(lambda dim=dim: REDUCTIONS[name](mt, make_matrix(mt, dtype), dim))
        assert_same_bits_for_threads(lambda dim=dim: REDUCTIONS[name](mt, make_matrix(mt, dtype).t(), dim))


ROW_OPERATORS = {
    "softmax": lambda t, a: t.softmax(a, -1),
    "softmax, first dimension": lambda t, a: t.softmax(a, 0),
    "log_softmax": lambda t, a: t.log_softmax(a, -1),
    "layer_norm": lambda t, a: t.nn.functional.layer_norm(a, (COLUMNS,)),
    "rms_norm": lambda t, a: t.nn.functional.rms_norm(a, (COLUMNS,)),
    "group_norm": lambda t, a: t.nn.functional.group_norm(a.view(1, ROWS, 7, -1).mT.reshape(-1, 110, ROWS), 10),
    "batch_norm": lambda t, a: t.nn.functional.batch_norm(a, None, None, training=True),
    "gelu": lambda t, a: t.nn.functional.gelu(a),
    "silu": lambda t, a: t.nn.functional.silu(a),
    "where": lambda t, a: t.where(a > 0, a, a * 0.1),
    "pow": lambda t, a: (a.abs() + 0.1) ** a,
    "transposed and added": lambda t, a: a.t().contiguous() + a.t()[:, :1],
    "cross_entropy": lambda t, a: t.nn.functional.cross_entropy(a, t.arange(ROWS) % COLUMNS),
    "mse_loss": lambda t, a: t.nn.functional.mse_loss(a, a.flip(0)),
    "cdist": lambda t, a: t.cdist(a[:150], a[150:320]),
    "index_select": lambda t, a: t.index_select(a, 0, t.randint(ROWS, (3000,))),
    "gather": lambda t, a: t.gather(a, 0, t.randint(ROWS, (900, COLUMNS))),
    "indexed": lambda t, a: a[t.randint(ROWS, (3000,)), t.randint(COLUMNS, (3000,))],
    "repeat_interleave": lambda t, a: a.repeat_interleave(3, 0),
    "scatter_add": lambda t, a: t.zeros(40, COLUMNS, dtype=a.dtype).scatter_add(0, t.randint(40, (ROWS, COLUMNS)), a),
    "index_add": lambda t, a: t.zeros(40, COLUMNS, dtype=a.dtype).index_add(0, t.randint(40, (ROWS,)), a),
    "index_put": lambda t, a: t.zeros(40, COLUMNS, dtype=a.dtype).index_put((t.randint(40, (ROWS,)),), a, True),
    "dropout": lambda t, a: t.nn.functional.dropout(a, 0.3),
    "embedding": lambda t, a: t.nn.functional.embedding(t.randint(ROWS, (5000,)), a),
    "embedding_bag": lambda t, a: t.nn.functional.embedding_bag(t.randint(ROWS, (400, 9)), a),
    "fft": lambda t, a: t.fft.rfft2(a.float()).abs(),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", ROW_OPERATORS)
def test_row_operators_have_the_same_bits_for_any_number_of_threads(mt, assert_same_bits_for_threads, name, dtype):
    run = run_forward_and_backward(ROW_OPERATORS[name])
    assert_same_bits_for_threads(lambda: run(mt, make_matrix(mt, dtype)))


PRODUCTS = [
    (1, 770, 3001), (3, 770, 3001), (16, 770, 3001), (130, 770, 515), (517, 1030, 130), (1021, 9, 770), (770, 5003, 3),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "complex64", "int64"])
@pytest.mark.parametrize("m, k, n", PRODUCTS)
def test_products_have_the_same_bits_for_any_number_of_threads(mt, assert_same_bits_for_threads, m, k, n, dtype):
    def make_operand(rows, columns):
        values = mt.randint(-9, 9, (rows, columns)) if dtype == "int64" else mt.randn(rows, columns)
        return values.to(getattr(mt, dtype))

    assert_same_bits_for_threads(lambda: make_operand(m, k) @ make_operand(k, n))
    assert_same_bits_for_threads(lambda: make_operand(m, k) @ make_operand(n, k).t())
    assert_same_bits_for_threads(lambda: make_operand(k, m).t() @ make_operand(k, n))


CALLS_AND_SHAPES = {
    "linear": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), (300, 257), (515, 257), (515,)),
    "bmm": (lambda t, x, w: x @ w, (31, 65, 33), (31, 33, 70)),
    "bilinear": (lambda t, x, y, w: t.nn.functional.bilinear(x, y, w), (200, 33), (200, 35), (21, 33, 35)),
    "einsum": (lambda t, x, y: t.einsum("bij,bkj->bki", x, y), (9, 65, 130), (9, 70, 130)),
    "attention": (lambda t, *qkv: t.nn.functional.scaled_dot_product_attention(*qkv), *[(3, 5, 201, 40)] * 3),
    "attention, causal": (
        lambda t, *qkv: t.nn.functional.scaled_dot_product_attention(*qkv, is_causal=True), *[(3, 5, 201, 40)] * 3),
    "attention, one query": (
        lambda t, *qkv: t.nn.functional.scaled_dot_product_attention(*qkv), (1, 12, 1, 64), *[(1, 12, 3001, 64)] * 2),
    "conv1d": (lambda t, x, w: t.nn.functional.conv1d(x, w, padding=1), (5, 33, 501), (40, 33, 3)),
    "conv2d": (lambda t, x, w: t.nn.functional.conv2d(x, w, padding=1), (5, 33, 41, 39), (40, 33, 3, 3)),
    "conv2d, 7 x 7": (
        lambda t, x, w: t.nn.functional.conv2d(x, w, stride=2, padding=3), (5, 3, 101, 99), (40, 3, 7, 7)),
    "conv2d, depthwise": (
        lambda t, x, w: t.nn.functional.conv2d(x, w, padding=1, groups=33), (5, 33, 41, 39), (33, 1, 3, 3)),
    "conv3d": (lambda t, x, w: t.nn.functional.conv3d(x, w), (3, 9, 11, 21, 19), (12, 9, 3, 3, 3)),
    "conv_transpose2d": (
        lambda t, x, w: t.nn.functional.conv_transpose2d(x, w, stride=2), (5, 33, 21, 19), (33, 20, 3, 3)),
    "max_pool2d": (lambda t, x: t.nn.functional.max_pool2d(x, 3, 2), (5, 33, 81, 79)),
    "avg_pool2d": (lambda t, x: t.nn.functional.avg_pool2d(x, 3, 2, 1), (5, 33, 81, 79)),
    "adaptive_avg_pool2d": (lambda t, x: t.nn.functional.adaptive_avg_pool2d(x, (7, 9)), (5, 33, 81, 79)),
    "interpolate": (
        lambda t, x: t.nn.functional.interpolate(x, (70, 90), mode="bicubic", antialias=True), (2, 9, 81, 79)),
    "grid_sample": (
        lambda t, x, g: t.nn.functional.grid_sample(x, g.tanh(), align_corners=False), (3, 9, 51, 49), (3, 60, 70, 2)),
    "pad": (lambda t, x: t.nn.functional.pad(x, (3, 4, 5, 6), mode="reflect"), (5, 33, 41, 39)),
    "fold": (lambda t, x: t.nn.functional.fold(t.nn.functional.unfold(x, 3), (41, 39), 3), (5, 9, 41, 39)),
    "instance_norm": (lambda t, x: t.nn.functional.instance_norm(x), (5, 33, 41, 39)),
    "ctc_loss": (
        lambda t, x: t.nn.functional.ctc_loss(x.log_softmax(2), t.randint(1, 30, (16, 20)), [90] * 16, [20] * 16),
        (90, 16, 30)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS_AND_SHAPES)
def test_layers_have_the_same_bits_for_any_number_of_threads(mt, assert_same_bits_for_threads, name):
    call, *shapes = CALLS_AND_SHAPES[name]
    assert_same_bits_for_threads(lambda: run_forward_and_backward(call)(mt, *[mt.randn(*shape) for shape in shapes]))


LINALG = {
    "inv": lambda t, a: t.linalg.inv(a),
    "solve": lambda t, a: t.linalg.solve(a, a.flip(0)),
    "cholesky": lambda t, a: t.linalg.cholesky(a @ a.mT + 600 * t.eye(a.shape[-1])),
    "det": lambda t, a: t.linalg.slogdet(a),
    "qr": lambda t, a: t.linalg.qr(a),
    "svdvals": lambda t, a: t.linalg.svdvals(a),
    "eigh": lambda t, a: t.linalg.eigh(a + a.mT),
    "eigvals": lambda t, a: t.linalg.eigvals(a),
    "lstsq": lambda t, a: t.linalg.lstsq(a, a.flip(0)).solution,
    "matrix_exp": lambda t, a: t.linalg.matrix_exp(a * 0.01),
    "solve_triangular": lambda t, a: t.linalg.solve_triangular(a.tril() + 30 * t.eye(a.shape[-1]), a, upper=False),
}


@pytest.mark.parametrize("shape", [(150, 150), (40, 20, 20)], ids=["one matrix", "a batch"])
@pytest.mark.parametrize("name", LINALG)
def test_linear_algebra_has_the_same_bits_for_any_number_of_threads(mt, assert_same_bits_for_threads, name, shape):
    assert_same_bits_for_threads(lambda: LINALG[name](mt, mt.randn(*shape)))


RANDOM_CALLS = {
    "rand": lambda t: t.rand(300_001),
    "randn": lambda t: t.randn(300_001),
    "randint": lambda t: t.randint(1000, (300_001,)),
    "bernoulli": lambda t: t.empty(300_001).bernoulli_(0.3),
    "exponential": lambda t: t.empty(300_001).exponential_(),
    "randperm": lambda t: t.randperm(300_001),
    "multinomial": lambda t: t.multinomial(t.rand(60, 5000), 12),
    "gamma": lambda t: t._standard_gamma(t.full((30_001,), 1.5)),
    "poisson": lambda t: t.poisson(t.full((30_001,), 5.0)),
}


@pytest.mark.parametrize("name", RANDOM_CALLS)
def test_random_numbers_have_the_same_bits_for_any_number_of_threads(mt, assert_same_bits_for_threads, name):
    assert_same_bits_for_threads(lambda: RANDOM_CALLS[name](mt))


@pytest.mark.parametrize("name", "SGD Adam AdamW Adagrad RMSprop Adadelta NAdam RAdam Adamax Rprop ASGD".split())
def test_a_trained_network_has_the_same_bits_for_any_number_of_threads(mt, assert_same_bits_for_threads, name):
    def train_network():
        nn = mt.nn
        model = nn.Sequential(
            nn.Embedding(500, 96),
            nn.TransformerEncoderLayer(96, 4, 200, batch_first=True),
            nn.LSTM(96, 64, batch_first=True),
        )
        head = nn.Linear(64, 500)
        parameters = [*model.parameters(), *head.parameters()]
        optimizer = getattr(mt.optim, name)(parameters, 0.01)
        tokens = mt.randint(500, (9, 50))
        for _ in range(2):
            optimizer.zero_grad()
            scores = head(model(tokens)[0])[:, :-1]
            loss = nn.functional.cross_entropy(scores.reshape(-1, 500), tokens[:, 1:].reshape(-1))
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
        return [loss, *parameters]

    assert_same_bits_for_threads(train_network)
