"""Collectives with gradients, Join and ZeroRedundancyOptimizer match real torch, in two processes."""

import pytest
from distributed_ranks import run_sections_on_ranks

NAMES = """
from importlib import import_module
nn, DDP = torch.nn, torch.nn.parallel.DistributedDataParallel
F = import_module(torch.__name__ + ".distributed.nn.functional")
Zero = import_module(torch.__name__ + ".distributed.optim").ZeroRedundancyOptimizer
algorithms = import_module(torch.__name__ + ".distributed.algorithms.join")
join()
torch.set_num_threads(1)
x = (torch.arange(4.0) + 10 * RANK).requires_grad_()
weights = torch.arange(4.0) * (RANK + 1)

def call_and_differentiate(function):
    x.grad = None
    outputs = function()
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    sum((output * weights).sum() * (place + 1) for place, output in enumerate(outputs)).backward()
    return [output.tolist() for output in outputs], outputs[0].grad_fn.name(), x.grad.tolist()

class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.b(self.a(x).relu())

def train(module, optimizer, passes=3):
    for step in range(passes):
        optimizer.zero_grad()
        module(torch.ones(5, 3) * (step + RANK) / 7).pow(2).mean().backward()
        optimizer.step()

def sum_and_round(tensors):
    return [round(t.double().sum().item(), 3) if torch.is_tensor(t) else t for t in tensors]
"""

SECTIONS = {
    "collectives have gradients": """
shown(call_and_differentiate, lambda: F.all_reduce(x))
shown(call_and_differentiate, lambda: F.all_reduce(x, op=dist.ReduceOp.MAX))
shown(call_and_differentiate, lambda: F.broadcast(x * 1, 1))
shown(call_and_differentiate, lambda: F.gather(x, 1))
shown(call_and_differentiate, lambda: F.scatter([x, 2 * x], 0))
if RANK == 1:
    shown(call_and_differentiate, lambda: F.reduce(x, 1))
else:
    call_and_differentiate(lambda: F.reduce(x, 1))
shown(call_and_differentiate, lambda: F.reduce_scatter(torch.empty(4), [x, 2 * x]))
shown(call_and_differentiate, lambda: F.all_gather(x))
shown(call_and_differentiate, lambda: F.all_to_all([torch.empty(4), torch.empty(4)], [x, 2 * x]))
shown(call_and_differentiate, lambda: F.all_to_all_single(torch.empty(4), x))
splits = [3, 1] if RANK else [1, 3]
shown(call_and_differentiate, lambda: F.all_to_all_single(torch.empty(4), x, splits, splits))
shown(lambda: F._all_gather_base(torch.empty(8), x).sum().backward())
shown(F.scatter, [torch.ones(2), torch.ones(3)])
""",
    "second derivatives go through all_reduce": """
y = F.all_reduce(x ** 3)
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
shown(lambda: torch.autograd.grad(first.sum(), x))
""",
    "each process keeps its share of the state": """
for view in (False, True):
    for kind, options in ((torch.optim.Adam, dict(lr=0.05)), (torch.optim.SGD, dict(lr=0.1, momentum=0.9))):
        module = DDP(Layers())
        optimizer = Zero(module.parameters(), kind, parameters_as_bucket_view=view, **options)
        train(module, optimizer)
        print(sum_and_round(module.parameters()), [len(group["params"]) for group in optimizer.optim.param_groups])
        shown(optimizer.state_dict)
        optimizer.consolidate_state_dict(0)
        if RANK == 0:
            state = optimizer.state_dict()
            sums = {index: sum_and_round(values.values()) for index, values in state["state"].items()}
            print(sums, state["param_groups"])
        states = [optimizer.state_dict() if RANK == 0 else None]
        dist.broadcast_object_list(states, 0)
        again = Zero(module.parameters(), kind, **options)
        again.load_state_dict(states[0])
        train(module, again, 2)
        print(sum_and_round(module.parameters()))
""",
    "parameter groups are shared out too": """
layers = nn.Sequential(*(nn.Linear(3, 3) for _ in range(3)))
optimizer = Zero(layers[0].parameters(), torch.optim.SGD, lr=0.1)
optimizer.add_param_group(dict(params=list(layers[1].parameters()), lr=0.2))
print([len(group["params"]) for group in optimizer.optim.param_groups], repr(optimizer))
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
layers(torch.ones(1, 3)).sum().backward()
shown(optimizer.step, lambda: 3.0)
scheduler.step()
print([group["lr"] for group in optimizer.param_groups])
""",
    "parameters may start to train": """
torch.manual_seed(RANK)
layers = nn.Linear(3, 3)
layers.weight.requires_grad_(False)
optimizer = Zero(layers.parameters(), torch.optim.SGD, lr=0.1, parameters_as_bucket_view=True)
layers(torch.ones(1, 3)).sum().backward()
optimizer.step()
layers.weight.requires_grad_(True)
layers(torch.ones(1, 3)).sum().backward()
optimizer.step()
print(sum_and_round(layers.parameters()))
""",
    "parameters are checked": """
one = nn.Parameter(torch.ones(2))
for params in ([], torch.ones(2), 3, [{"a": 3}], [one, {}], [one, nn.Parameter(torch.ones(2).double())]):
    shown(Zero, params, torch.optim.SGD, lr=0.1)
""",
    "modules and optimizers are joined": """
module = DDP(Layers())
optimizer = Zero(module.parameters(), torch.optim.Adam, lr=0.05)
with algorithms.Join([module, optimizer]):
    train(module, optimizer, 2 + RANK)
print(sum_and_round(module.parameters()))
shown(algorithms.Join, [])
shown(algorithms.Join.notify_join_context, dist)

class Counter(algorithms.Joinable):
    def __init__(self):
        super().__init__()
        self.total = 0

    def add(self):
        algorithms.Join.notify_join_context(self)
        one = torch.ones(1)
        dist.all_reduce(one)
        self.total += one.item()

    def join_hook(self, **options):
        class Hook(algorithms.JoinHook):
            def main_hook(hook):
                dist.all_reduce(torch.zeros(1))

            def post_hook(hook, is_last_joiner):
                print(is_last_joiner, options)
        return Hook()

    join_device = property(lambda self: torch.device("cpu"))
    join_process_group = property(lambda self: dist.group.WORLD)

counter = Counter()
with algorithms.Join([counter], scale=2):
    for _ in range(2 + RANK):
        counter.add()
print(counter.total)
shown(algorithms.Joinable)
""",
}


@pytest.fixture(scope="module")
def output_of_ranks():
    """The output of each section on each rank, of both libraries."""
    return run_sections_on_ranks(NAMES, SECTIONS)


@pytest.mark.parametrize("section", SECTIONS)
def test_section_prints_what_torch_prints(output_of_ranks, section):
    ours, theirs = output_of_ranks[section]
    assert ours == theirs
