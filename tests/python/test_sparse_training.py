"""Uses of sparse gradients: optimizers, clipping, scaling, processes; and sparse matrices in decompositions."""

import pytest
from distributed_ranks import run_script_on_ranks
from outcomes import outcome


def assert_same_outcome(mt, oracle, call):
    ours, theirs = outcome(call, mt)[0], outcome(call, oracle)[0]
    assert ours == theirs


def list_components(tensor):
    """The components of a sparse tensor, without the gaps that torch leaves between the rows of indices."""
    if not tensor.is_sparse:
        return tensor
    return tensor._indices().flatten(), tensor._values(), tensor.is_coalesced()


def make_embedding(torch, sparse=True):
    layer = torch.nn.Embedding(5, 2, sparse=sparse)
    layer.weight.data.copy_(torch.arange(10.0).view(5, 2) / 10)
    return layer


BATCHES = [[1, 3, 1], [0, 2, 2], [4, 4, 4], [1, 2, 3]]


def train_embedding(torch, name, **options):
    """The table after four steps, and the optimizer's state."""
    layer = make_embedding(torch)
    optimizer = getattr(torch.optim, name)(layer.parameters(), **options)
    for batch in BATCHES:
        optimizer.zero_grad()
        rows = layer(torch.tensor(batch))
        ((rows * torch.tensor([1.0, 2.0])).sum() + rows.pow(2).sum()).backward()
        optimizer.step()
    state = optimizer.state.get(layer.weight, {})
    return layer.weight, {name: list_components(value) for name, value in state.items() if value is not None}


@pytest.mark.parametrize("options", [{}, {"maximize": True}, {"betas": (0.5, 0.9), "eps": 1e-3}], ids=str)
def test_sparse_adam_moves_the_rows_of_torch(mt, oracle, options):
    assert_same_outcome(mt, oracle, lambda torch: train_embedding(torch, "SparseAdam", lr=0.1, **options))


@pytest.mark.parametrize("foreach", [None, True, False])
@pytest.mark.parametrize(
    "options",
    [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"weight_decay": 0.1}, {"maximize": True}],
    ids=str,
)
def test_sgd_of_sparse_gradients_matches_torch(mt, oracle, options, foreach):
    assert_same_outcome(mt, oracle, lambda torch: train_embedding(torch, "SGD", lr=0.1, foreach=foreach, **options))


@pytest.mark.parametrize("foreach", [None, True, False])
@pytest.mark.parametrize(
    "options",
    [{}, {"lr_decay": 0.1, "initial_accumulator_value": 0.1}, {"weight_decay": 0.1}, {"maximize": True}],
    ids=str,
)
def test_adagrad_of_sparse_gradients_matches_torch(mt, oracle, options, foreach):
    assert_same_outcome(mt, oracle, lambda torch: train_embedding(torch, "Adagrad", lr=0.1, foreach=foreach, **options))


@pytest.mark.parametrize(
    "name", ["Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop", "ASGD", "Adadelta", "Adafactor", "LBFGS"]
)
def test_other_optimizers_refuse_sparse_gradients_with_torchs_message(mt, oracle, name):
    assert_same_outcome(mt, oracle, lambda torch: train_embedding(torch, name))


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adagrad"])
def test_fused_optimizers_refuse_sparse_gradients(mt, oracle, name):
    assert_same_outcome(mt, oracle, lambda torch: train_embedding(torch, name, lr=0.1, fused=True))


def test_dense_and_sparse_gradients_train_together(mt, oracle):
    def train_layer_and_factor(torch, name, **options):
        layer, factor = make_embedding(torch), torch.nn.Parameter(torch.ones(2, 2))
        optimizer = getattr(torch.optim, name)([layer.weight, factor], lr=0.1, **options)
        for _ in range(2):
            optimizer.zero_grad(set_to_none=False)
            (layer(torch.tensor([1, 3, 1])) @ factor).sum().backward()
            optimizer.step()
        return layer.weight, factor, layer.weight.grad

    for foreach in (None, True, False):
        assert_same_outcome(
            mt,
            oracle,
            lambda torch, foreach=foreach: train_layer_and_factor(torch, "SGD", momentum=0.9, foreach=foreach),
        )
        assert_same_outcome(
            mt, oracle, lambda torch, foreach=foreach: train_layer_and_factor(torch, "Adagrad", foreach=foreach)
        )


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize(
    "options",
    [{}, {"norm_type": 1.0}, {"norm_type": float("inf")}, {"foreach": True}, {"foreach": False}, {"max_norm": 100.0}],
    ids=str,
)
def test_gradients_are_clipped_by_norm_as_in_torch(mt, oracle, options, alone):
    def clip_by_norm(torch):
        layer, factor = make_embedding(torch), torch.nn.Parameter(torch.ones(2, 2))
        (layer(torch.tensor([1, 3, 1])) @ factor).sum().backward()
        parameters = [layer.weight] if alone else [layer.weight, factor]
        norm = torch.nn.utils.clip_grad_norm_(parameters, **{"max_norm": 0.5, **options})
        return norm, layer.weight.grad, factor.grad

    assert_same_outcome(mt, oracle, clip_by_norm)


