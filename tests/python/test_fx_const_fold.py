"""torch.fx.experimental.const_fold: what depends on no input is computed once."""

PROGRAM = """
import operator, warnings
import torch
from torch import nn
from torch.fx.experimental import const_fold

warnings.simplefilter("ignore")

class Several(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2) * 3)
        self.relu = nn.ReLU()
    def forward(self, x, y):
        twice, total = self.a + self.a.permute(1, 0), torch.sum(self.b, dim=0)
        return self.relu(x - twice) + y * total, twice, self.b + x

class One(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Module()
        self.inner.relu = nn.ReLU()
        self.a = nn.Parameter(torch.tensor([-1.0, 2.0]))
        self.register_buffer("n", torch.tensor([3, 4]))
    def forward(self, x):
        return x - self.inner.relu(self.a) * self.n

class Integers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.tensor([3, 4]))
    def forward(self, x):
        return x - self.n * 2

class Nothing(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(2))
    def forward(self, x):
        return x - self.a

def show(module, *inputs, **settings):
    folded = const_fold.split_const_subgraphs(module, **settings)
    print(sorted((node.op, node.op == "call_function" and node.target.__name__) for node in folded.graph.nodes))
    part = folded.const_subgraph_module
    print(folded.fx_const_folded_attrs_name, folded.has_folding_been_run, folded.device_for_folded_attrs, part is None)
    if part is not None:
        print(sorted(node.op for node in part.graph.nodes))
    print(folded(*inputs), module(*inputs), folded.has_folding_been_run)
    if part is not None:
        kept = getattr(folded, folded.fx_const_folded_attrs_name)
        print(type(kept).__name__, list(kept), kept.requires_grad if isinstance(kept, torch.Tensor) else None)
        try:
            folded.run_folding()
        except AssertionError as error:
            print(error)

show(Several(), torch.ones(2, 2), torch.ones(2))
show(One(), torch.ones(2))
show(Integers(), torch.ones(2))
show(One(), torch.ones(2), skip_folding_node_fn=lambda node: node.op == "call_module")
show(One(), torch.ones(2), skip_folding_node_fn=lambda node: True)
show(Nothing(), torch.ones(2))

traced = torch.fx.symbolic_trace(One())
for place, node in enumerate(traced.graph.nodes):
    node.meta["place"] = (node.op, place)
print([node.meta.get("place") for node in const_fold.split_const_subgraphs(traced).graph.nodes if node.op != "output"])

named = nn.Module()
named.q_9, named.r, named.z_ = 1, 2, 3
print([const_fold.get_unique_attr_name_in_module(named, name) for name in ("q_9", "r", "free", "a b", "9w", "z_")])
"""


def test_constant_parts_are_separated_and_computed_at_the_first_call(same_as_oracle):
    same_as_oracle(PROGRAM)
