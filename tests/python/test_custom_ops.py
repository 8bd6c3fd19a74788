"""Operators made of Python functions: lists of tensors, devices, new schemas, and the interface of torch._custom_ops.

Expected values: real torch 2.13, called beside this library."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from outcomes import outcome

NAMES = iter(range(10**6))


@pytest.fixture
def unique_namespace():
    """A namespace that no other test uses."""
    return f"mtcustom{next(NAMES)}"


def define_stack(lib, name, backward):
    def stack(xs, y):
        return lib.stack(xs) * y

    stack.__annotations__ = {"xs": list[lib.Tensor], "y": lib.Tensor, "return": lib.Tensor}
    operator = lib.library.custom_op(name, stack, mutates_args=())
    operator.register_autograd(backward, setup_context=lambda ctx, inputs, output: setattr(ctx, "n", len(inputs[0])))
    return operator


def test_tensors_in_lists_have_gradients_where_they_need_them(mt, oracle, unique_namespace):
    def differentiate_list(lib):
        needed = []

        def backward(ctx, grad):
            needed.append(ctx.needs_input_grad)
            return [grad[i] * (i + 1) for i in range(ctx.n)], grad.sum(0)

        xs, y = [lib.ones(2, requires_grad=i != 1) for i in range(3)], lib.ones(2, requires_grad=True)
        define_stack(lib, f"{unique_namespace}::stack", backward)(xs, y).sum().backward()
        return [None if t.grad is None else t.grad.tolist() for t in (*xs, y)], needed

    ours = differentiate_list(mt)
    assert ours == differentiate_list(oracle)
    assert ours == ([[1.0, 1.0], None, [3.0, 3.0], [3.0, 3.0]], [([True, False, True], True)])


def test_results_in_lists_have_gradients_and_unused_ones_are_zero(mt, oracle, unique_namespace):
    def split_and_sum(lib):
        def split(x):
            return [x.clone(), 2 * x]

        split.__annotations__ = {"x": lib.Tensor, "return": list[lib.Tensor]}
        operator = lib.library.custom_op(f"{unique_namespace}::split", split, mutates_args=())
        seen = []

        def backward(ctx, grads):
            seen.append([grad.tolist() for grad in grads])
            return grads[0] + 3 * grads[1]

        operator.register_autograd(backward)
        x = lib.ones(2, requires_grad=True)
        results = operator(x)
        results[1].sum().backward()
        return type(results).__name__, seen, x.grad.tolist()

    assert split_and_sum(mt) == split_and_sum(oracle) == ("list", [[[0.0, 0.0], [1.0, 1.0]]], [3.0, 3.0])


@pytest.mark.parametrize(
    "found",
    [
        lambda grad: ([grad[0]], grad.sum(0)),
        lambda grad: (None, grad.sum(0)),
        lambda grad: ([None] * 3, grad.sum(0)),
        lambda grad: ([grad[0], 3, None], None),
        lambda grad: ((grad[0], None, None), None),
        lambda grad: grad,
    ],
    ids=["shorter", "none", "all none", "a number", "tuple", "one tensor"],
)
def test_gradients_must_have_the_structure_of_the_arguments(mt, oracle, unique_namespace, found):
    def return_gradients(lib):
        stack = define_stack(lib, f"{unique_namespace}::stack", lambda ctx, grad: found(grad))
        xs = [lib.ones(2, requires_grad=True) for _ in range(3)]
        return outcome(lambda lib: stack(xs, lib.ones(2, requires_grad=True)).sum().backward(), lib)

    assert return_gradients(mt) == return_gradients(oracle)


def test_a_formula_registered_later_replaces_the_first(mt, unique_namespace):
    def clone_input(x):
        return x.clone()

    clone_input.__annotations__ = {"x": mt.Tensor, "return": mt.Tensor}
    operator = mt.library.custom_op(f"{unique_namespace}::same", clone_input, mutates_args=())
    for factor in (2, 5):
        operator.register_autograd(lambda ctx, grad, factor=factor: grad * factor)
        x = mt.ones(1, requires_grad=True)
        operator(x).backward()
        assert x.grad.item() == factor


@pytest.mark.parametrize("who", ["custom_op", "register_autograd", "register_vmap"])
def test_tensors_given_by_name_only_are_refused(mt, oracle, unique_namespace, who):
    def register_keyword_only(lib):
        made = lib.library.Library(unique_namespace, "FRAGMENT")
        made.define("f(Tensor x, *, Tensor y) -> Tensor")
        if who != "custom_op":
            return outcome(lambda lib: getattr(lib.library, who)(f"{unique_namespace}::f", lambda *args: None), lib)

        def return_input(x, *, y):
            return x

        return_input.__annotations__ = {"x": lib.Tensor, "y": lib.Tensor | None, "return": lib.Tensor}
        result = outcome(
            lambda lib: lib.library.custom_op(f"{unique_namespace}::g", return_input, mutates_args=()), lib
        )
        return result, hasattr(getattr(lib.ops, unique_namespace), "g")

    assert register_keyword_only(mt) == register_keyword_only(oracle)


def test_a_device_argument_selects_the_kernel_of_an_operator_without_tensors(mt, oracle, unique_namespace):
    def call_by_device(lib):
        def make_filled(device):
            return lib.ones(2)

        make_filled.__annotations__ = {"device": lib.device, "return": lib.Tensor}
        operator = lib.library.custom_op(f"{unique_namespace}::fill", make_filled, mutates_args=(), device_types="cpu")

        def make_without_arguments():
            return lib.ones(2)

        make_without_arguments.__annotations__ = {"return": lib.Tensor}
        return [
            outcome(lambda lib: operator("cpu").tolist(), lib),
            outcome(lambda lib: operator(lib.device("cuda", 0)), lib),
            outcome(
                lambda lib: lib.library.custom_op(
                    f"{unique_namespace}::bare", make_without_arguments, mutates_args=(), device_types="cpu"
                ),
                lib,
            ),
        ]

    assert call_by_device(mt) == call_by_device(oracle)


def test_defaults_may_be_devices_and_dtypes(mt, oracle, unique_namespace):
    def define_with_defaults(lib):
        def convert_dtypes(x, a="cpu", b=lib.float64, c=lib.bfloat16):
            return x.to(b).to(c)

        convert_dtypes.__annotations__ = {
            "x": lib.Tensor,
            "a": lib.device,
            "b": lib.dtype,
            "c": lib.dtype,
            "return": lib.Tensor,
        }
        operator = lib.library.custom_op(f"{unique_namespace}::f", convert_dtypes, mutates_args=())
        schema = operator._opoverload._schema
        return str(operator(lib.ones(1)).dtype), [str(argument.default_value) for argument in schema.arguments]

    assert define_with_defaults(mt) == define_with_defaults(oracle) == ("torch.bfloat16", ["None", "cpu", "7", "15"])


@pytest.mark.parametrize("schema", ["f(int64_t a) -> Tensor", "f(double a) -> Tensor", "f(Tensor a) -> asdf"])
def test_types_of_other_languages_in_schemas_name_the_right_ones(mt, oracle, unique_namespace, schema):
    def define_schema(lib):
        return outcome(lambda lib: lib.library.Library(unique_namespace, "FRAGMENT").define(schema), lib)

    assert define_schema(mt) == define_schema(oracle)


def test_an_operator_may_be_defined_again_with_another_schema(mt, unique_namespace):
    for schema, call, expected in (
        ("f(Tensor x) -> Tensor", lambda f: f(mt.ones(1)), 2.0),
        ("f(Tensor x, int n) -> Tensor", lambda f: f(mt.ones(1), 4), 5.0),
        ("f(Tensor x) -> Tensor", lambda f: f(mt.ones(1)), 2.0),
    ):
        made = mt.library.Library(unique_namespace, "DEF")
        made.define(schema)
        made.impl("f", lambda x, n=1: x + n, "CPU")
        operator = getattr(mt.ops, unique_namespace).f
        assert str(operator.default._schema) == f"{unique_namespace}::{schema}"
        assert call(operator).item() == expected
        made._destroy()


def test_parsing_a_schema_defines_no_operator(mt, oracle):
    before = len(mt._C._jit_get_all_schemas())
    schema, theirs = (
        lib._C.parse_schema("parsed_only::f.g(Tensor(a!) x, int[2] size=1) -> Tensor(a!)") for lib in (mt, oracle)
    )
    assert len(mt._C._jit_get_all_schemas()) == before
    assert not hasattr(mt.ops.parsed_only, "f")
    assert (str(schema), schema.name, schema.is_mutable) == (str(theirs), theirs.name, theirs.is_mutable)


def test_schemas_of_one_name_are_parsed_in_several_threads(mt):
    texts = ["f(Tensor x) -> Tensor", "f(Tensor x, int n=3) -> Tensor"] * 200
    with ThreadPoolExecutor(4) as pool:
        assert [str(schema) for schema in pool.map(mt._C.parse_schema, texts)] == texts


def test_questions_about_schemas_have_torchs_answers(mt, oracle):
    texts = [
        "f(Tensor x) -> Tensor",
        "f(Tensor(a) x) -> Tensor(a)",
        "f(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
        "f(Tensor[]? x, Tensor?[] y, int[] z, Device device) -> (Tensor[], int)",
        "f(Tensor x) -> ()",
        "ns::f.g(int n=3) -> Tensor",
    ]
    names = ("is_functional_schema", "has_kwarg_only_args", "has_kwarg_only_tensors", "has_tensor_arg")

    def query_schemas(lib):
        utils = __import__(f"{lib.__name__}._library.utils", fromlist=["utils"])
        schemas = [lib._C.parse_schema(text) for text in texts]
        answers = [getattr(utils, name)(schema) for schema in schemas for name in names]
        places = [(utils.get_device_arg_index(s), utils.mutated_args_kwargs(s)) for s in schemas]
        kinds = [utils.is_tensorlist_like_type(a.type) for s in schemas for a in s.arguments]
        return answers, places, kinds, [(s.name, s.overload_name, str(s)) for s in schemas]

    assert query_schemas(mt) == query_schemas(oracle)


def test_a_schema_may_be_given_as_a_code_generators_object(mt, oracle):
    from torchgen.model import FunctionSchema

    texts = ("f(Tensor x) -> Tensor", "f(Tensor(a!) x) -> ()", "f(Tensor(a) x) -> Tensor(a)", "f(Tensor x) -> ()")
    for schema in map(FunctionSchema.parse, texts):
        ours, theirs = (
            __import__(f"{lib.__name__}._library.utils", fromlist=["utils"]).is_functional_schema(schema)
            for lib in (mt, oracle)
        )
        assert ours == theirs, str(schema)


def import_former_interface(lib):
    """torch._custom_ops and torch._custom_op.impl of a library."""
    return (
        __import__(f"{lib.__name__}._custom_ops", fromlist=["custom_op"]),
        __import__(f"{lib.__name__}._custom_op.impl", fromlist=["impl"]),
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("schema", "backward"),
    [
        ("(Tensor x) -> Tensor", lambda ctx, saved, grad: {"x": grad * saved[0] * 3}),
        ("(Tensor x) -> Tensor", lambda ctx, saved, grad: grad),
        ("(Tensor x) -> Tensor", lambda ctx, saved, grad: {"x": grad, "y": None}),
        ("(Tensor x) -> Tensor", lambda ctx, saved, grad: {"x": (grad,)}),
        ("(Tensor[] x) -> Tensor", lambda ctx, saved, grad: {"x": [grad, None, 2 * grad]}),
        ("(Tensor[] x) -> Tensor", lambda ctx, saved, grad: {"x": [grad, None]}),
        ("(Tensor[] x) -> Tensor", lambda ctx, saved, grad: {"x": [grad, None, 3]}),
        ("(Tensor[] x) -> Tensor", lambda ctx, saved, grad: {"x": None}),
    ],
)
def test_former_interface_checks_what_a_backward_function_returns(mt, oracle, unique_namespace, schema, backward):
    def return_from_backward(lib):
        ops, impl = import_former_interface(lib)
        name = f"{unique_namespace}::f"
        ops.custom_op(name, schema)
        ops.impl(name, func=lambda x: (x[0] if isinstance(x, list) else x).sin())
        ops.impl_save_for_backward(name, func=lambda inputs, output: (inputs.x, "text"))
        ops.impl_backward(name, func=backward)
        xs = [lib.ones(2, requires_grad=True) for _ in range(3)]
        given = xs if "[]" in schema else xs[0]
        return outcome(lambda lib: impl.get_op(name)(given).sum().backward(), lib), [
            None if x.grad is None else x.grad.tolist() for x in xs
        ]

    def strip_file_names(result):
        return str(result).partition(" at ")[0], str(result).partition(" using the CustomOp API")[2]

    assert strip_file_names(return_from_backward(mt)) == strip_file_names(return_from_backward(oracle))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "call",
    [
        lambda ops, impl, unique_namespace: ops.custom_op(f"{unique_namespace}::f", "("),
        lambda ops, impl, unique_namespace: ops.custom_op(f"{unique_namespace}::f.Tensor", "() -> ()"),
        lambda ops, impl, unique_namespace: ops.custom_op("f", "() -> ()"),
        lambda ops, impl, unique_namespace: ops.custom_op(f"{unique_namespace}::f", 1),
        lambda ops, impl, unique_namespace: ops.custom_op(f"{unique_namespace}::f", "(Tensor(a!) x) -> Tensor"),
        lambda ops, impl, unique_namespace: ops.custom_op(f"{unique_namespace}::f", "(Tensor self) -> Tensor"),
        lambda ops, impl, unique_namespace: ops.custom_op("aten::f", "(Tensor x) -> Tensor"),
        lambda ops, impl, unique_namespace: impl.get_op(f"{unique_namespace}::nothing"),
        lambda ops, impl, unique_namespace: impl.CustomOp(None, None, None, None, None),
        lambda ops, impl, unique_namespace: impl.custom_op(f"{unique_namespace}::f", "(Tensor y) -> Tensor")(
            lambda x: x
        ),
    ],
)
def test_former_interface_refuses_what_torch_refuses(mt, oracle, unique_namespace, call):
    def call_former_interface(lib):
        return outcome(lambda lib: call(*import_former_interface(lib), unique_namespace), lib)

    assert call_former_interface(mt) == call_former_interface(oracle)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_former_interface_names_what_is_missing(mt, oracle, unique_namespace):
    def call_without_registration(lib):
        ops, impl = import_former_interface(lib)
        ops.custom_op(f"{unique_namespace}::f", "(Tensor x) -> Tensor")
        f, x = impl.get_op(f"{unique_namespace}::f"), lib.ones(2)
        before = [
            outcome(lambda lib: f(x), lib),
            outcome(lambda lib: f(x.to("meta")), lib),
            outcome(lambda lib: f(x.requires_grad_()), lib),
        ]
        ops.impl(f"{unique_namespace}::f", device_types="cpu", func=lambda x: x + 1)
        with lib.no_grad():
            return (
                *before,
                f(x).tolist(),
                outcome(lambda lib: ops.impl(f"{unique_namespace}::f", device_types="hip")(abs), lib),
            )

    assert call_without_registration(mt) == call_without_registration(oracle)


def test_backward_may_run_again_with_the_same_flags(mt, unique_namespace):
    needed = []

    def backward(ctx, grad):
        needed.append(ctx.needs_input_grad)
        return [grad[0], grad[1]], None

    stack = define_stack(mt, f"{unique_namespace}::stack", backward)
    x = mt.ones(2, requires_grad=True)
    total = stack([x, mt.ones(2)], mt.ones(2)).sum()
    for _ in range(3):
        total.backward(retain_graph=True)
    assert needed == [([True, False], False)] * 3
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_formula_sees_defaults_of_arguments_given_by_name(mt, oracle, unique_namespace):
    def record_seen_defaults(lib):
        made = lib.library.Library(unique_namespace, "FRAGMENT")
        made.define("f(Tensor w, int x=2, *, int y=3, int z) -> Tensor")
        made.impl("f", lambda w, x=2, *, y=3, z: w * x * y * z, "CPU")
        seen = []

        def setup_context(ctx, inputs, keyword_only_inputs, output):
            seen.append((inputs[1:], keyword_only_inputs))

        lib.library.register_autograd(
            f"{unique_namespace}::f", lambda ctx, g: (g, None), setup_context=setup_context, lib=made
        )
        getattr(lib.ops, unique_namespace).f(lib.ones(1, requires_grad=True), z=42)
        return seen

    assert record_seen_defaults(mt) == record_seen_defaults(oracle) == [((2,), {"y": 3, "z": 42})]


def test_disabled_kernels_give_way_and_useless_switches_are_logged(mt, oracle, unique_namespace, caplog):
    def disable_kernels(lib):
        caplog.clear()

        def add_one(x):
            return x + 1

        add_one.__annotations__ = {"x": lib.Tensor, "return": lib.Tensor}
        operator = lib.library.custom_op(f"{unique_namespace}::f", add_one, mutates_args=())
        with operator.set_kernel_enabled("cpu", enabled=False):
            pass
        operator.register_kernel("cpu")(lambda x: x + 2)
        with operator.set_kernel_enabled("cpu"), operator.set_kernel_enabled("cpu", enabled=False):
            results = [operator(lib.ones(1)).item()]
        return [*results, operator(lib.ones(1)).item()], [record.getMessage() for record in caplog.records]

    ours = disable_kernels(mt)
    assert ours == disable_kernels(oracle)
    assert ours[0] == [2.0, 3.0]


def make_triton_op(lib, name, **options):
    def double_input(x):
        return x * 2

    double_input.__annotations__ = {"x": lib.Tensor, "return": lib.Tensor}
    return lib.library.triton_op(name, double_input, mutates_args=(), **options)


TRITON_OPS = {
    "value": lambda lib, name: make_triton_op(lib, name)(lib.ones(2)),
    "schema": lambda lib, name: make_triton_op(lib, name)._opoverload._schema.arguments[0].name,
    "given schema is ignored": lambda lib, name: make_triton_op(lib, name, schema="(Tensor z, int n) -> Tensor")(
        lib.ones(2)
    ),
    "rule for tensors without data": lambda lib, name: make_triton_op(lib, name)(lib.ones(3, device="meta")).shape,
    "no gradient": lambda lib, name: make_triton_op(lib, name)(lib.ones(2, requires_grad=True)).sum().backward(),
    "no annotations": lambda lib, name: lib.library.triton_op(name, lambda x: x, mutates_args=()),
    "decorator": lambda lib, name: lib.library.triton_op(name, mutates_args=())(lambda x: x),
    "not a kernel": lambda lib, name: lib.library.wrap_triton(len),
}


@pytest.mark.parametrize("case", TRITON_OPS)
def test_operators_of_triton_kernels_are_custom_operators(case, mt, oracle, unique_namespace):
    name = f"{unique_namespace}::twice"
    assert outcome(lambda lib: TRITON_OPS[case](lib, name), mt) == outcome(
        lambda lib: TRITON_OPS[case](lib, name), oracle
    )
