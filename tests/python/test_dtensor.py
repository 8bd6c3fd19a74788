"""Distributed tensors match real torch on each rank: pieces, placements, strides, gradients, errors."""

from distributed_ranks import assert_same_on_ranks, run_script_on_ranks

# Names of the library under test. A tensor is shown by its placements and its piece, whose strides may differ: some of
# torch's pieces are views of padded ones.
NAMES = """
import copy, functools, importlib, itertools, math
load = lambda name: importlib.import_module(torch.__name__ + ".distributed." + name)
tensor, parallel, experimental = load("tensor"), load("tensor.parallel"), load("tensor.experimental")
from_torch = tensor.distribute_tensor
DTensor, Shard, Partial, R = tensor.DTensor, tensor.Shard, tensor.Partial, tensor.Replicate()
nn, F = torch.nn, torch.nn.functional
warnings.simplefilter("ignore")
join()

def describe_value(value):
    if isinstance(value, DTensor):
        return f"{''.join(map(str, value.placements))} {describe_value(value.to_local())}"
    if isinstance(value, torch.Tensor):
        numbers = [round(x, 2) + 0.0 for x in value.detach().double().flatten().tolist()]
        return f"{numbers} {tuple(value.shape)}"
    return str(value)
"""

# Torch can hang when it destroys the groups of a mesh.
LEAVE = """
dist.barrier()
sys.stdout.flush()
os._exit(0)
"""

PIECES = (
    NAMES
    + """
line = tensor.init_device_mesh("cpu", (4,))
grid = tensor.init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b"))
whole = torch.arange(35.0).reshape(7, 5)
print(from_torch(whole, line, [Shard(0)]))
print(from_torch(whole, grid, [Shard(0), R])._spec)
for mesh, choices in (
    (line, [[Shard(0)], [Shard(1)], [Shard(-1)], [R]]),
    (grid, [[Shard(0), Shard(0)], [Shard(0), Shard(1)], [Shard(1), R], [R, Shard(0)], [R, R], [Shard(1), Shard(0)]]),
):
    for source in choices:
        first = from_torch(whole, mesh, source)
        print(describe_value(first), first.stride(), first.shape)
        for target in choices:
            moved = first.redistribute(placements=target)
            print(source, target, describe_value(moved.to_local()), moved.placements, moved.stride())
            assert torch.equal(moved.full_tensor(), whole)
terms = DTensor.from_local(torch.full((3, 5), float(RANK + 1)), line, [Partial()])
for target in ([R], [Shard(0)], [Shard(1)]):
    print(describe_value(terms.redistribute(placements=target)))
terms = DTensor.from_local(torch.full((3, 5), float(RANK + 1)), grid, [Partial("avg"), Partial("avg")])
for target in ([R, R], [Shard(0), Shard(0)], [Shard(1), R], [R, Shard(0)]):
    print(describe_value(terms.redistribute(placements=target)))
for shape in ((1, 5), (0, 4), (3,), ()):
    for placement in [Shard(dim) for dim in range(len(shape))] + [R]:
        small = from_torch(torch.arange(float(math.prod(shape))).reshape(shape), line, [placement])
        print(describe_value(small), describe_value(small.full_tensor()), small.placements)
uneven = DTensor.from_local(torch.ones(RANK + 1, 2), line, [Shard(0)], shape=torch.Size([10, 2]), stride=(2, 1))
print(uneven.shape, uneven.to_local().shape)
transposed = DTensor.from_local(torch.ones(2, 3).t(), line, [Shard(0)])
print(describe_value(transposed), transposed.stride())
own = torch.full((2,), float(RANK))
print(describe_value(from_torch(own, line, [Shard(0)], src_data_rank=None)),
    describe_value(from_torch(own, line, [R], src_data_rank=2)))
print(describe_value(from_torch(torch.ones(8), line, [Partial()])),
    describe_value(from_torch(torch.ones(8), line, [Partial("max")])))
for name in ("ones", "zeros"):
    print(describe_value(getattr(tensor, name)(7, 5, device_mesh=grid, placements=[Shard(0), Shard(1)])))
print(describe_value(tensor.full((7, 5), 3.0, device_mesh=grid, placements=[Shard(0), Shard(0)], requires_grad=True)))
print(tensor.empty((7, 5), dtype=torch.int64, device_mesh=line).dtype)
part = tensor.DeviceMesh("cpu", [1, 3])
print(describe_value(from_torch(torch.arange(4.0), part, [Shard(0)])))
"""
    + LEAVE
)