@pytest.mark.parametrize("foreach", [None, True, False])
def test_gradients_are_clipped_by_value_as_in_torch(mt, oracle, foreach):
    def clip_by_value(torch):
        layer = make_embedding(torch)
        layer(torch.tensor([1, 3, 1])).sum().backward()
        torch.nn.utils.clip_grad_value_(layer.parameters(), 0.5, foreach=foreach)
        return layer.weight.grad

    assert_same_outcome(mt, oracle, clip_by_value)


@pytest.mark.parametrize("dtype, scale", [("float32", 4.0), ("float16", 65536e3)])
def test_a_scaled_loss_of_sparse_gradients_is_unscaled_or_skipped(mt, oracle, dtype, scale):
    def scale_and_step(torch):
        layer = make_embedding(torch).to(getattr(torch, dtype))
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=scale)
        for _ in range(2):
            optimizer.zero_grad()
            scaler.scale(layer(torch.tensor([1, 3, 1])).float().pow(2).sum()).backward()
            scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
        return layer.weight, scaler.get_scale()

    assert_same_outcome(mt, oracle, scale_and_step)


def test_decompositions_take_sparse_matrices(mt, oracle):
    def decompose_sparse(torch):
        dense = torch.zeros(12, 12, dtype=torch.float64)
        dense[torch.arange(12), torch.arange(12)] = torch.arange(1.0, 13.0, dtype=torch.float64)
        dense[3, 4] = dense[4, 3] = 0.5
        sparse, start = dense.to_sparse(), (torch.arange(24.0, dtype=torch.float64).view(12, 2) % 7 + 1) / 7
        one = torch.ones(1, 12, dtype=torch.float64)
        return [
            torch.lobpcg(sparse, k=2, X=start.clone(), niter=200)[0],
            torch.lobpcg(sparse, k=2, B=sparse, X=start.clone())[0],
            torch.svd_lowrank(sparse, q=12)[1],
            torch.svd_lowrank(sparse, q=12, M=one)[1],
            torch.pca_lowrank(sparse, q=12)[1][:-1],
            torch.pca_lowrank(sparse, q=12, center=False)[1],
        ]

    assert_same_outcome(mt, oracle, decompose_sparse)
    assert_same_outcome(mt, oracle, lambda torch: torch.pca_lowrank(torch.ones(2, 2, 2).to_sparse(), q=2))


MULTIPROCESS_PROGRAM = """
join()
torch.set_num_threads(1)
torch.sparse.check_sparse_tensor_invariants.disable()

def describe_tensor(t):
    if not t.is_sparse:
        return [round(v, 4) for v in t.flatten().tolist()]
    values = [round(v, 4) for v in t._values().flatten().tolist()]
    return t._indices().tolist(), values, t.is_coalesced(), tuple(t.shape)

def all_reduce_sparse(indices, values, size=(5,), **options):
    t = torch.sparse_coo_tensor(torch.tensor([indices]), torch.tensor(values), size)
    dist.all_reduce(t, **options)
    return describe_tensor(t)

shown(all_reduce_sparse, [1, 3 + RANK, 1], [1.0, 2.0, 3.0])
shown(all_reduce_sparse, [1, 3, 1][: 3 * RANK], [1.0, 2.0, 3.0][: 3 * RANK])
shown(all_reduce_sparse, [1, 3 + RANK, 1], [1, 2, 3])
shown(all_reduce_sparse, [RANK, 1], [[1.0, 1.0], [2.0, 3.0]], (3, 2))
shown(all_reduce_sparse, [1], [1.0], (5 + RANK,))
for op in (dist.ReduceOp.MAX, dist.ReduceOp.AVG):
    shown(all_reduce_sparse, [1], [1.0], op=op)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.f = torch.nn.Embedding(5, 2, sparse=True), torch.nn.EmbeddingBag(4, 2, sparse=True)
        self.l = torch.nn.Linear(2, 1)
        for p in self.parameters():
            p.data.copy_(torch.arange(float(p.numel())).view(p.shape) / 4)

    def forward(self, x):
        return self.l(self.e(x) * self.f(x[:1].view(1, 1)))

def train_in_parallel(**options):
    model = torch.nn.parallel.DistributedDataParallel(Net(), **options)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seen = []
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.tensor([1, 2 + RANK, 1])).sum().backward()
        seen += [describe_tensor(p.grad) for p in model.parameters()]
        optimizer.step()
    return seen, [describe_tensor(p.detach()) for p in model.parameters()]

for options in ({}, dict(gradient_as_bucket_view=True), dict(static_graph=True)):
    shown(train_in_parallel, **options)

def train_with_hook():
    model, seen = torch.nn.parallel.DistributedDataParallel(Net()), []

    def hook(state: object, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        seen.append((str(bucket.buffer().layout), tuple(bucket.buffer().shape), len(bucket.gradients())))
        return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0])

    model.register_comm_hook(None, hook)
    model(torch.tensor([1, 2 + RANK, 1])).sum().backward()
    return seen, [describe_tensor(p.grad) for p in model.parameters()]

shown(train_with_hook)
"""


def test_sparse_gradients_are_averaged_among_processes_as_by_torch(oracle):
    assert run_script_on_ranks(MULTIPROCESS_PROGRAM) == run_script_on_ranks(MULTIPROCESS_PROGRAM, library="torch")
