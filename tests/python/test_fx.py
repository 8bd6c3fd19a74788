"""torch.fx has the same graphs, code and errors as real torch, and the graphs run."""

import copy
import importlib
import math
import operator
import pickle
import re
import sys

import pytest
from traced import MODULES, assert_same_trace, attention, linear_relu, residual, scrub_addresses, trace_to_text


def make_arithmetic(torch):
    return lambda x, y: (
        x + 1,
        1 - x,
        x**2,
        2**x,
        -x,
        abs(x),
        x @ y,
        x // 2,
        ~x,
        x == y,
        x != 1,
        x < y,
        x >> 1,
        x & y,
        x[1:, ..., None],
        math.sqrt(x.sum()),
    )


def make_methods(torch):
    def call_methods(x: torch.Tensor, flag=True, z=(1, 2), d=None) -> torch.Tensor:
        a, b = x.split(2)
        shape = {"a": [a, b.shape[0]], "c": slice(None, 3)}
        return (
            x.foo(1, k=float("inf")),
            shape,
            x.dtype,
            torch.float32,
            torch.device("cpu"),
            x.T,
            float("nan"),
            b.size(0),
        )

    return call_methods


def make_starred_call(torch):
    def use_starred(x, *args, y: int = 3, **kw):
        return x + args[0] + kw["a"] + y

    return use_starred


def make_functions(torch):
    F = torch.nn.functional

    def call_functions(x):
        y = torch.cat([x, x], dim=1) + torch.ones(2)
        return F.relu(y, inplace=True), F.gelu(y), torch.conv2d(x, x), torch.fft.fft(x), torch.einsum("a,a", x, x)

    return call_functions


def make_inplace(torch):
    def write_in_place(x):
        x += 1
        x.add_(2)
        y = x.clone()
        return y.mul_(3), x

    return write_in_place


def make_unused_values(torch):
    def leave_values_unused(x):
        for i in range(3):
            x = x + i
            x * 2
        return x

    return leave_values_unused


def make_annotated(torch):
    def return_annotated(x: list[int], y: int | None = None) -> tuple[torch.Tensor, int]:
        return x[0], y

    return return_annotated


def make_overload_call(torch):
    return lambda x: torch.ops.aten.add.Tensor(x, 1)


def make_factories_of_sizes(torch):
    return lambda x: (torch.ones(x.shape[0]), torch.zeros((x.shape[0], 2)), torch.full_like(x, 3))


def make_indexed_constants(torch):
    return lambda x: torch.arange(4)[x]


@pytest.mark.parametrize(
    "program",
    [
        make_arithmetic,
        make_methods,
        make_starred_call,
        make_functions,
        make_inplace,
        make_unused_values,
        make_annotated,
        make_overload_call,
    ]
    + [make_factories_of_sizes, make_indexed_constants],
)
def test_functions_give_the_same_graph_and_code(mt, oracle, program):
    assert_same_trace(mt, oracle, lambda torch, fx: trace_to_text(fx.symbolic_trace(program(torch))))


@pytest.mark.parametrize("module", MODULES)
def test_modules_give_the_same_graph_and_code(mt, oracle, module):
    assert_same_trace(mt, oracle, lambda torch, fx: trace_to_text(fx.symbolic_trace(module(torch))))


@pytest.mark.parametrize(
    "concrete",
    [
        lambda fx: {"y": 3},
        lambda fx: {"y": None},
        lambda fx: {"y": True},
        lambda fx: {"y": {"a": fx.PH, "b": [fx.PH, 3]}},
        lambda fx: (fx.PH, 3),
        lambda fx: (3,),
    ],
)
def test_concrete_arguments_are_specialised_as_in_torch(mt, oracle, concrete):
    def trace_concrete(torch, fx):
        traced = fx.symbolic_trace(lambda x, y: (x, y) if y is None else (x + 1, y), concrete_args=concrete(fx))
        return trace_to_text(traced)

    assert_same_trace(mt, oracle, trace_concrete)


def test_nested_arguments_are_taken_apart_and_put_together(mt, oracle):
    def trace_nested(torch, fx):
        traced = fx.symbolic_trace(lambda x, y: {"s": x + y["a"]}, concrete_args={"y": {"a": fx.PH, "b": fx.PH}})
        return traced(torch.ones(2), {"a": torch.ones(2), "b": 3})["s"].tolist()

    assert assert_same_trace(mt, oracle, trace_nested) == "[2.0, 2.0]"


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x if x else 1,
        lambda x: [a for a in x],
        lambda x: range(x),
        lambda x: len(x),
        lambda x: int(x),
        lambda x: float(x),
        lambda x: 3 in x,
        lambda x: dict(**x),
        lambda x: object(),
        lambda x: x + object(),
        lambda x: {x: x},
        lambda x: operator.setitem(x, 0, 1),
        operator.add,
    ],
)
def test_tracing_errors_match_torch(mt, oracle, program):
    assert_same_trace(mt, oracle, lambda torch, fx: trace_to_text(fx.symbolic_trace(program)))


