"""torch.library: operators defined from Python are the dispatcher's own. Expected values: real torch 2.13."""

import re

import pytest
from outcomes import outcome

NAMES = iter(range(10**6))


@pytest.fixture
def unique_namespace():
    """A namespace that no other test uses."""
    return f"mttest{next(NAMES)}"


def make_library(mt, unique_namespace, *definitions):
    made = mt.library.Library(unique_namespace, "DEF")
    for schema in definitions:
        made.define(schema)
    return made


def test_a_kernel_by_key_is_called_and_defaults_are_filled_in(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x, int n=3, *, float s=1.5) -> Tensor")
    made.impl("f", lambda x, n=3, s=1.5: x * n * s, "CPU")
    f = getattr(mt.ops, unique_namespace).f
    assert f(mt.ones(1)).item() == 4.5
    assert f(mt.ones(1), 2).item() == 3.0
    assert f(mt.ones(1), s=2.0).item() == 6.0
    assert str(f.default._schema) == f"{unique_namespace}::f(Tensor x, int n=3, *, float s=1.5) -> Tensor"


def test_several_results_come_out_as_a_tuple(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> (Tensor, int)")
    made.impl("f", lambda x: (x + 1, 5), "CPU")
    y, n = getattr(mt.ops, unique_namespace).f(mt.ones(1))
    assert (y.item(), n) == (2.0, 5)


def test_kernel_error_propagates_unchanged(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor")

    def raise_from_kernel(x):
        raise KeyError("mine")

    made.impl("f", raise_from_kernel, "CPU")
    with pytest.raises(KeyError, match="mine"):
        getattr(mt.ops, unique_namespace).f(mt.ones(1))


def test_without_an_autograd_kernel_the_calls_inside_are_recorded_and_backward_warns(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "twice(Tensor x) -> Tensor")
    made.impl("twice", lambda x: x * 2, "CPU")
    a = mt.ones(2, requires_grad=True)
    y = getattr(mt.ops, unique_namespace).twice(a)
    with pytest.warns(UserWarning, match="an autograd kernel was not registered to the Autograd key"):
        y.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_a_composite_kernel_differentiates_without_warning(mt, unique_namespace, recwarn):
    made = make_library(mt, unique_namespace, "twice(Tensor x) -> Tensor")
    made.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
    a = mt.ones(2, requires_grad=True)
    getattr(mt.ops, unique_namespace).twice(a).sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]
    assert not recwarn.list


def test_meta_kernels_serve_tensors_without_data(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor")
    made.impl("f", lambda x: mt.empty(7, device="meta"), "Meta")
    assert getattr(mt.ops, unique_namespace).f(mt.ones(2, device="meta")).shape == (7,)


def test_a_definition_cannot_be_made_twice(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="with the same name and overload name multiple times"):
        made.define("f(Tensor x) -> Tensor")
    with pytest.raises(
        RuntimeError, match=f"to register the namespace {unique_namespace}; please put all of your definitions"
    ):
        mt.library.Library(unique_namespace, "DEF")


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda lib: lib.impl("f", 3, "CPU"), TypeError, "Input function is required to be a callable but found type"),
        (lambda lib: lib.impl("f", lambda x: x, "Bogus"), RuntimeError, "could not parse dispatch key: Bogus"),
        (lambda lib: lib.impl(3, lambda x: x), RuntimeError, "impl should be passed either a name or an OpOverload"),
        (lambda lib: lib.define("g(Tensor x) -> Tensor", "X"), RuntimeError, "Invalid alias_analysis type X"),
    ],
)
def test_bad_registrations_are_refused_with_torchs_texts(mt, unique_namespace, make, error, text):
    with pytest.raises(error, match=text):
        make(make_library(mt, unique_namespace, "f(Tensor x) -> Tensor"))


def make_custom_op(mt, unique_namespace, **options):
    @mt.library.custom_op(f"{unique_namespace}::scale", mutates_args=(), **options)
    def scale(x: mt.Tensor, n: int = 2) -> mt.Tensor:
        return x * n

    return scale


def test_custom_op_infers_its_schema_and_is_an_operator(mt, unique_namespace):
    scale = make_custom_op(mt, unique_namespace)
    assert str(scale._opoverload._schema) == f"{unique_namespace}::scale(Tensor x, SymInt n=2) -> Tensor"
    assert scale(mt.ones(1), 5).item() == 5.0
    assert getattr(mt.ops, unique_namespace).scale(mt.ones(1)).item() == 2.0