def test_pieces_and_redistribution_of_four_ranks(oracle):
    assert_same_on_ranks(PIECES, world_size=4, timeout=240)


ERRORS = (
    NAMES
    + """
line = tensor.init_device_mesh("cpu", (2,))
grid = tensor.init_device_mesh("cpu", (2, 1))
x = from_torch(torch.arange(20.0).reshape(5, 4), line, [Shard(0)])
terms = from_torch(torch.ones(4, 4), line, [Partial()])
shown(lambda: x + torch.ones(5, 4))
shown(lambda: x.redistribute(placements=[Partial()]))
shown(lambda: x.redistribute())
shown(lambda: from_torch(x, line, [R]))
shown(lambda: from_torch(x, grid, [R, R]))
shown(lambda: from_torch(torch.ones(3), line, [R, R]))
shown(lambda: from_torch(torch.ones(3, requires_grad=True) * 2, line, [R]))
shown(lambda: DTensor.from_local(x, line))
shown(lambda: DTensor.from_local(torch.ones(3), line, [Shard(1)]))
shown(lambda: DTensor.from_local(torch.ones(3), line, [Shard(0)], shape=(5,)))
shown(lambda: tensor.ones(3, device_mesh=grid, placements=[Shard(0)]))
shown(lambda: tensor.ones(3))
shown(lambda: tensor.ones((3,), layout=torch.sparse_coo, device_mesh=line))
shown(lambda: x + from_torch(torch.ones(5, 4), grid, [Shard(0), R]))
shown(lambda: terms.add_(1))
shown(lambda: DTensor.from_local(torch.ones(2), grid, [Partial("max"), Partial("max")]).placements)
shown(lambda: torch.cdist(x, x))
shown(lambda: x.item())
shown(lambda: tensor.distribute_module(tensor.distribute_module(nn.Linear(2, 2), line), line).weight.placements)
with line:
    print(describe_value(from_torch(torch.arange(4.0), placements=[Shard(0)])), tensor.zeros(2).placements)
shown(lambda: parallel.parallelize_module(nn.Linear(2, 2), line, None))
shown(lambda: parallel.parallelize_module(nn.Linear(2, 2), line, 3))
shown(lambda: parallel.parallelize_module(nn.ReLU(), line, parallel.ColwiseParallel()))
shown(lambda: parallel.parallelize_module(nn.ReLU(), line, parallel.RowwiseParallel()))
shown(lambda: parallel.parallelize_module(nn.Sequential(nn.ReLU()), line, {"zz": parallel.ColwiseParallel()}))
for style in (
    parallel.ColwiseParallel(), parallel.RowwiseParallel(output_layouts=Shard(1)), parallel.SequenceParallel(),
    parallel.PrepareModuleInput(input_layouts=Shard(0), desired_input_layouts=R),
    parallel.PrepareModuleOutput(output_layouts=Shard(0), desired_output_layouts=R),
    parallel.PrepareModuleInputOutput(output_layouts=Shard(0), desired_output_layouts=R),
):
    print(style)
shown(lambda: parallel.PrepareModuleInput(input_layouts=Shard(0)))
shown(lambda: parallel.PrepareModuleInput(input_layouts=(Shard(0), R), desired_input_layouts=(R,)))
shown(lambda: parallel.PrepareModuleOutput(output_layouts=(Shard(0), R), desired_output_layouts=(R,)))
shown(lambda: parallel.parallelize_module(nn.LayerNorm(8), line, parallel.SequenceParallel())(3))
add = experimental.local_map(lambda a, b: a + b, out_placements=[Shard(0)], in_placements=([Shard(0)], [Shard(0)]))
shown(lambda: add(x, x).placements)
shown(lambda: add(x, x.redistribute(placements=[Shard(1)])))
shown(lambda: experimental.local_map(lambda a: 3, out_placements=([Shard(0)],), in_placements=([Shard(0)],))(x))
with experimental.implicit_replication():
    print(describe_value(x + torch.ones(5, 4)))
"""
    + LEAVE
)


def test_errors_warnings_and_texts(oracle):
    assert_same_on_ranks(ERRORS, timeout=240)


