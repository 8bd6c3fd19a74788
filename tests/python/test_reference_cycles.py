"""Tensors are freed when the last name of theirs goes: no call leaves one in a cycle, to the garbage collector."""

import gc

import pytest

CALLS = {
    "a pytree is flattened": "torch.utils._pytree.tree_flatten({'a': [torch.ones(2), (torch.ones(3),)]})",
    "a pytree is mapped": "torch.utils._pytree.tree_map(lambda t: t + 1, [torch.ones(2), {'b': torch.ones(1)}])",
    "a pytree follows a spec": """
spec = torch.utils._pytree.tree_flatten([0, (0, 0)])[1]
spec.flatten_up_to([torch.ones(1), (torch.ones(1), torch.ones(1))])
""",
    "an optimizer steps and loads its state": """
for kind in (torch.optim.AdamW, torch.optim.SGD, torch.optim.LBFGS, torch.optim.RMSprop):
    model = nn.Linear(3, 2)
    optimizer = kind(model.parameters(), lr=0.01)
    def closure():
        optimizer.zero_grad()
        loss = model(torch.ones(1, 3)).sum()
        loss.backward()
        return loss
    optimizer.step(closure)
    optimizer.load_state_dict(optimizer.state_dict())
    del closure
""",
    "a loss is scaled": """
scaler = torch.amp.GradScaler("cpu")
x = torch.ones(2, requires_grad=True)
[loss.sum().backward() for loss in scaler.scale([x * 2, (x * 3,)][:1])]
""",
    "gradients of functions": """
f = lambda x: (x * x).sum()
x = torch.ones(3)
torch.func.grad(f)(x), torch.func.hessian(f)(x), torch.func.jacrev(f)(x), torch.func.vmap(f)(torch.ones(2, 3))
torch.func.vjp(f, x)[1](torch.ones(())), torch.func.jvp(f, (x,), (x,)), torch.func.linearize(f, x)[1](x)
torch.autograd.functional.hessian(f, x), torch.autograd.functional.jacobian(f, x)
""",
    "a graph with hooks": """
x = torch.ones(3, requires_grad=True)
y = (x * 2).exp()
y.register_hook(lambda g: g * 2)
y.grad_fn.register_hook(lambda a, b: None)
y.sum().backward()
""",
    "a module with hooks": """
model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU())
handles = [model.register_forward_hook(lambda m, a, o: None), model.register_full_backward_hook(lambda m, a, b: None)]
model(torch.ones(2, 3)).sum().backward()
[handle.remove() for handle in handles]
""",
    "functional_call and state dicts": """
model = nn.Linear(3, 3)
torch.func.functional_call(model, dict(model.named_parameters()), (torch.ones(2, 3),))
model.load_state_dict(model.state_dict())
""",
    "a checkpointed segment": """
model = nn.Linear(3, 3)
for reentrant in (True, False):
    x = torch.ones(2, 3, requires_grad=True)
    torch.utils.checkpoint.checkpoint(model, x, use_reentrant=reentrant).sum().backward()
""",
    "a Function": """
class Square(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x):
        return x * x
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]
    @staticmethod
    def jvp(ctx, tangent):
        return 2 * tangent * ctx.saved_tensors[0]
x = torch.ones(2, requires_grad=True)
Square.apply(x).sum().backward()
with torch.autograd.forward_ad.dual_level():
    Square.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))
torch.func.vmap(Square.apply)(torch.ones(3, 2))
del Square
""",
    "masked tensors": """
a = torch.masked.masked_tensor(torch.ones(3), torch.tensor([True, False, True]))
torch.cat([a + a, a * 2]), a.sum()
""",
    "nested tensors": """
a = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
b = nn.functional.softmax(a * 2, -1).unbind()
""",
    "transformer layers": """
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
layer(torch.ones(1, 3, 8)).sum().backward()
nn.LSTM(3, 4, 2)(torch.ones(2, 1, 3))[0].sum().backward()
""",
    "parametrized modules": """
layer = torch.nn.utils.parametrizations.weight_norm(nn.Linear(3, 3))
layer(torch.ones(1, 3)).sum().backward()
torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")
torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
""",
    "files": """
import io
file = io.BytesIO()
torch.save({"a": torch.ones(3), "b": [torch.ones(2)]}, file)
file.seek(0)
torch.load(file)
""",
    "a data loader": """
data = torch.utils.data.TensorDataset(torch.ones(6, 2))
list(torch.utils.data.DataLoader(data, batch_size=2, shuffle=True))
""",
    "modes": """
class Counting(torch.utils._python_dispatch.TorchDispatchMode):
    calls = 0
    def __torch_dispatch__(self, operator, kinds, given=(), options=None):
        self.calls += 1
        return operator(*given, **(options or {}))
with Counting():
    (torch.ones(2) * 2).sum()
del Counting
""",
    "autocast": """
with torch.autocast("cpu", dtype=torch.bfloat16):
    nn.Linear(3, 3)(torch.ones(2, 3)).sum().backward()
""",
    "averaged models and schedules": """
model = nn.Linear(2, 2)
average = torch.optim.swa_utils.AveragedModel(model)
average.update_parameters(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.step()
torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5).step()
""",
    "distributions": """
d = torch.distributions
d.MixtureSameFamily(d.Categorical(torch.ones(2)), d.Normal(torch.zeros(2), torch.ones(2))).sample((2,))
d.TransformedDistribution(d.Normal(torch.zeros(2), torch.ones(2)), [d.ExpTransform()]).rsample()
""",
    "printing": "repr(torch.ones(3, 3)), str(torch.ones(2, requires_grad=True) * 2)",
}


def _find_garbage(mt, code):
    """Runs code with the garbage collector off; returns the tensors that only the collector would free."""
    exec(code, {"torch": mt, "nn": mt.nn})  # the first run imports modules and fills caches
    gc.collect()
    gc.disable()
    try:
        exec(code, names := {"torch": mt, "nn": mt.nn})
        names.clear()
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        return [tuple(found.shape) for found in gc.garbage if isinstance(found, mt.Tensor)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.parametrize("code", CALLS.values(), ids=CALLS)
def test_call_leaves_no_tensor_in_a_cycle(mt, code):
    """Closed form: reference counts alone free every tensor, so the collector finds none."""
    assert _find_garbage(mt, code) == []


def test_a_cycle_of_the_program_is_seen(mt):
    """The check itself finds a tensor that is in a cycle."""
    assert _find_garbage(mt, "cycle = [torch.ones(5)]; cycle.append(cycle)") == [(5,)]
