"""torch.fx.passes and their shared helpers match real torch."""

import importlib

import pytest
from traced import MODULES, assert_same_trace, attention, linear_relu, trace_to_text


@pytest.mark.parametrize("module", MODULES)
def test_shapes_are_noted_as_torch_notes_them(mt, oracle, module):
    shape = {"linear_relu": (1, 2), "residual": (1, 3, 4, 4), "attention": (1, 5, 8)}[module.__name__]

    def propagate_shapes(torch, fx):
        shape_prop = importlib.import_module(f"{fx.__name__}.passes.shape_prop")
        traced = fx.symbolic_trace(module(torch).eval())
        shape_prop.ShapeProp(traced).propagate(torch.ones(shape))
        return [(node.name, node.meta.get("tensor_meta"), node.meta.get("type")) for node in traced.graph.nodes]

    assert_same_trace(mt, oracle, propagate_shapes)


def test_arguments_are_named_as_in_torch(mt, oracle):
    def normalise_arguments(torch, fx):
        schemas = importlib.import_module(f"{fx.__name__}.operator_schemas")
        net = linear_relu(torch)
        relu = torch.nn.functional.relu
        return [
            schemas.normalize_function(relu, (1,)),
            schemas.normalize_function(relu, (1,), {}, normalize_to_only_use_kwargs=True),
            schemas.normalize_module(net, "0", (3,)),
            schemas.normalize_module(net, "0", (3,), None, True),
        ]

    assert_same_trace(mt, oracle, normalise_arguments)


def test_a_pass_checks_before_and_after(mt):
    from mindtorch.fx.passes.infra.pass_base import PassBase, PassResult

    steps = []

    class Pass(PassBase):
        def requires(self, graph_module):
            steps.append("requires")

        def call(self, graph_module):
            steps.append("call")
            return PassResult(graph_module, False)

        def ensures(self, graph_module):
            steps.append("ensures")

    assert Pass()(None) == (None, False)
    assert steps == ["requires", "call", "ensures"]


def test_a_stable_sort_keeps_the_order_that_can_run(mt):
    import mindtorch.fx as fx
    from mindtorch.fx.passes.tools_common import get_node_target, stable_topological_sort

    module = fx.symbolic_trace(lambda x: (x + 1).relu() * 2 + x)
    first = next(iter(module.graph.nodes))
    first.next.append(first)
    assert [node.name for node in module.graph.nodes][:2] == ["add", "x"]
    stable_topological_sort(module)
    module.graph.lint()
    assert [node.name for node in module.graph.nodes] == ["x", "add", "relu", "mul", "add_1", "output"]
    assert module(mt.ones(1)).tolist() == [5.0]
    assert get_node_target({}, module.graph.find_nodes(op="call_method")[0]) == "relu"


@pytest.mark.parametrize(
    ("numbers", "options"),
    [
        ({"qkv": 0, "chunk": 0, "out": 2}, {}),
        ({"qkv": 2, "chunk": 2, "out": 0}, {"partition_affix": "part"}),
        ({"qkv": 0, "out": 1}, {"keep_original_node_name": True, "tuple_return": True}),
        ({"qkv": 0, "out": 1}, {"keep_original_input_name": False}),
        ({"qkv": 0, "chunk": 1, "softmax": 0}, {}),
    ],
)
def test_modules_are_split_as_torch_splits_them(mt, oracle, numbers, options):
    def split(torch, fx):
        split_module = importlib.import_module(f"{fx.__name__}.passes.split_module").split_module
        traced, paths = fx.symbolic_trace(attention(torch)), {}
        split = split_module(traced, traced, lambda node: numbers.get(node.name, 1), paths, **options)
        x = torch.ones(1, 5, 8)
        assert torch.equal(split(x), traced(x))
        return (
            trace_to_text(split),
            [trace_to_text(part) for part in split.children()],
            paths,
            sorted(split.state_dict()),
        )

    assert_same_trace(mt, oracle, split)


def test_readable_code_shows_shapes_and_submodules(mt, oracle):
    def print_readable(torch, fx):
        shape_prop = importlib.import_module(f"{fx.__name__}.passes.shape_prop")
        traced = fx.symbolic_trace(attention(torch))
        plain = traced.print_readable(print_output=False)
        shape_prop.ShapeProp(traced).propagate(torch.ones(1, 5, 8))
        outer = fx.Graph()
        outer.output(outer.call_module("inner", (outer.placeholder("x"),)))
        whole = fx.GraphModule({"inner": traced}, outer, "Outer")
        return plain, traced.print_readable(print_output=False), whole.print_readable(print_output=False)

    assert_same_trace(mt, oracle, print_readable)


IGNORED = {
    "random like": lambda torch: lambda x: (torch.rand_like(x), x)[1],
    "random overload": lambda torch: lambda x: (torch.ops.aten.rand_like.default(x), x)[1],
    "bernoulli": lambda torch: lambda x: (torch.bernoulli(x), x)[1],
    "in-place method": lambda torch: lambda x: (x.add_(1), x)[1],
    "in-place overload": lambda torch: lambda x: (torch.ops.aten.add_.Tensor(x, 1), x)[1],
    "pure overload": lambda torch: lambda x: (torch.ops.aten.add.Tensor(x, 1), x)[1],
    "assertion": lambda torch: lambda x: (torch._assert(x, "a"), x)[1],
    "dropout": lambda torch: lambda x: (torch.nn.functional.dropout(x), x)[1],
}


@pytest.mark.parametrize("program", IGNORED.values(), ids=IGNORED)
def test_dead_code_elimination_matches_torch(mt, oracle, program):
    def eliminate_dead_code(torch, fx):
        module = fx.symbolic_trace(program(torch))
        return module.graph.eliminate_dead_code(), module.graph

    assert_same_trace(mt, oracle, eliminate_dead_code)