# The placements of the results and of the gradients of each operator, for all placements of its arguments.
OPERATORS = (
    NAMES
    + """
line = tensor.init_device_mesh("cpu", (WORLD_SIZE,))
torch.manual_seed(0)
close = functools.partial(torch.testing.assert_close, rtol=1e-4, atol=1e-5)

def compare_with_plain_tensors(name, function, *arguments, backward=True, skip=()):
    for placements in itertools.product(*[[R] + [Shard(dim) for dim in range(x.ndim)] for x in arguments]):
        shown_placements = " ".join(map(str, placements))
        if shown_placements in skip:
            continue
        plain = [x.clone().requires_grad_(backward and x.is_floating_point()) for x in arguments]
        placed = [from_torch(x.detach(), line, [p], src_data_rank=None) for x, p in zip(arguments, placements)]
        placed = [x.requires_grad_(y.requires_grad) for x, y in zip(placed, plain)]
        expected, results = function(*plain), function(*placed)
        several = isinstance(expected, (tuple, list))
        expected, results = (expected, results) if several else ([expected], [results])
        pairs = [(result.full_tensor(), other) for result, other in zip(results, expected)]
        line_text = f"{name} {shown_placements} -> {' '.join(str(r.placements) for r in results)}"
        line_text += str([(tuple(r.to_local().shape), r.stride()) for r in results])
        if backward and expected[0].requires_grad:
            for values in (expected, results):
                sum((v * v).sum() for v in values if v.is_floating_point()).backward()
            pairs += [(x.grad.full_tensor(), y.grad) for x, y in zip(placed, plain) if y.grad is not None]
            line_text += f" {[str(x.grad.placements) for x in placed if x.grad is not None]}"
        for found, wanted in pairs:
            close(found, wanted)
        assert all(r.stride() == e.stride() for r, e in zip(results, expected)), name
        print(line_text)

make = lambda *shape: torch.randn(*shape)
"""
)

