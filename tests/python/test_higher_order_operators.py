"""Operators that take functions, as clients define them: kernels by key, mode and class. Expected: real torch 2.13."""

import importlib

import pytest
from outcomes import outcome

NUMBERS = iter(range(10**6))


def make_operator(torch):
    """Defines an operator of one function and one tensor, with a kernel below autograd and one above."""
    base = importlib.import_module(f"{torch.__name__}._ops").HigherOrderOperator
    keys = torch._C.DispatchKey

    class Applied(base):
        def __init__(self):
            super().__init__(f"applied{next(NUMBERS)}")

        def __call__(self, function, x):
            return super().__call__(function, x)

    applied = Applied()

    @applied.py_impl(keys.CompositeExplicitAutograd)
    def apply_without_autograd(function, x):
        return [function(x)]

    @applied.py_impl(keys.Autograd)
    def apply_below_autograd(function, x):
        with torch._C._AutoDispatchBelowAutograd():
            return [*applied(function, x), "autograd"]

    return applied


def convert_tensors_to_text(value):
    return [str(item.tolist()) if hasattr(item, "tolist") else item for item in value]


def test_call_dispatches_through_autograd_to_the_kernel(mt, oracle):
    def call_operator(torch):
        applied = make_operator(torch)
        with torch.inference_mode():
            inside = applied(torch.square, torch.ones(1))
        return (
            convert_tensors_to_text(applied(torch.square, torch.tensor([3.0]))),
            convert_tensors_to_text(inside),
            applied(lambda x: x, 3),
        )

    assert call_operator(mt) == call_operator(oracle)
    assert call_operator(mt) == (["[9.0]", "autograd"], ["[1.0]"], [3])


def test_modes_and_classes_take_calls_over(mt, oracle):
    def call_under_modes_and_classes(torch):
        applied = make_operator(torch)
        mode_class = importlib.import_module(f"{torch.__name__}.utils._python_dispatch").TorchDispatchMode
        members = {"__torch_dispatch__": lambda self, f, types, args=(), kwargs=None: f(*args, **(kwargs or {}))}
        quiet = type("Quiet", (mode_class,), members)
        function = classmethod(lambda cls, func, types, args=(), kwargs=None: ["class", func is applied])
        marked = type("Marked", (torch.Tensor,), {"__torch_function__": function})
        x = torch.ones(1)
        found = [applied(torch.square, x.as_subclass(marked))]
        with quiet():
            try:
                applied(torch.square, x)
            except NotImplementedError as error:
                found.append(str(error).partition(" and mode")[0].rstrip("0123456789"))
        applied.py_impl(quiet)(lambda mode, function, x: ["mode"])
        with quiet():
            found.append(applied(torch.square, x))
        return found

    assert call_under_modes_and_classes(mt) == call_under_modes_and_classes(oracle)


def test_a_class_with_its_own_constructor_and_without_kernels_works(mt, oracle):
    def define_own_constructor(torch):
        base = importlib.import_module(f"{torch.__name__}._ops").HigherOrderOperator
        name = f"own{next(NUMBERS)}"

        class Own(base):
            def __new__(cls):
                return super().__new__(cls)

            def __init__(self):
                super().__init__(name)

            def __call__(self, *args):
                return len(args)

        made = Own()
        listed = getattr(torch.ops.higher_order, name)
        return made(1, 2), str(made).rstrip("0123456789"), listed is made, made.namespace, made.cacheable()

    assert define_own_constructor(mt) == define_own_constructor(oracle)


def test_missing_or_duplicate_names_are_refused(mt, oracle):
    def collect_errors(torch):
        base = importlib.import_module(f"{torch.__name__}._ops").HigherOrderOperator
        applied, errors = make_operator(torch), []
        keys = torch._C.DispatchKey
        bare = type("Bare", (base,), {"__call__": lambda self, x: base.__call__(self, x)})("bare")
        for call in (
            lambda: base("x"),
            lambda: bare(torch.ones(1)),
            lambda: applied.py_impl(keys.Autograd)(lambda f, x: x),
        ):
            with pytest.raises(Exception) as caught:
                call()
            errors.append((caught.type, str(caught.value).rstrip("0123456789")))
        return errors

    assert collect_errors(mt) == collect_errors(oracle)


OUT_DTYPE_CALLS = {
    "a product of bytes": lambda t, f: f(t.ops.aten.mm.default, t.int32, *[t.full((2, 2), 100).char()] * 2),
    "a wider product": lambda t, f: f(t.ops.aten.mul.Tensor, t.float64, t.tensor([3, 5]).half(), t.tensor([2.5, 0.1])),
    "a narrower quotient": lambda t, f: f(t.ops.aten.div.Scalar, t.int32, t.tensor([7.0, -7.0]), 2),
    "a layer": lambda t, f: f(t.ops.aten.linear.default, t.float64, t.ones(2, 3), t.ones(4, 3), t.arange(4.0)),
    "meta tensors": lambda t, f: f(t.ops.aten.mm.default, t.int32, *[t.ones(2, 2, device="meta").char()] * 2).shape,
    "no operator": lambda t, f: f(t.add, t.int32, t.ones(1)),
    "an operator that writes": lambda t, f: f(t.ops.aten.mul_.Tensor, t.int32, t.ones(1), t.ones(1)),
    "an operator with two results": lambda t, f: f(t.ops.aten.topk.default, t.int32, t.ones(1), 1),
    "an operator that is not allowed": lambda t, f: f(t.ops.aten.add.Tensor, t.int32, t.ones(1), t.ones(1)),
    "a result with a gradient": lambda t, f: f(
        t.ops.aten.mul.Scalar, t.float64, t.ones(1, requires_grad=True), 2
    ).requires_grad,
    "a gradient": lambda t, f: f(t.ops.aten.mul.Scalar, t.float64, t.ones(1, requires_grad=True), 2).sum().backward(),
}  # fmt: skip


@pytest.mark.parametrize("name", OUT_DTYPE_CALLS)
def test_out_dtype_computes_in_the_promoted_type(name, mt, oracle):
    def call_out_dtype(torch):
        function = importlib.import_module(f"{torch.__name__}._higher_order_ops.out_dtype").out_dtype
        result = OUT_DTYPE_CALLS[name](torch, function)
        return (result.tolist(), str(result.dtype)) if isinstance(result, torch.Tensor) else result

    assert outcome(call_out_dtype, mt) == outcome(call_out_dtype, oracle)