def make_graph_of_relu(torch, fx):
    graph = fx.Graph()
    x = graph.placeholder("x")
    return graph, x, graph.call_function(torch.relu, (x,))


REFUSED = {
    "erasing a used node": lambda g, x, r, other, torch: g.erase_node(x),
    "erasing another graph's node": lambda g, x, r, other, torch: other.erase_node(r),
    "unknown op": lambda g, x, r, other, torch: g.create_node("foo", "x"),
    "a string for a function": lambda g, x, r, other, torch: g.call_function("x"),
    "a function for a method": lambda g, x, r, other, torch: g.call_method(torch.relu),
    "args that are no tuple": lambda g, x, r, other, torch: g.call_function(torch.relu, 3),
    "kwargs that are no dict": lambda g, x, r, other, torch: g.call_function(torch.relu, (x,), 3),
    "insertion before another graph's node": lambda g, x, r, other, torch: other.inserting_before(x),
    "insertion after another graph's node": lambda g, x, r, other, torch: other.inserting_after(x),
    "an output that is none": lambda g, x, r, other, torch: g.output_node(),
    "moving to another graph": lambda g, x, r, other, torch: x.append(other.placeholder("y")),
    "changing a list of arguments": lambda g, x, r, other, torch: g.call_function(torch.cat, ([x],)).args[0].append(3),
    "changing named arguments": lambda g, x, r, other, torch: x.kwargs.update(a=3),
    "an argument after the last": lambda g, x, r, other, torch: x.insert_arg(9, 3),
    "functions without a target": lambda g, x, r, other, torch: g.find_nodes(op="call_function"),
    "an argument of another graph": lambda g, x, r, other, torch: (other.call_function(torch.relu, (x,)), other.lint()),
    "an argument before its definition": lambda g, x, r, other, torch: (r.append(x), g.lint()),
}


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_invalid_graph_changes_raise_torchs_errors(mt, oracle, change):
    def change_graph(torch, fx):
        graph, x, relu = make_graph_of_relu(torch, fx)
        return change(graph, x, relu, fx.Graph(), torch)

    assert "Error: " in assert_same_trace(mt, oracle, change_graph)


def test_a_graph_can_be_built_and_changed_by_hand(mt, oracle):
    def build_graph(torch, fx):
        graph, x, relu = make_graph_of_relu(torch, fx)
        graph.output(relu)
        with graph.inserting_before(relu):
            doubled = graph.call_function(operator.mul, (x, 2))
        relu.replace_all_uses_with(doubled)
        doubled.args = (x, 3)
        with graph.inserting_after(doubled):
            shifted = graph.call_method("add", (doubled,), {"alpha": 2, "other": 1})
        doubled.replace_all_uses_with(shifted, delete_user_cb=lambda user: user is not shifted)
        dead = graph.eliminate_dead_code()
        graph.lint()
        order = (x < doubled, shifted > doubled, doubled.next is shifted, x.users, shifted.all_input_nodes)
        module = fx.GraphModule({}, graph)
        found = graph.find_nodes(op="call_method", target="add")
        return trace_to_text(module), dead, order, found, module(torch.ones(2)).tolist(), len(graph.nodes)

    assert_same_trace(mt, oracle, build_graph)


def test_names_are_unique_and_shadow_nothing(mt, oracle):
    def name_nodes(torch, fx):
        graph = fx.Graph()
        wishes = ["x", "x", "x_3", "x", "input", "1a", "a.b", "", "for", "HelloWorld", "inf", "torch", "x_3"]
        return [graph.placeholder(wish).name for wish in wishes], graph.call_function(torch.nn.functional.relu).name

    assert_same_trace(mt, oracle, name_nodes)


def test_code_can_be_transformed_while_it_is_made(mt, oracle):
    def transform_code(torch, fx):
        module = fx.symbolic_trace(lambda x: x + 1)
        with module.graph.on_generate_code(
            lambda former: lambda body: ["y = 5\n", *(former(body) if former else body)]
        ):
            module.recompile()
            changed = module.code
        module.recompile()
        return re.sub(r" *# COUNTER.*\n", "", changed), module.code

    assert_same_trace(mt, oracle, transform_code)