SHARED_OPERATORS = """
compare_with_plain_tensors("sum", lambda x: x.sum(0), make(4, 6))
compare_with_plain_tensors("sum of all", lambda x: x.sum(), make(5, 6))
compare_with_plain_tensors("sum keeps", lambda x: x.sum(1, keepdim=True), make(4, 6))
compare_with_plain_tensors("mean", lambda x: x.mean(), make(4, 6))
compare_with_plain_tensors("mean of a dimension", lambda x: x.mean(0), make(5, 6))
compare_with_plain_tensors("max", lambda x: x.max(), make(4, 6))
compare_with_plain_tensors("amax", lambda x: x.amax(0), make(4, 6))
compare_with_plain_tensors("norm", lambda x: x.norm(), make(4, 6))
compare_with_plain_tensors("norm of a dimension", lambda x: x.norm(1, dim=0), make(4, 6))
compare_with_plain_tensors("prod", lambda x: x.prod(0), make(4, 6), backward=False)
compare_with_plain_tensors("all", lambda x: (x > 0).all(), make(4, 6), backward=False)
compare_with_plain_tensors("any", lambda x: (x > 0).any(0), make(4, 6), backward=False)
compare_with_plain_tensors("mm", lambda x, y: x @ y, make(4, 6), make(6, 8))
compare_with_plain_tensors("mm of uneven pieces", lambda x, y: x @ y, make(3, 5), make(5, 7))
compare_with_plain_tensors("addmm", torch.addmm, make(8), make(4, 6), make(6, 8))
compare_with_plain_tensors("bmm", torch.bmm, make(4, 2, 6), make(4, 6, 2))
compare_with_plain_tensors("mv", torch.mv, make(4, 6), make(6))
compare_with_plain_tensors("dot", torch.dot, make(4), make(4))
compare_with_plain_tensors("linear", lambda x: F.linear(x, x[0]), make(2, 4, 6), skip=("S(0)", "S(1)", "S(2)"))
compare_with_plain_tensors("add", lambda x, y: x + y, make(4, 6), make(4, 6))
compare_with_plain_tensors("broadcast", lambda x, y: x * y, make(4, 6), make(6))
compare_with_plain_tensors("broadcast of one", lambda x, y: x * y, make(4, 6), make(4, 1))
compare_with_plain_tensors("where", lambda x, y: torch.where(x > 0, x, y), make(4, 6), make(4, 6))
compare_with_plain_tensors("gelu", F.gelu, make(4, 6))
compare_with_plain_tensors("softmax", lambda x: F.softmax(x, -1), make(4, 6))
compare_with_plain_tensors("cumsum", lambda x: x.cumsum(0), make(4, 6))
compare_with_plain_tensors("sort", lambda x: x.sort(1)[0], make(4, 6))
compare_with_plain_tensors("topk", lambda x: x.topk(2)[0], make(4, 6))
compare_with_plain_tensors("t", lambda x: x.t(), make(4, 6))
compare_with_plain_tensors("permute", lambda x: x.permute(2, 0, 1), make(2, 4, 6))
compare_with_plain_tensors("view", lambda x: x.view(8, 6), make(2, 4, 6), skip=("S(1)",))
compare_with_plain_tensors("reshape", lambda x: x.reshape(4, 2, 3), make(4, 6))
compare_with_plain_tensors("unsqueeze", lambda x: x.unsqueeze(1), make(4, 6))
compare_with_plain_tensors("select", lambda x: x[:, 1], make(5, 6))
compare_with_plain_tensors("slice", lambda x: x[1:3], make(4, 6))
compare_with_plain_tensors("split", lambda x: x.split(2), make(4, 6))
compare_with_plain_tensors("chunk", lambda x: x.chunk(3, 1), make(4, 6))
compare_with_plain_tensors("cat", lambda x, y: torch.cat([x, y]), make(4, 6), make(2, 6))
compare_with_plain_tensors("stack", lambda x, y: torch.stack([x, y], 1), make(4, 6), make(4, 6),
    skip=("S(0) S(1)", "S(1) S(0)"))
compare_with_plain_tensors("repeat", lambda x: x.repeat(2, 1), make(4, 6))
compare_with_plain_tensors("tril", lambda x: x.tril(), make(4, 6))
indices = torch.tensor([0, 3, 1, 1, 2, 0])
compare_with_plain_tensors("index_select", lambda x, i: x.index_select(0, i), make(4, 6), indices)
compare_with_plain_tensors("index", lambda x, i: x[i], make(4, 6), indices)
compare_with_plain_tensors("index of a column", lambda x, i: x[:, i], make(4, 6), indices)
compare_with_plain_tensors("gather", lambda x, i: x.gather(0, i), make(4, 6), indices[:2, None].repeat(1, 6))
compare_with_plain_tensors("masked_fill", lambda x: x.masked_fill(x > 0, 0.0), make(4, 6))
compare_with_plain_tensors("layer_norm", lambda x, w, b: F.layer_norm(x, (6,), w, b), make(2, 4, 6), make(6), make(6))
targets, follows = torch.tensor([1, 2, 0, 3]), ("R S(0)", "S(1) S(0)")  # torch follows the scores, we the targets
compare_with_plain_tensors("cross_entropy", lambda x, t: F.cross_entropy(x, t, reduction="sum"), make(4, 6),
    targets, skip=follows)
compare_with_plain_tensors("losses", lambda x, t: F.cross_entropy(x, t, reduction="none"), make(4, 6), targets,
    skip=follows)
compare_with_plain_tensors("l1_loss", F.l1_loss, make(4, 6), make(4, 6))
compare_with_plain_tensors("contiguous", lambda x: x.t().contiguous(), make(4, 6))
compare_with_plain_tensors("to", lambda x: x.to(torch.float64), make(4, 6))
compare_with_plain_tensors("factories", lambda x: torch.zeros_like(x) + x.new_ones(4, 6) + x.new_zeros(6),
    make(4, 6), backward=False)
"""


def test_operators_choose_the_placements_of_torch(oracle):
    assert_same_on_ranks(OPERATORS + SHARED_OPERATORS, timeout=300)