def test_custom_op_without_a_formula_refuses_to_go_backward(mt, unique_namespace):
    y = make_custom_op(mt, unique_namespace)(mt.ones(1, requires_grad=True))
    assert type(y.grad_fn).__name__ == f"GeneratedBackwardFor_{unique_namespace}_scale_defaultBackward"
    with pytest.raises(
        RuntimeError, match=f"Trying to backward through {unique_namespace}.scale.default but no autograd formula"
    ):
        y.sum().backward()


def test_custom_op_uses_its_formula_and_saved_context(mt, unique_namespace):
    scale = make_custom_op(mt, unique_namespace)

    def save_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.n = inputs[1]

    scale.register_autograd(lambda ctx, g: (g * ctx.n * ctx.saved_tensors[0], None), setup_context=save_context)
    a = mt.full((1,), 3.0, requires_grad=True)
    scale(a).sum().backward()
    assert a.grad.item() == 12.0  # 1 * n * output = 2 * 6


def test_custom_op_bumps_versions_of_declared_mutations(mt, unique_namespace):
    @mt.library.custom_op(f"{unique_namespace}::inc", mutates_args={"x"})
    def increment_in_place(x: mt.Tensor) -> None:
        x.add_(1)

    a = mt.zeros(1)
    increment_in_place(a)
    assert a.item() == 1.0
    assert a._version >= 1
    with pytest.raises(RuntimeError, match="Cannot register autograd formula for non-functional operator"):
        increment_in_place.register_autograd(lambda ctx, g: g)


def test_custom_op_refuses_a_result_that_is_its_argument(mt, unique_namespace):
    @mt.library.custom_op(f"{unique_namespace}::same", mutates_args=())
    def return_input(x: mt.Tensor) -> mt.Tensor:
        return x

    with pytest.raises(RuntimeError, match="The output of this custom operator \\(1\\) must not also be an input"):
        return_input(mt.ones(1))


def test_custom_op_on_meta_tensors_needs_a_fake(mt, unique_namespace):
    scale = make_custom_op(mt, unique_namespace)
    with pytest.raises(RuntimeError, match="There was no fake impl registered for <CustomOpDef"):
        scale(mt.ones(2, device="meta"))
    scale.register_fake(lambda x, n=2: mt.empty_like(x))
    assert scale(mt.ones(2, device="meta")).shape == (2,)


def test_fake_rule_can_be_overridden_if_allowed(mt, unique_namespace):
    make_library = mt.library.Library(unique_namespace, "FRAGMENT")
    make_library.define("ruled(Tensor x) -> Tensor")
    for n in (2, 3):
        mt.library.register_fake(f"{unique_namespace}::ruled", lambda x, n=n: x.new_empty(n))
    assert getattr(mt.ops, unique_namespace).ruled(mt.ones(1, device="meta")).shape == (3,)
    with pytest.raises(
        RuntimeError, match=f"^register_fake\\(...\\): the operator {unique_namespace}::ruled already has"
    ):
        mt.library.register_fake(f"{unique_namespace}::ruled", lambda x: x, allow_override=False)