@pytest.mark.parametrize("module", MODULES)
def test_interpreter_transformer_copy_and_pickle_give_the_modules_values(mt, module):
    import mindtorch.fx as fx

    shape = {"linear_relu": (1, 2), "residual": (1, 3, 4, 4), "attention": (1, 5, 8)}[module.__name__]
    net = module(mt).eval()
    x = mt.randn(*shape)
    expected = net(x)
    expected = expected["logits"] if isinstance(expected, dict) else expected
    traced = fx.symbolic_trace(net)
    results = [
        traced(x),
        fx.Interpreter(traced).run(x),
        fx.Transformer(traced).transform()(x),
        copy.deepcopy(traced)(x),
        pickle.loads(pickle.dumps(traced))(x),
        fx.symbolic_trace(traced)(x),
    ]
    for result in results:
        result = result["logits"] if isinstance(result, dict) else result
        assert mt.equal(result, expected)
    used = {name for name in net.state_dict() if "num_batches" not in name}
    assert used <= set(traced.state_dict())


def test_a_pickled_module_has_the_same_code(mt):
    import mindtorch.fx as fx

    traced = fx.symbolic_trace(attention(mt))
    again = pickle.loads(pickle.dumps(traced))
    assert again.code == traced.code
    assert str(again.graph) == str(traced.graph)


def test_interpreter_errors_name_the_node(mt, oracle):
    def run_without_arguments(torch, fx):
        return fx.Interpreter(fx.symbolic_trace(lambda x: x + 1)).run()

    assert_same_trace(mt, oracle, run_without_arguments)


def test_submodules_are_added_and_deleted(mt, oracle):
    def add_and_delete_submodules(torch, fx):
        module = fx.symbolic_trace(linear_relu(torch))
        steps = [module.add_submodule("a.b.c", torch.nn.ReLU()), module.delete_submodule("a.b.x")]
        steps += [module.delete_submodule("1.weight"), sorted(name for name, _ in module.named_modules())]
        module.delete_all_unused_submodules()
        return steps, sorted(name for name, _ in module.named_modules())

    assert_same_trace(mt, oracle, add_and_delete_submodules)


REPLACEMENTS = {
    "two adds": (lambda x, y: (x + y) + (x + 1) + y, lambda a, b: a + b, lambda a, b: a * b),
    "a chain": (lambda x, y: (x.relu().relu(), y), lambda a: a.relu(), lambda a: a.neg().exp()),
    "nothing": (lambda x, y: x - y, lambda a, b: a + b, lambda a, b: a * b),
    "a literal": (lambda x, y: (x + 1, y + 2), lambda a: a + 1, lambda a: a - 1),
    "two results": (lambda x, y: (x.sin(), x.cos(), y), lambda a: (a.sin(), a.cos()), lambda a: (a.tan(), a.exp())),
    "a value used outside": (lambda x, y: (x.sin().cos(), x.sin()), lambda a: a.sin().cos(), lambda a: a.exp()),
}


@pytest.mark.parametrize("case", REPLACEMENTS.values(), ids=REPLACEMENTS)
def test_patterns_are_replaced_where_torch_replaces_them(mt, oracle, case):
    def replace_patterns(torch, fx):
        module = fx.symbolic_trace(case[0])
        matches = fx.replace_pattern(module, case[1], case[2])
        module.graph.lint()
        return trace_to_text(module), [(match.anchor, match.nodes_map) for match in matches]

    assert_same_trace(mt, oracle, replace_patterns)


def test_wrapped_functions_are_one_call_in_the_graph(oracle, mt, tmp_path, monkeypatch):
    source = (
        "import {root}.fx as fx\n\n\ndef helper(x):\n    return len(x) + 1\n\n\nfx.wrap('helper')\nfx.wrap('len')\n\n\n"
    )
    source += "def program(x):\n    return helper(x) + len(x)\n"
    monkeypatch.syspath_prepend(tmp_path)
    texts = []
    for torch in (oracle, mt):
        name = f"wrapped_by_{torch.__name__}"  # normalised to one name
        (tmp_path / f"{name}.py").write_text(source.replace("{root}", torch.__name__))
        program = importlib.import_module(name).program
        fx = importlib.import_module(f"{torch.__name__}.fx")
        texts.append(scrub_addresses(trace_to_text(fx.symbolic_trace(program))))
        assert fx.symbolic_trace(program)([1, 2]) == 5
        del sys.modules[name]
    assert texts[0] == texts[1]