# Operators that torch refuses for DTensors, or computes wrongly (the mean of losses of uneven pieces). The expected
# values are those of plain tensors.
OWN_OPERATORS = """
compare_with_plain_tensors("mean of losses", F.mse_loss, make(5, 6), make(5, 6))
compare_with_plain_tensors("mean without ignored targets", F.cross_entropy, make(4, 6), torch.tensor([1, -100, 0, 3]))
compare_with_plain_tensors("attention", lambda q: F.scaled_dot_product_attention(q, q * 2, q + 1, is_causal=True),
    make(2, 2, 4, 8))
compare_with_plain_tensors("embedding", F.embedding, torch.tensor([[1, 4], [0, 2], [3, 3], [1, 0]]), make(5, 6))
compare_with_plain_tensors("group_norm", lambda x: F.group_norm(x, 2), make(2, 4, 5))
compare_with_plain_tensors("max_pool2d", lambda x: F.max_pool2d(x, 2), make(2, 2, 4, 4))
compare_with_plain_tensors("conv2d", lambda x, w: F.conv2d(x, w), make(2, 2, 5, 5), make(4, 2, 3, 3))
compare_with_plain_tensors("uneven flatten", lambda x: x.flatten(0, 1), make(3, 4, 2))
compare_with_plain_tensors("strided view", lambda x: x.view(-1), make(2, 6))
compare_with_plain_tensors("unbind", lambda x: x.unbind(0), make(4, 6))
compare_with_plain_tensors("squeeze", lambda x: x.squeeze(), make(2, 1, 4))
compare_with_plain_tensors("expand", lambda x: x.expand(4, 6), make(4, 1))
torch.manual_seed(3)
expected = torch.randn(5, 4)
for placement in (R, Shard(0), Shard(1)):
    torch.manual_seed(3)
    random = tensor.randn(5, 4, device_mesh=line, placements=[placement])
    assert torch.equal(random.full_tensor(), expected) and random.placements == (placement,)
print("done")
"""


def test_operators_that_torch_refuses_have_the_values_of_plain_tensors():
    for lines in run_script_on_ranks(OPERATORS + OWN_OPERATORS, timeout=240):
        assert lines[-1] == "done"


TRAINING = (
    NAMES
    + """
line = tensor.init_device_mesh("cpu", (WORLD_SIZE,))
Colwise, Rowwise, Sequence = parallel.ColwiseParallel, parallel.RowwiseParallel, parallel.SequenceParallel

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down, self.norm = nn.Linear(4, 8), nn.Linear(8, 4), nn.LayerNorm(4)

    def forward(self, x):
        return self.norm(self.down(F.relu(self.up(x))))

torch.manual_seed(0)
base, x = Block(), torch.randn(2, 4, 4)
both = parallel.PrepareModuleInputOutput(input_layouts=R, desired_input_layouts=R, use_local_input=True,
                                         output_layouts=R, desired_output_layouts=R)
plans = (
    {"up": Colwise(), "down": Rowwise()},
    {"up": Colwise(input_layouts=Shard(1)), "down": Rowwise(output_layouts=Shard(1)),
     "norm": Sequence(use_local_output=True)},
    {"u*": Colwise(use_local_output=False), "down": Rowwise(use_local_output=False), "norm": both},
)
for number, plan in enumerate(plans):
    model = parallel.parallelize_module(copy.deepcopy(base), line, plan)
    given = x.chunk(WORLD_SIZE, 1)[RANK] if number == 1 else x
    split = [p for p in model.parameters() if isinstance(p, DTensor)]
    make = (torch.optim.AdamW, functools.partial(torch.optim.SGD, momentum=0.9))[number % 2]
    optimizer = make(split, 0.01, foreach=number == 0)
    for step in range(2):
        out = model(given)
        out.pow(2).sum().backward()
        print({name: describe_value(p.grad) for name, p in model.named_parameters()}, describe_value(out))
        print(describe_value(nn.utils.clip_grad_norm_(split, 1.0).full_tensor()))
        optimizer.step()
        optimizer.zero_grad()
    print({name: describe_value(p) for name, p in model.named_parameters()})
indices = torch.tensor([[1, 7], [3, 4]])
for style in (Rowwise(), Colwise(output_layouts=R), Rowwise(output_layouts=Shard(0))):
    table = parallel.parallelize_module(nn.Embedding(8, 4), line, style)
    out = table(indices)
    out.sum().backward()
    print(describe_value(table.weight), describe_value(out), describe_value(table.weight.grad.full_tensor()))
scores, targets = torch.randn(4, 8), torch.tensor([1, 7, 2, 3])
for reduction in ("mean", "sum", "none"):
    for weight in (None, torch.rand(8)):
        split = from_torch(scores, line, [Shard(1)]).requires_grad_()
        with parallel.loss_parallel():
            given = weight if weight is None else from_torch(weight, line, [R])
            loss = F.cross_entropy(split, from_torch(targets, line, [R]), given, reduction=reduction)
            loss.sum().backward()
        print(describe_value(loss), describe_value(split.grad))
add = experimental.local_map(lambda a, b: a + b, out_placements=[Shard(0)], in_placements=([Shard(0)], [Shard(0)]),
                             redistribute_inputs=True)
print(describe_value(add(from_torch(scores, line, [Shard(0)]), from_torch(scores, line, [Shard(1)]))))
module = tensor.distribute_module(
    Block(), line, None, lambda module, given, mesh: (from_torch(given[0], mesh, [Shard(0)]),),
    lambda module, out, mesh: out.to_local())
print(describe_value(module(x)), {name: p.placements for name, p in module.named_parameters()})
print(type(copy.deepcopy(module).up.weight) is DTensor, module.up.weight.requires_grad)
file = io.BytesIO()
torch.save(module.state_dict(), file)
file.seek(0)
loaded = torch.load(file)["up.weight"]
print(describe_value(loaded), loaded.device_mesh == line)
for to_local in (False, True):
    leaf = from_torch(torch.arange(12.0).reshape(4, 3), line, [Shard(0)]).requires_grad_()
    moved = leaf.redistribute(placements=[R])
    (moved.to_local().pow(2).sum() if to_local else (moved * moved).sum()).backward()
    print(describe_value(leaf.grad))
piece = torch.full((2, 3), RANK + 1.0, requires_grad=True)
(DTensor.from_local(piece, line, [Partial()]).redistribute(placements=[Shard(0)]) ** 2).sum().backward()
print(describe_value(piece.grad))
leaf = from_torch(torch.arange(12.0).reshape(4, 3), line, [Shard(0)]).requires_grad_()
leaf.full_tensor(grad_placements=[Partial()]).sum().backward()
print(describe_value(leaf.grad))
"""
)