def test_modes_see_operators_from_python(mt, unique_namespace):
    scale, seen = make_custom_op(mt, unique_namespace), []

    class Log(mt.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = mt.ones(1)
    with Log():
        scale(x)
    assert f"{unique_namespace}.scale.default" in seen


@pytest.mark.parametrize(
    "annotations, expected",
    [
        ({"x": "Tensor", "return": "Tensor"}, "(Tensor x) -> Tensor"),
        ({"x": "typing.Optional[Tensor]", "return": "None"}, "(Tensor? x) -> ()"),
        ({"x": "typing.Sequence[int]", "return": "typing.Tuple[Tensor, int]"}, "(SymInt[] x) -> (Tensor, SymInt)"),
        ({"x": "typing.Optional[typing.List[float]]", "return": "float"}, "(float[]? x) -> float"),
        ({"x": "typing.Union[int, float, bool]", "return": "typing.List[Tensor]"}, "(Scalar x) -> Tensor[]"),
    ],
)
def test_infer_schema_reads_annotations(mt, annotations, expected):
    import typing

    def annotated_function(x):
        pass

    scope = {"Tensor": mt.Tensor, "typing": typing}
    annotated_function.__annotations__ = {name: eval(text, scope) for name, text in annotations.items()}
    assert mt.library.infer_schema(annotated_function, mutates_args=()) == expected


def test_opcheck_detects_an_undeclared_write(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor")
    made.impl("f", lambda x: x.add_(1).clone(), "CPU")
    with pytest.raises(Exception, match="Argument x is not defined as mutable but was mutated"):
        mt.library.opcheck(getattr(mt.ops, unique_namespace).f, (mt.ones(2),))


FAKES = {
    "no rule": (None, "{}"),
    "shape": (lambda x: x.new_empty(7), "Shapes torch.Size([2]) and torch.Size([7]) are not equal!"),
    "dtype": (
        lambda x: x.new_empty(2, dtype=x.double().dtype),
        "Dtypes torch.float32 and torch.float64 are not equal!",
    ),
    "strides": (
        lambda x: x.new_empty_strided((2,), (3,)),
        "Stride mismatch! Strides are (1,) and (3,) (mismatched at 0)!",
    ),
    "right": (lambda x: x.new_empty(2), None),
}


# The texts are those of torch.library.opcheck(op, (torch.ones(2),), test_utils="test_faketensor").
@pytest.mark.parametrize("name", FAKES)
def test_opcheck_holds_a_rule_without_data_against_the_kernel(name, mt, unique_namespace):
    rule, text = FAKES[name]
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor")
    made.impl("f", lambda x: x + 1, "CPU")
    if rule:
        made.impl("f", rule, "Meta")
    op = getattr(mt.ops, unique_namespace).f.default
    found = mt.library.opcheck(op, (mt.ones(2),), test_utils="test_faketensor", raise_exception=False)
    if text is None:
        assert found == {"test_faketensor": "SUCCESS"}
    elif rule is None:
        assert str(found["test_faketensor"]) == f"{unique_namespace}.f.default"
    else:
        prefix = f"When comparing the output of {unique_namespace}.f.default on FakeTensor and concrete Tensors"
        assert str(found["test_faketensor"]) == f"{prefix}, found mismatched tensor metadata: {text}"


def test_opcheck_wants_gradients_recorded_at_an_autograd_key(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor")
    made.impl("f", lambda x: x + 1, "CPU")
    op, leaf = getattr(mt.ops, unique_namespace).f.default, mt.ones(2, requires_grad=True)
    text = re.escape(
        f"test_autograd_registration failed with {unique_namespace}::f: at least one output of this operator has "
    )
    with pytest.raises(Exception, match=text):
        mt.library.opcheck(op, (leaf,), test_utils="test_autograd_registration")
    found = mt.library.opcheck(op, (mt.ones(2),), test_utils="test_autograd_registration")
    assert found == {"test_autograd_registration": "SUCCESS"}


def test_opcheck_passes_a_correct_operator(mt):
    found = mt.library.opcheck(mt.ops.aten.sin.default, (mt.ones(2, requires_grad=True),))
    assert set(found.values()) == {"SUCCESS"} and len(found) == 4


# The texts are those of torch.library.opcheck(op, (torch.ones(2, requires_grad=True),)).
def test_opcheck_finds_results_and_gradients_that_a_compiler_would_not_repeat(mt, unique_namespace):
    calls = []

    def scale_by_calls(grad):
        calls.append(grad)
        return grad * len(calls)

    @mt.library.custom_op(f"{unique_namespace}::f", mutates_args={})
    def clone_input(x: mt.Tensor) -> mt.Tensor:
        return x.clone()

    clone_input.register_fake(mt.empty_like)
    clone_input.register_autograd(lambda ctx, grad: scale_by_calls(grad))
    with pytest.raises(Exception, match="test_aot_dispatch_static failed with Gradients of the operator are different"):
        mt.library.opcheck(clone_input, (mt.ones(2, requires_grad=True),), test_utils="test_aot_dispatch_static")


def test_rule_for_one_operator_and_mode_replaces_the_mode(mt, unique_namespace):
    class Mode(mt.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    @mt.library.custom_op(f"{unique_namespace}::g", mutates_args={})
    def clone_input(x: mt.Tensor) -> mt.Tensor:
        return x.clone()

    mt.library.register_torch_dispatch(clone_input, Mode, lambda mode, func, types, args, kwargs: args[0] + 1)
    with Mode():
        assert clone_input(mt.ones(2)).tolist() == [2.0, 2.0]
    assert clone_input(mt.ones(2)).tolist() == [1.0, 1.0]


def test_a_key_that_falls_through_leaves_the_call_to_those_below(mt, unique_namespace):
    make_library = mt.library.Library(unique_namespace, "FRAGMENT")
    make_library.define("h(Tensor x) -> Tensor")
    make_library.impl("h", lambda x: x * 2, "CPU")
    make_library.impl("h", mt.library.fallthrough_kernel, "Autograd")
    assert getattr(mt.ops, unique_namespace).h(mt.ones(2, requires_grad=True)).grad_fn is not None


# ---- fallbacks: expected answers and texts of Library("_", "IMPL").fallback ----


@pytest.fixture
def wildcard_library(mt):
    """A library whose fallbacks end with the test."""
    with mt.library._scoped_library("_", "IMPL") as made:
        yield made


def test_a_fallback_gets_the_operators_without_a_kernel_and_the_arguments_that_differ_from_defaults(
    mt, unique_namespace, wildcard_library
):
    made = make_library(
        mt, unique_namespace, "f(Tensor x, int n=3, *, float s=1.0) -> Tensor", "g(Tensor[] x) -> (Tensor, int)"
    )
    calls = []

    def record_and_compute(op, *args, **kwargs):
        calls.append((str(op), len(args), kwargs))
        return args[0] * 2 if op.name().endswith("f") else (args[0][0] + 1, 5)

    wildcard_library.fallback(record_and_compute, "CPU")
    ops, x = getattr(mt.ops, made.ns), mt.ones(2)
    assert ops.f(x, 4, s=2.0).tolist() == ops.f(x).tolist() == [2.0, 2.0]
    assert ops.g([x, x])[1] == 5
    f, g = f"{unique_namespace}.f.default", f"{unique_namespace}.g.default"
    assert calls == [(f, 2, {"s": 2.0}), (f, 1, {}), (g, 1, {})]
    assert type(ops.f(mt.ones(2, requires_grad=True)).grad_fn).__name__ == "MulBackward0"
    assert mt._C._dispatch_has_computed_kernel_for_dispatch_key(f"{unique_namespace}::f", "CPU")
    assert not mt._C._dispatch_has_kernel_for_dispatch_key(f"{unique_namespace}::f", "CPU")
    with pytest.raises(NotImplementedError, match="no fake impl or Meta kernel registered"):
        ops.f(x.to("meta"))


def test_a_fallback_leaves_kernels_alone_and_ends_with_its_library(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor", "g(Tensor x) -> Tensor", "h(Tensor x) -> Tensor")
    made.impl("f", lambda x: x + 1, "CompositeImplicitAutograd")
    made.impl("g", lambda x: x + 2, "CompositeExplicitAutograd")
    wildcard_library = mt.library.Library("_", "IMPL", "CPU")
    wildcard_library.fallback(lambda op, x: x * 10)
    ops, x = getattr(mt.ops, unique_namespace), mt.ones(1)
    assert [ops.f(x).item(), ops.g(x).item(), ops.h(x).item(), x.neg().item()] == [2.0, 3.0, 10.0, -1.0]
    del wildcard_library
    with pytest.raises(
        NotImplementedError, match=f"Could not run '{unique_namespace}::h' with arguments from the 'CPU' backend"
    ):
        ops.h(x)


def test_a_fallback_may_ask_for_the_keys_and_hand_the_call_on(mt, unique_namespace, wildcard_library):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor", "g(Tensor x) -> Tensor")
    made.impl("f", lambda x: x + 1, "CPU")
    private, seen = mt._C.DispatchKey.PrivateUse1, []

    def exclude_key_and_call(keys, op, *args):
        seen.append(keys.has(private))
        with mt._C._ExcludeDispatchKeyGuard(mt._C.DispatchKeySet(private)):
            return op.redispatch(keys.remove(private), *args)

    wildcard_library.fallback(exclude_key_and_call, "PrivateUse1", with_keyset=True)
    with mt._C._IncludeDispatchKeyGuard(private):
        y = getattr(mt.ops, unique_namespace).f(mt.ones(1))
    assert (y.item(), seen) == (2.0, [True])
    seen.clear()
    wildcard_library.fallback(lambda keys, op, x: (seen.append(str(keys)), x)[1], "CPU", with_keyset=True)
    getattr(mt.ops, unique_namespace).g(mt.ones(1))
    assert seen == ["DispatchKeySet(CPU)"]


def test_errors_and_wrong_results_of_a_fallback_are_reported(mt, unique_namespace, wildcard_library):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor")

    def raise_if_nonzero(op, x):
        if x.item():
            raise ZeroDivisionError("mine")
        return "abc"

    wildcard_library.fallback(raise_if_nonzero, "CPU")
    f = getattr(mt.ops, made.ns).f
    with pytest.raises(ZeroDivisionError, match="mine"):
        f(mt.ones(1))
    with pytest.raises(RuntimeError, match="Unable to cast abc to Tensor"):
        f(mt.zeros(1))


@pytest.mark.parametrize(
    "key, met",
    [("AutocastCPU", "AutocastCPU"), ("Autograd", "AutogradOther"), ("CompositeExplicitAutograd", "Meta")]
    + [(key, key) for key in ("Meta", "AutogradCPU", "Conjugate", "Python", "ADInplaceOrView", "FuncTorchBatched")],
)
def test_a_key_has_one_fallback(mt, wildcard_library, key, met):
    text = f"Tried to register multiple backend fallbacks for the same dispatch key {met}; previous registration "
    with pytest.raises(RuntimeError, match=re.escape(text)):
        wildcard_library.fallback(lambda op, *args: None, key)


def test_fallbacks_are_refused_with_torchs_texts(mt, unique_namespace, wildcard_library):
    def do_nothing(op, *args):
        return None

    text = (
        'Fallback can only be registered using library fragment on the global namespace "_" but it is '
        + unique_namespace
    )
    with pytest.raises(RuntimeError, match=text):
        mt.library.Library(unique_namespace, "FRAGMENT").fallback(do_nothing, "CPU")
    with pytest.raises(AssertionError, match="dispatch_key must not be empty for fallback"):
        wildcard_library.fallback(do_nothing)
    with pytest.raises(RuntimeError, match="could not parse dispatch key: Bogus"):
        wildcard_library.fallback(do_nothing, "Bogus")
    wildcard_library.fallback(mt.library.fallthrough_kernel, "CPU")
    with pytest.raises(RuntimeError, match="multiple backend fallbacks for the same dispatch key CPU; previous"):
        mt.library.Library("_", "IMPL").fallback(do_nothing, "CPU")
    wildcard_library._destroy()
    with pytest.raises(AssertionError, match="Library object has been destroyed"):
        wildcard_library.fallback(do_nothing, "CPU")
    for kind, text in ("DEF", "bad optional access"), ("FRAGMENT", "cannot define TORCH_LIBRARY_FRAGMENT with"):
        with pytest.raises(RuntimeError, match=text):
            mt.library.Library("_", kind)


# In torch too, `del` of the last reference to a Library removes its registrations.
def test_registrations_end_with_their_library(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor x) -> Tensor")
    kernels = mt.library.Library(unique_namespace, "IMPL")
    kernels.impl("f", lambda x: x, "CPU")
    f = getattr(mt.ops, unique_namespace).f
    f(mt.ones(1))
    del kernels
    with pytest.raises(NotImplementedError, match=f"Could not run '{unique_namespace}::f'"):
        f(mt.ones(1))
    del made
    with pytest.raises(AttributeError, match=f"'_OpNamespace' '{unique_namespace}' object has no attribute 'f'"):
        getattr(mt.ops, unique_namespace).f(mt.ones(1))
    mt.library.Library(unique_namespace, "DEF")  # the namespace can be used again


def test_redefined_custom_op_replaces_the_previous_one(mt, unique_namespace):
    def make_scaling_op(factor):
        @mt.library.custom_op(f"{unique_namespace}::f", mutates_args=())
        def scale_input(x: mt.Tensor) -> mt.Tensor:
            return x * factor

        return scale_input

    f = make_scaling_op(2)
    f.register_autograd(lambda ctx, grad: grad)
    f = make_scaling_op(3)
    assert f(mt.ones(1)).item() == getattr(mt.ops, unique_namespace).f(mt.ones(1)).item() == 3.0
    with pytest.raises(RuntimeError, match="There was no fake impl registered for"):
        f(mt.ones(1, device="meta"))


# ---- kernels as objects: expected answers and texts of torch.library.get_kernel ----


@pytest.fixture
def cpu_dispatch_key(mt):
    """The key set of CPU only."""
    return mt._C.DispatchKeySet(mt._C.DispatchKey.CPU)


def test_a_kernel_is_called_past_the_dispatcher(mt, cpu_dispatch_key):
    kernel, x = mt.library.get_kernel("aten::add.Tensor", "CPU"), mt.ones(2, requires_grad=True)
    y = kernel.call_boxed(cpu_dispatch_key, x, x, alpha=2)
    assert y.tolist() == [3.0, 3.0] and not y.requires_grad
    assert type(kernel).__name__ == "_SafeKernelFunction" and repr(kernel).startswith("SafeKernelFunction(debug='")
    assert type(kernel.op_handle).__name__ == "_DispatchOperatorHandle"
    by_key = mt.library.get_kernel(mt.ops.aten.max.dim, mt._C.DispatchKey.CPU)
    assert [t.item() for t in by_key.call_boxed(cpu_dispatch_key, mt.arange(3.0), 0)] == [2.0, 2]
    recorded = mt.library.get_kernel("aten::sin", "AutogradCPU").call_boxed(cpu_dispatch_key, x)
    assert type(recorded.grad_fn).__name__ == "SinBackward0"
    square = mt.ones(1, 1, requires_grad=True)
    composite = mt.library.get_kernel("aten::matmul", "CPU").call_boxed(cpu_dispatch_key, square, square)
    assert type(composite.grad_fn).__name__ == "MmBackward0"
    meta = mt._C.DispatchKeySet(mt._C.DispatchKey.Meta)
    assert mt.library.get_kernel("aten::sin", "Meta").call_boxed(meta, x.to("meta")).shape == (2,)


def test_a_kernel_registered_over_another_may_go_on_with_it(mt, cpu_dispatch_key):
    former = mt.library.get_kernel("aten::sin", "CPU")
    x = mt.tensor([-1.0, 2.0])

    def replace_sine(keys, x):
        return former.call_boxed(keys, x) if (x < 0).any() else mt.zeros_like(x)

    with mt.library._scoped_library("aten", "IMPL") as lib:
        lib.impl("sin", replace_sine, "CPU", with_keyset=True)
        assert mt.sin(mt.ones(2)).tolist() == [0.0, 0.0]
        assert mt.sin(x)[0].item() == pytest.approx(-0.8414710)
        new = mt.library.get_kernel("aten::sin", "CPU")
        assert new.call_boxed(cpu_dispatch_key, mt.ones(1)).item() == 0.0
    assert (
        mt.sin(mt.ones(1)).item() == former.call_boxed(cpu_dispatch_key, mt.ones(1)).item() == pytest.approx(0.8414710)
    )
    with pytest.raises(RuntimeError, match="SafeKernelFunction has been invalidated registered at "):
        new.call_boxed(cpu_dispatch_key, x)


@pytest.mark.parametrize(
    "op, key, error, text",
    [
        ("aten::nope", "CPU", RuntimeError, "operator aten::nope does not exist"),
        ("sin", "CPU", RuntimeError, "operator sin does not exist"),
        ("aten::add", "CPU", RuntimeError, "operator aten::add does not exist"),
        ("aten::sin", "Bogus", ValueError, "Invalid dispatch key: Bogus"),
        (3, "CPU", ValueError, "get_kernel(3): got unexpected type for op: <class 'int'>"),
        ("aten::sin", 3, TypeError, "1. (arg0: str, arg1: c10::DispatchKey) -> torch._C._SafeKernelFunction"),
        ("aten::sin", "Autograd", RuntimeError, "Alias keys do not have runtime kernel registrations."),
        ("aten::mm", "CompositeImplicitAutograd", RuntimeError, "Alias keys do not have runtime kernel registrations."),
        ("aten::relu", "CUDA", RuntimeError, "no kernel for CUDA for aten::relu"),
    ],
)
def test_operators_without_kernel_are_refused(mt, op, key, error, text):
    with pytest.raises(error, match=re.escape(text)):
        mt.library.get_kernel(op, key)


@pytest.mark.parametrize(
    "args, error, text",
    [
        ((), RuntimeError, "aten::sin() is missing value for argument 'self'. Declaration: aten::sin(Tensor self) -> "),
        (("a",), RuntimeError, "Expected a value of type 'Tensor' for argument 'self' but instead found type 'str'."),
        ((1, 2), RuntimeError, "aten::sin() expected at most 1 argument(s) but received 2 argument(s). Declaration: "),
    ],
)
def test_a_kernel_checks_its_arguments(mt, cpu_dispatch_key, args, error, text):
    kernel = mt.library.get_kernel("aten::sin", "CPU")
    with pytest.raises(error, match=re.escape(text)):
        kernel.call_boxed(cpu_dispatch_key, *args)
    with pytest.raises(TypeError, match="incompatible function arguments. The following argument types are supported"):
        kernel.call_boxed(*args)


# As in torch: the kernels of one key are a stack.
def test_the_kernel_before_serves_again_when_the_latest_ends(mt, unique_namespace):
    made = make_library(mt, unique_namespace)
    early = mt.library.Library(unique_namespace, "IMPL")
    early.impl("f", lambda x: x + 1, "CPU")
    made.define("f(Tensor x) -> Tensor")
    f = getattr(mt.ops, unique_namespace).f
    assert f(mt.ones(1)).item() == 2.0
    with mt.library._scoped_library(unique_namespace, "IMPL") as late:
        late.impl("f", lambda x: x + 2, "CPU", allow_override=True)
        late.impl("f", lambda x: x + 3, "CompositeExplicitAutograd")
        assert f(mt.ones(1)).item() == 3.0
    assert f(mt.ones(1)).item() == 2.0
    early._destroy()
    with pytest.raises(RuntimeError, match=f"no kernel for CPU for {unique_namespace}::f"):
        mt.library.get_kernel(f"{unique_namespace}::f", "CPU")
    made._destroy()
    with pytest.raises(RuntimeError, match=f"operator {unique_namespace}::f does not exist"):
        mt.library.get_kernel(f"{unique_namespace}::f", "CPU")


def test_a_write_may_be_marked_without_a_name(mt, unique_namespace):
    made = make_library(mt, unique_namespace, "f(Tensor! x, Tensor!? y, Tensor(a!) z) -> ()")
    assert made.ns == unique_namespace
    schema = getattr(mt.ops, unique_namespace).f.default._schema
    assert str(schema) == f"{unique_namespace}::f(Tensor($0! -> ) x, Tensor($1! -> )? y, Tensor(a!) z) -> ()"
    marks = [(a.alias_info.before_set, a.alias_info.after_set, a.alias_info.is_write) for a in schema.arguments]
    assert marks == [({"$0"}, set(), True), ({"$1"}, set(), True), ({"a"}, {"a"}, True)]


def test_a_rule_of_an_operator_that_does_not_exist_is_refused_after_a_library_failed_too(run_as_torch, tmp_path):
    (tmp_path / "extension.so").write_bytes(b"no library")
    run_as_torch("""
import torch
register = torch.library.register_fake("gone::nms")
def refuse_rule():
    try:
        register(len)
    except RuntimeError as error:
        return str(error)
assert refuse_rule() == "operator gone::nms does not exist"
try:
    torch.ops.load_library("extension.so")
except OSError as error:
    print(error)
assert refuse_rule() == "operator gone::nms does not exist"
""").ok()


def test_a_rule_of_vmap_is_called_in_its_three_forms(mt, oracle, unique_namespace):
    def call_vmap_rule(torch):
        seen = []
        lib = torch.library.Library(f"{unique_namespace}c", "DEF")
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x * 2, "CPU")

        def triple_mapped_input(info, in_dims, x):
            seen.append((info.batch_size, info.randomness, in_dims, tuple(x.shape)))
            return x * 3, in_dims[0]

        double = torch.library.custom_op(
            f"{unique_namespace}a::f", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor"
        )
        double.register_vmap(triple_mapped_input)
        torch.library.custom_op(
            f"{unique_namespace}b::f", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor"
        )
        torch.library.register_vmap(f"{unique_namespace}b::f")(triple_mapped_input)
        torch.library.register_vmap(f"{unique_namespace}c::f", triple_mapped_input, lib=lib)
        x = torch.ones(2, 3)
        spaces = [getattr(torch.ops, unique_namespace + letter) for letter in "abc"]
        return [torch.vmap(s.f, in_dims=1, out_dims=1)(x).tolist() for s in spaces], seen

    found = call_vmap_rule(mt)
    assert found == call_vmap_rule(oracle)
    assert found[0] == [[[3.0] * 3] * 2] * 3


def test_kernels_are_registered_by_dispatch_key_and_by_library(mt, oracle, unique_namespace):
    def register_kernels(torch):
        lib = torch.library.Library(unique_namespace, "DEF")
        torch.library.define(f"{unique_namespace}::by_key", "(Tensor x) -> Tensor", lib=lib)
        torch.library.impl(f"{unique_namespace}::by_key", "CPU", lambda x: x * 2, lib=lib)
        by_library = torch.library.define(lib, "by_library(Tensor x) -> Tensor")(lambda x: x * 3)
        lib.define("apart(Tensor x) -> Tensor")
        torch.library.impl(lib, "apart", "CPU")(lambda x: x * 4)
        ops, x = getattr(torch.ops, unique_namespace), torch.ones(1)
        return [f(x).item() for f in (ops.by_key, ops.by_library, ops.apart, by_library)]

    assert register_kernels(mt) == register_kernels(oracle) == [2.0, 3.0, 4.0, 3.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.library.impl("a::b", "nonsense"),
        lambda t: t.library.impl("a::b", 5),
        lambda t: t.library.define("a::b", 5),
        lambda t: t.library.define("b", "(Tensor x) -> Tensor"),
    ],
)
def test_invalid_kernel_names_and_schemas_are_refused_immediately(call, mt, oracle):
    found = []
    for torch in (mt, oracle):
        with pytest.raises(Exception) as caught:
            call(torch)
        found.append((type(caught.value), str(caught.value)))
    assert found[0] == found[1]


def test_an_operator_without_result_may_say_none(mt, oracle, unique_namespace):
    def return_none(torch):
        lib = torch.library.Library(unique_namespace, "DEF")
        seen = []
        name = lib.define("note(Tensor x) -> None")
        lib.impl("note", lambda x: seen.append(x.item()), "CPU")
        return name, getattr(torch.ops, unique_namespace).note(torch.ones(1)), seen

    assert return_none(mt) == ("note", None, [1.0])
    assert oracle.library.Library(unique_namespace, "DEF").define("note(Tensor x) -> None") == "note"


def test_custom_op_may_define_an_overload(mt, oracle, unique_namespace):
    def define_overload(torch):
        twice = torch.library.custom_op(
            f"{unique_namespace}::f.twice", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor"
        )
        return twice(torch.ones(1)).item(), str(getattr(torch.ops, unique_namespace).f.twice)

    assert define_overload(mt) == define_overload(oracle)


def test_a_result_among_several_may_be_none(mt, oracle, unique_namespace):
    def return_none_among_results(torch):
        lib = torch.library.Library(unique_namespace, "DEF")
        lib.define("f(Tensor x) -> (Tensor, Tensor?)")
        lib.impl("f", lambda x: (x * 2, None), "CPU")
        first, second = getattr(torch.ops, unique_namespace).f(torch.ones(1))
        return first.item(), second

    assert return_none_among_results(mt) == return_none_among_results(oracle) == (2.0, None)


def test_opcheck_refuses_an_operator_of_several_overloads(mt, oracle):
    text = "opcheck can only test operators without overloads. Got the following overloads for aten::add: ['Tensor', "
    for torch in (mt, oracle):  # the order of names differs, and torch has more of them, for TorchScript
        with pytest.raises(RuntimeError, match=re.escape(text)):
            torch.library.opcheck(torch.ops.aten.add, (torch.ones(1), torch.ones(1)))


def test_an_implementation_for_another_key_than_the_librarys_is_refused(mt, oracle):
    for torch in (mt, oracle):
        make_library = torch.library.Library("aten", "IMPL", "CPU")
        text = r"Explicitly provided dispatch key \(Conjugate\) is inconsistent with the dispatch key of the enclosing"
        with pytest.raises(RuntimeError, match=text):
            make_library.impl("sum", lambda *args: args[0], "Conjugate")


def test_dispatcher_handles_and_key_sets_are_those_of_torch(mt, oracle):
    def query_dispatcher(torch):
        class Wrapped(torch.Tensor):
            __torch_dispatch__ = classmethod(lambda cls, func, types, args=(), kwargs=None: func(*args))

        x = torch.tensor([1.0, 2.0])
        handle = torch._C._dispatch_find_schema_or_throw("aten::mul", "Tensor")
        is_subclass_like = torch._C._dispatch_isTensorSubclassLike
        return (
            torch._C._dispatch_call_boxed(handle, x, x),
            is_subclass_like(x),
            is_subclass_like(x.as_subclass(Wrapped)),
            torch._C.DispatchKeySet("CPU").has(torch._C.DispatchKey.CPU),
        )

    assert outcome(query_dispatcher, mt) == outcome(query_dispatcher, oracle)
    with pytest.raises(RuntimeError, match="could not parse dispatch key: Nope"):
        mt._C.DispatchKeySet("Nope")


def test_a_mode_whose_handler_is_a_classmethod_is_refused(mt, oracle):
    def enter_mode(torch):
        class Mode(torch.utils._python_dispatch.TorchDispatchMode):
            @classmethod
            def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
                return func(*args)

        with Mode():
            torch.ones(1) + 1

    assert outcome(enter_mode, mt) == outcome(enter_mode, oracle)


def test_define_with_a_library_accepts_its_alias_analysis(mt, unique_namespace):
    made = mt.library.Library(unique_namespace, "DEF")

    @mt.library.define(made, "f(Tensor x) -> Tensor", alias_analysis="CONSERVATIVE")
    def add_one(x):
        return x + 1

    assert getattr(mt.ops, unique_namespace).f(mt.ones(1)).item() == 2.0
    with pytest.raises(RuntimeError, match="Invalid alias_analysis type BAD"):
        mt.library.define(made, "g() -> ()", alias_analysis="BAD")(lambda: None)