def test_wrap_is_refused_inside_a_function(mt, oracle):
    assert "top level" in assert_same_trace(mt, oracle, lambda torch, fx: fx.wrap("helper"))
    assert "Unsupported type" in assert_same_trace(mt, oracle, lambda torch, fx: fx.wrap(3))


def test_a_tracer_can_change_what_is_recorded(mt, oracle):
    def trace_with_own_tracer(torch, fx):
        class Shallow(fx.Tracer):
            proxy_buffer_attributes = True

            def is_leaf_module(self, m, module_qualified_name):
                return isinstance(m, torch.nn.BatchNorm2d)

            def to_bool(self, obj):
                return True

        net = residual(torch)
        tracer = Shallow(param_shapes_constant=True)
        graph = tracer.trace(net.blocks[0])
        scopes = {
            name: (path, getattr(kind, "__name__", kind)) for name, (path, kind) in tracer.node_name_to_scope.items()
        }
        stacks = [list(node.meta.get("nn_module_stack", {})) for node in graph.nodes]
        return graph, scopes, stacks

    assert_same_trace(mt, oracle, trace_with_own_tracer)


def test_the_trace_flag_is_set_only_while_tracing(mt):
    import mindtorch.fx as fx
    from mindtorch.fx._symbolic_trace import is_fx_tracing

    seen = []
    fx.symbolic_trace(lambda x: seen.append(is_fx_tracing()) or x)
    assert (seen, is_fx_tracing()) == ([True], False)


def test_a_failed_trace_leaves_modules_as_they_were(mt):
    import mindtorch.fx as fx

    before = (mt.nn.Module.__call__, mt.nn.Module.__getattr__)
    with pytest.raises(ValueError, match="control flow"):
        fx.symbolic_trace(lambda x: 1 if x else 2)
    assert (mt.nn.Module.__call__, mt.nn.Module.__getattr__) == before


def test_a_package_with_a_trace_of_its_own_finds_the_parts_of_ours(mt, oracle):
    def trace(torch):  # as torch_geometric's tracer does it
        st = importlib.import_module(f"{torch.fx.__name__}._symbolic_trace")
        module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
        tracer = torch.fx.Tracer()
        tracer.root, tracer.graph = module, torch.fx.Graph()
        tracer.tensor_attrs, tracer.submodule_paths = {}, {mod: name for name, mod in module.named_modules()}
        fn, args = tracer.create_args_for_root(type(module).forward, True)
        assert isinstance(fn, st.FunctionType) and isinstance(args[1], st.Proxy)
        assert not isinstance(module[0].weight, st.ScriptObject)

        def module_getattr(mod, name):
            return tracer.getattr(name, st._orig_module_getattr(mod, name), {})

        def module_call(mod, *args, **kwargs):
            return tracer.call_module(mod, lambda *a, **k: st._orig_module_call(mod, *a, **k), args, kwargs)

        with st._Patcher() as patcher:
            patcher.patch_method(torch.nn.Module, "__getattr__", module_getattr, deduplicate=False)
            patcher.patch_method(torch.nn.Module, "__call__", module_call, deduplicate=False)
            st._patch_wrapped_functions(patcher)
            st._autowrap_check(patcher, fn.__globals__, tracer._autowrap_function_ids)
            tracer.create_node("output", "output", (tracer.create_arg(fn(*args)),), {})
        return str(tracer.graph)

    assert trace(mt) == trace(oracle)


def test_no_fake_mode_is_active_in_eager_code(mt, oracle):
    for torch in (mt, oracle):
        guards = importlib.import_module(f"{torch.__name__}._guards")
        assert guards.active_fake_mode() is None and guards.detect_fake_mode([torch.ones(1)]) is None


def test_a_transformed_node_keeps_where_the_original_came_from(same_as_oracle):
    same_as_oracle("""
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu, self.weight = nn.ReLU(), nn.Parameter(torch.ones(1))
    def forward(self, a, b):
        return self.relu(a + b * self.weight).neg()

class Replacing(torch.fx.Transformer):
    def call_method(self, target, args, kwargs):
        return torch.relu(args[0]) * 2

traced = torch.fx.symbolic_trace(Model())
names = ("ac_graph_id", "custom", "nn_module_stack", "original_aten", "partitioner_tag",
         "quantization_tag", "recompute", "source_fn_stack", "stack_trace", "torch_fn", "val", "mine")
for node in traced.graph.nodes:
    node.meta.clear()
    node.meta.update((name, f"{name} of {node.name}") for name in names)
for transformer in (torch.fx.Transformer, Replacing):
    for node in transformer(traced).transform().graph.nodes:
        print(node.op, node.name, sorted(item for item in node.meta.items() if item[0] in names))
""")