def test_split_models_train_as_in_torch(oracle):
    assert_same_on_ranks(TRAINING, timeout=240)


def test_checkpoints_reshard_and_are_read_by_torch(oracle, tmp_path):
    script = (
        NAMES
        + f"""
checkpoint, state = load("checkpoint"), load("checkpoint.state_dict")
line = tensor.init_device_mesh("cpu", (4,))
grid = tensor.init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b"))
x, folder = torch.arange(35.0).reshape(7, 5), {str(tmp_path)!r}
names = ("us", "torch") if "mindtorch" in torch.__name__ else ("torch", "us")
mine, other = [os.path.join(folder, name) for name in names]
saved = {{"a": from_torch(x, line, [Shard(0)]), "b": from_torch(x + 100, line, [Shard(1)]),
         "c": from_torch(x + 200, grid, [Shard(0), Shard(1)]), "d": from_torch(x, line, [R]), "e": x}}
checkpoint.save(saved, checkpoint_id=mine)
empty = lambda mesh, *placements: from_torch(torch.zeros(7, 5), mesh, list(placements))
for source in (mine, other) if os.path.exists(other) else (mine,):
    loaded = {{"a": empty(line, Shard(1)), "b": empty(grid, Shard(1), Shard(0)), "c": empty(line, R),
              "d": empty(grid, Shard(0), Shard(0)), "e": empty(line, Shard(0))}}
    checkpoint.load(loaded, checkpoint_id=source)
    print([describe_value(value) for value in loaded.values()] if source is mine else "")
    for key, offset in (("a", 0), ("b", 100), ("c", 200), ("d", 0), ("e", 0)):
        assert torch.equal(loaded[key].full_tensor(), x + offset), (source, key)
described = checkpoint.FileSystemReader(mine).read_metadata().state_dict_metadata
print({{key: [(tuple(c.offsets), tuple(c.sizes)) for c in value.chunks] for key, value in described.items()}})
torch.manual_seed(0)
model = parallel.parallelize_module(nn.Linear(5, 7), line, parallel.ColwiseParallel(use_local_output=False))
optimizer = torch.optim.AdamW(model.parameters(), 0.1)
model(torch.ones(2, 5)).full_tensor().sum().backward()
optimizer.step()
whole, moments = state.get_state_dict(model, optimizer, options=state.StateDictOptions(full_state_dict=True))
print({{key: describe_value(value) for key, value in whole.items()}},
    type(moments["state"]["weight"]["exp_avg"]) is torch.Tensor)
state.set_state_dict(model, optimizer, model_state_dict={{key: value * 2 for key, value in whole.items()}},
                     optim_state_dict=moments, options=state.StateDictOptions(full_state_dict=True))
print(describe_value(model.weight), describe_value(optimizer.state[model.weight]["exp_avg"]))
"""
        + LEAVE
    )
    theirs = run_script_on_ranks(script, 4, "torch", timeout=240)
    ours = run_script_on_ranks(script, 4, timeout=240)  # also reads torch's checkpoint
    assert [[line for line in lines if line] for lines in ours] == theirs
