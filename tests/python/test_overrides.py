"""__torch_function__: subclasses, duck types and modes see the same calls as in torch."""

import pytest

PROGRAM = """
import torch, copy
log = []
class A(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        log.append((torch.overrides.resolve_name(func), [t.__name__ for t in types], sorted(kwargs or {})))
        return super().__torch_function__(func, types, args, kwargs or {})
class B(A): pass
class Unwilling:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return NotImplemented
a, b, p = torch.ones(3).as_subclass(A), torch.ones(3).as_subclass(B), torch.ones(3)
def call(text):
    log.clear()
    try: result = eval(text); shown = type(result).__name__
    except Exception as error: shown = f'{type(error).__name__}: {error}'
    print(text, shown, log)
"""
CALLS = [
    "a + b",
    "p + a",
    "torch.add(p, b)",
    "torch.split(a, 2)",
    "a.split(2)",
    "a.norm()",
    "len(a)",
    "1 - a",
    "2 ** a",
    "1 / a",
    "a // 2",
    "repr(a)",
    "f'{a.sum()}'",
    "a.shape",
    "a.grad",
    "a.requires_grad",
    "copy.deepcopy(b)",
    "torch.broadcast_tensors(a, b)",
    "torch.nn.functional.relu(a)",
    "torch.nn.functional.linear(a, torch.ones(2, 3))",
    "torch.stack([p, a])",
    "torch.add(Unwilling(), 1)",
    "torch.einsum('i,i', Unwilling(), p)",
    "torch.Tensor.add(p, Unwilling())",
]


@pytest.mark.parametrize("call", CALLS)
def test_subclasses_see_torchs_calls(same_as_oracle, call):
    same_as_oracle(PROGRAM + f"call({call!r})")


def test_modes_see_functions_and_factories(same_as_oracle):
    same_as_oracle(
        """
import torch
class Log(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(torch.overrides.resolve_name(func), [t.__name__ for t in types], sorted(kwargs or {}))
        return func(*args, **(kwargs or {}))
with Log() as outer, Log():
    torch.split(torch.ones(3) + 1, 2)
    torch.zeros(2, dtype=torch.int64).sum()
print(torch.overrides._get_current_function_mode())
"""
    )


def test_device_context_moves_factories(same_as_oracle):
    same_as_oracle(
        """
import torch
with torch.device('meta'):
    print(torch.ones(2), torch.get_default_device(), torch.empty(1, device='cpu').device)
print(torch.get_default_device())
torch.set_default_device('meta'); print(torch.rand(2).device, torch.get_default_device())
torch.set_default_device(None); print(torch.rand(2).device)
"""
    )


def test_tensor_likes(mt):
    class Like:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return -1

    assert mt.overrides.is_tensor_like(Like()) and not mt.overrides.is_tensor_like(3)
    assert mt.unique(Like()) == -1
    assert mt.overrides.has_torch_function((Like(),))
    assert not mt.overrides.has_torch_function((mt.ones(1), mt.nn.Parameter(mt.ones(1))))


def test_plain_method_overrides_are_deprecated(mt):
    class Old:
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return "old"

    with pytest.warns(DeprecationWarning, match="please define it as a classmethod"):
        assert mt.broadcast_tensors(Old()) == "old"


def test_disabled_subclass_functions(mt):
    class Sub(mt.Tensor):
        pass

    x = mt.ones(2).as_subclass(Sub)
    with mt._C.DisableTorchFunctionSubclass():
        assert type(x + 1) is mt.Tensor
    assert type(x + 1) is Sub


def test_redispatch_skips_one_level(same_as_oracle):
    same_as_oracle(
        """
import torch
class Loud(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("seen", func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
x = torch.ones(2).as_subclass(Loud)
print(type(torch.overrides.redispatch_function(torch.add, (Loud,), (x, x), {})).__name__)
print(type(torch.overrides.redispatch_function(torch.nn.functional.relu, (Loud,), (x,), {})).__name__)
print(type(torch.add(x, x)).__name__)
"""
    )


def test_reentrant_dispatch_reaches_autograd(same_as_oracle):
    same_as_oracle(
        """
import torch
leaf = torch.ones(2, requires_grad=True)
class Seen(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        with torch.overrides.enable_reentrant_dispatch():
            print((leaf * 2).requires_grad)
        print((leaf * 2).requires_grad)
        return torch.zeros(2)
Seen._make_subclass(Seen, torch.ones(2)).add(1)
try:
    with torch.overrides.enable_reentrant_dispatch():
        pass
except RuntimeError as error:
    print(error)
"""
    )


FORWARDED_CALLS = {
    "div, rounded down": lambda t: t.div(t.arange(-3.0, 3), 2, rounding_mode="floor"),
    "div, rounded towards zero": lambda t: t.div(t.arange(-3, 3), 2, rounding_mode="trunc"),
    "where of a number": lambda t: t.where(t.arange(-3.0, 3) > 0, t.arange(-3.0, 3), 0.0),
    "where of a number and integers": lambda t: t.where(t.arange(-3, 3) > 0, 1, t.arange(-3, 3)),
    "logdet": lambda t: t.logdet(t.tensor([[0.0, 1], [1, 0]])),
    "ctc_loss": lambda t: t.nn.functional.ctc_loss(
        t.full((4, 1, 3), -1.0), t.tensor([[1, 2]]), t.tensor([4]), t.tensor([2]), zero_infinity=True
    ),
    "clamp": lambda t: t.arange(-3.0, 3).clamp(-1, 2),
    "a number less a tensor": lambda t: 1 - t.arange(3),
}


@pytest.mark.parametrize("name", FORWARDED_CALLS)
def test_a_mode_that_passes_calls_on_changes_nothing(mt, oracle, name):
    class PassOn(mt.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    call = FORWARDED_CALLS[name]
    with PassOn():
        found = call(mt)
    expected = call(oracle)
    assert str(found.dtype) == str(expected.dtype)
    assert oracle.equal(oracle.tensor(found.tolist(), dtype=expected.dtype).nan_to_num(7), expected.nan_to_num(7))


OBSERVING_PROGRAM = """
x.clamp(-1, 1)
x.clamp(min=0)
t.clip(x, max=0.5)
t.clamp(x, y, y + 1)
t.clamp(x, max=y)
x.clamp_(max=y)
x.clip_(0, 1)
t.clamp(x, 0, 1, out=o)
t.clamp_min(x, 0)
x.clamp_max_(y)
t.div(x, y, rounding_mode="floor")
t.nn.functional.avg_pool2d(x.view(1, 1, 3, 4), 2, padding=[0])
t.nn.functional.avg_pool2d(x.view(1, 1, 3, 4), 2, padding=[0, 0])
t.div(x, 2, rounding_mode="trunc")
t.divide(x, 2.0, rounding_mode=None)
x.div_(y, rounding_mode="floor")
x // 2
x.new_zeros(3)
x.new_ones((2, 3), dtype=t.int64)
x.new_full((3,), 2)
x.new_full((3,), 2.5, pin_memory=False, device="cpu")
x.new_empty(3)
x.new_empty_strided((2, 3), (3, 1))
x.new_tensor([1.0, 2.0])
t.tensor([1, 2], dtype=t.float16)
t.tensor(True)
t.tensor(x)
t.tensor(x, dtype=t.float64)
t.tensor(numpy.ones(3))
t.as_tensor(numpy.ones(3))
t.as_tensor([1, 2])
t.from_numpy(numpy.ones(3))
t.asarray([1, 2])
x[[0, 1]]
t.scalar_tensor(3)
t.zeros(3)
t.full((2,), True, device="meta")
t.empty(2, 3, dtype=t.int64)
t.zeros_like(x)
t.full_like(x, 3, dtype=t.int64)
t.rand_like(x)
t.randint_like(x, 2, 5)
t.randint(5, (3,))
t.randint(1, 5, (3,), generator=t.Generator())
t.randint(5, (3,), dtype=t.int32)
t.randperm(5)
t.normal(0.0, 1.0, (3,))
t.arange(1, 5)
t.eye(3)
t.eye(3, 4)
t.tril_indices(3, 3)
t.linspace(0, 1, 5)
t.hann_window(5)
x.reshape(-1)
t.rot90(x)
t.nn.functional.elu(x)
t.nn.functional.hardtanh(x)
t.nn.functional.max_pool2d(x[None], 2)
t.nn.functional.avg_pool2d(x[None], 2, 2, 1)
t.nn.functional.mse_loss(x, y)
t.nn.functional.mse_loss(x, y, reduction="sum")
t.nn.functional.huber_loss(x, y, delta=1.0)
t.nn.functional.pad(x, (1, 1))
t.linalg.norm(x)
""".strip().splitlines()


def _list_calls_seen_by_mode(t, call):
    """The operators and arguments of a call that a mode sees; tensors as dtype and shape."""

    def describe_argument(value):
        if isinstance(value, t.Tensor):
            return f"{str(value.dtype).split('.')[-1]}{list(value.shape)}"
        if isinstance(value, (list, tuple)):
            return [describe_argument(item) for item in value]
        return "generator" if isinstance(value, t.Generator) else repr(value).replace("mindtorch.", "torch.")

    lines = []

    class Listing(t.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            lines.append(
                (
                    str(func),
                    describe_argument(args),
                    {name: describe_argument(value) for name, value in (kwargs or {}).items()},
                )
            )
            return func(*args, **(kwargs or {}))

    import numpy

    x, y, o = t.arange(12.0).view(3, 4), t.ones(3, 4), t.empty(3, 4)
    with Listing():
        result = eval(call, {"t": t, "numpy": numpy, "x": x, "y": y, "o": o})
    return lines, describe_argument(result)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", OBSERVING_PROGRAM)
def test_a_mode_sees_the_operators_and_arguments_that_torchs_sees(mt, oracle, call):
    assert _list_calls_seen_by_mode(mt, call) == _list_calls_seen_by_mode(oracle, call)


def test_a_constant_that_is_lifted_is_the_tensor_itself(mt):
    x = mt.ones(2, requires_grad=True)
    lifted = mt.ops.aten.lift_fresh(x * 2)
    (lifted * 3).sum().backward()
    assert x.grad.tolist() == [6, 6]
    assert mt.ops.aten.lift_fresh(x) is x
    assert mt.vmap(mt.ops.aten.lift_fresh)(mt.ones(2, 3)).shape == (2, 3)


SUBCLASSES = """
import torch

log = []
class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made
    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        log.append(str(function))
        plain = lambda x: x.inner if isinstance(x, cls) else x
        made = function(*map(plain, args), **{name: plain(value) for name, value in (kwargs or {}).items()})
        return cls(made) if type(made) is torch.Tensor else made
class Passing(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        log.append(str(function))
        return super().__torch_dispatch__(function, types, args, kwargs or {})
class Plain(torch.Tensor): pass

def print_calls(name, call):
    log.clear()
    try:
        made = call()
        values = made.inner if isinstance(made, Wrapper) else made.as_subclass(torch.Tensor)
        print(name, type(made).__name__, values.dtype, values.tolist(), log[:2])
    except Exception as error:
        print(name, type(error).__name__, str(error), log)
"""


def test_a_subclass_with_a_dispatch_keeps_its_data(same_as_oracle):
    same_as_oracle(
        SUBCLASSES
        + """
for x in (Wrapper(torch.tensor([1.0, 2.0])), torch.tensor([3.0, 4.0]).as_subclass(Passing)):
    print_calls("tensor", lambda: torch.tensor(x))
    print_calls("tensor of another dtype", lambda: torch.tensor(x, dtype=torch.float64))
    print_calls("new_tensor", lambda: torch.ones(2).new_tensor(x))
    print_calls("as_tensor", lambda: torch.as_tensor(x, dtype=torch.float64))
    print_calls("data", lambda: x.data)
    print_calls("sum", lambda: x.sum())
    print_calls("detach", lambda: x.detach())
    print_calls("add", lambda: x + 1)
print_calls("as_subclass", lambda: x.as_subclass(torch.Tensor))
"""
    )


# Real torch calls the class's `detach` when a node saves its own results; its output is the expected one.
def test_a_saved_result_keeps_the_class_that_wraps_it(same_as_oracle):
    same_as_oracle(
        SUBCLASSES
        + """
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, y)
        return y
    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        print(type(x).__name__, type(y).__name__, y.inner, y.requires_grad, y.grad_fn is not None)
        return grad * y
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, grad): return grad

def make_leaf():
    return Wrapper(torch.tensor([1.0, 2.0])).requires_grad_()
x = make_leaf()
y = x.exp()
print(type(y.grad_fn._saved_result).__name__, y.grad_fn._saved_result.inner)
y.sum().backward()
print(type(x.grad).__name__, x.grad.inner)
x = make_leaf()
log.clear()
y = Doubled.apply(x)
print(log)
y.sum().backward()
print(type(x.grad).__name__, x.grad.inner)
for given in (make_leaf(), make_leaf().detach()):
    log.clear()
    made = Same.apply(given)
    print(type(made).__name__, made.requires_grad, log)

@torch.library.custom_op("overrides::exponential", mutates_args=())
def exponential(x: torch.Tensor) -> torch.Tensor:
    return x.exp()
exponential.register_fake(torch.empty_like)
def save_output(ctx, inputs, output): ctx.save_for_backward(output)
exponential.register_autograd(lambda ctx, grad: grad * ctx.saved_tensors[0], setup_context=save_output)
print(torch.library.opcheck(exponential, (torch.ones(2, requires_grad=True),)))
"""
    )


def test_slots_live_as_long_as_the_tensor(same_as_oracle):
    same_as_oracle(
        """
import gc, torch
class Slotted(torch.Tensor):
    __slots__ = ["inner", "mark"]
    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner, made.mark = inner, 5
        return made
    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        plain = lambda x: x.inner if isinstance(x, cls) else x
        made = function(*map(plain, args), **{name: plain(value) for name, value in (kwargs or {}).items()})
        return cls(made) if type(made) is torch.Tensor else made
    __torch_function__ = torch._C._disabled_torch_function_impl
class Further(Slotted):
    __slots__ = ["more"]
class Finished(torch.Tensor):
    __slots__ = ["mark"]
    def __del__(self): print("finished", getattr(self, "mark", None))
for cls in (Slotted, Further):
    x = cls(torch.ones(3))
    for f in (lambda: x * 2, lambda: x.detach(), lambda: x.view(3, 1), lambda: x.data, lambda: x.clone(),
              lambda: torch.nn.Parameter(x), lambda: x.requires_grad_()):
        print(type(f()).__name__, f().mark, f().inner.shape)
# After `del leaf`, only the AccumulateGrad node owns the leaf, which keeps its class and attributes.
leaf = torch.ones(2).as_subclass(Finished).requires_grad_()
leaf.mark = ["kept"]
node = (leaf * 1).grad_fn
while node.next_functions: node = node.next_functions[0][0]
del leaf
gc.collect()
print(node.variable.mark, type(node.variable).__name__)
del node
gc.collect()
# The garbage collector frees a cycle through a tensor's `__slots__`.
class Witness:
    def __del__(self): print("collected")
x = Slotted(torch.ones(1))
x.mark = [x, Witness()]
del x
gc.collect()
print("end")
"""
    )


def test_class_with_torch_dispatch_disables_tensors_torch_function(same_as_oracle):
    same_as_oracle(
        SUBCLASSES
        + """
dispatch = Passing.__dict__["__torch_dispatch__"]
class Heir(Passing): pass
class Late(Plain): __torch_dispatch__ = dispatch
class Own(torch.Tensor):
    __torch_dispatch__ = dispatch
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})
class Same(torch.Tensor):
    __torch_dispatch__ = dispatch
    __torch_function__ = torch.Tensor.__torch_function__
class Neither(torch.Tensor): __torch_dispatch__ = torch._C._disabled_torch_dispatch_impl
class Mixin: __torch_dispatch__ = dispatch
class Mixed(Mixin, torch.Tensor): pass
class Afterwards(Plain): pass
Afterwards.__torch_dispatch__ = dispatch
for made in (Wrapper, Passing, Plain, Heir, Late, Own, Same, Neither, Mixed, Afterwards):
    disabled = made.__torch_function__ is torch._C._disabled_torch_function_impl
    print(made.__name__, disabled, "__torch_function__" in vars(made))
"""
    )


def test_a_mode_sees_an_array_being_lifted(same_as_oracle):
    same_as_oracle("""
import numpy, torch
class Log(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        print(function)
        return function(*args, **(kwargs or {}))
array = numpy.ones(3)
with Log():
    for call in (torch.asarray, torch.as_tensor, torch.from_numpy, torch.tensor):
        print(call.__name__)
        call(array)
    torch.asarray(array, dtype=torch.float32)
""")


def test_a_mode_gets_the_arguments_of_poolings_and_of_initialisers(same_as_oracle):
    same_as_oracle("""
import torch
import torch.nn.functional as F
class Log(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        shown = {k: v for k, v in (kwargs or {}).items() if not isinstance(v, torch.Tensor)}
        if function.__name__ not in ("__get__", "dim", "size", "_set_grad_enabled", "empty"):
            print(function.__name__, len(args), args[1:], sorted(shown.items(), key=str))
        return function(*args, **(kwargs or {}))
x = torch.arange(128.0).view(1, 2, 8, 8)
with Log():
    for indices in (False, True):
        for shown in (
            F.max_pool1d(x[0], 2, return_indices=indices), F.max_pool2d(input=x, kernel_size=3, stride=2),
            F.max_pool2d(x, 2, None, 0, 1, True, indices), F.max_pool3d(x, kernel_size=2, return_indices=indices),
            F.adaptive_max_pool1d(x[0], 3, indices), F.adaptive_max_pool2d(x, output_size=2, return_indices=indices),
            F.adaptive_max_pool3d(x, 2, indices), F.fractional_max_pool2d(x, 2, output_size=3)):
            print([tuple(y.shape) for y in (shown if isinstance(shown, tuple) else (shown,))])
    init = torch.nn.init
    for f in (init.uniform_, init.normal_, init.kaiming_uniform_):
        f(x[0, 0])
    init.constant_(x[0, 0], val=3)
""")


def test_initialisers_that_a_mode_leaves_out_draw_nothing(same_as_oracle):
    same_as_oracle("""
import torch
class Empty(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if getattr(function, "__module__", None) == "torch.nn.init":
            print(function.__name__)
            return (kwargs or {}).get("tensor", args[0] if args else None)
        return function(*args, **(kwargs or {}))
torch.manual_seed(0)
with Empty():
    torch.nn.Linear(3, 2), torch.nn.Conv2d(1, 2, 3), torch.nn.LSTM(2, 2), torch.nn.PReLU(), torch.nn.Embedding(2, 2)
print(torch.rand(2))
""")


def test_a_subclass_is_pooled(mt):
    class Mine(mt.Tensor):
        pass

    pooled = mt.nn.functional.max_pool2d(mt.arange(16.0).view(1, 1, 4, 4).as_subclass(Mine), 2)
    assert type(pooled) is Mine and pooled.tolist() == [[[[5.0, 7.0], [13.0, 15.0]]]]


def test_wrapper_results_alias_as_declared_in_the_schema(same_as_oracle):
    same_as_oracle("""
import torch
from torch.utils._python_dispatch import return_and_correct_aliasing
class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
    def __init__(self, inner): self.inner = inner
    def __tensor_flatten__(self): return ["inner"], None
    @classmethod
    def __torch_dispatch__(cls, function, types, args, kwargs=None):
        plain = lambda x: x.inner if isinstance(x, Wrapper) else x
        made = function(*map(plain, args), **(kwargs or {}))
        return return_and_correct_aliasing(function, args, kwargs, Wrapper(made))
x = Wrapper(torch.arange(6.0).view(2, 3))
for y in (x.t(), x.view(3, 2), x + 1, x.add_(1), x.t_()):
    print(tuple(y.shape), y.inner.tolist(), y.untyped_storage()._cdata == x.untyped_storage()._cdata, y is x)
""")


def test_wrapper_subclass_keeps_its_constructor_arguments(same_as_oracle):
    """Queries of a tensor without memory: sizes, strides, device, storage; an unhandled query names the class."""
    same_as_oracle("""
import torch
class Wrapper(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None): return NotImplemented
def print_wrapper_or_error(**options):
    try:
        w = torch.Tensor._make_wrapper_subclass(Wrapper, **options)
    except Exception as error:
        return print(options, type(error).__name__, error)
    print(options, w.device, w.dtype, tuple(w.shape), w.stride(), w.storage_offset())
    print(w.requires_grad, w.is_meta, w.is_cpu)
    print(w.untyped_storage().nbytes(), w.untyped_storage().device, w.data_ptr(), w.is_contiguous(), w.numel())
for device in (None, "cpu", "meta", "cuda", "cuda:1", torch.device("xpu")):
    print_wrapper_or_error(size=(2, 3), device=device)
print_wrapper_or_error(size=(2, 4), strides=(10, 1))
print_wrapper_or_error(size=(2, 0), strides=(10, 1), storage_offset=3)
print_wrapper_or_error(size=(2, 3), strides=(1, 2), storage_offset=4, dtype=torch.int64)
print_wrapper_or_error(size=(2, 3), storage_offset=4)
print_wrapper_or_error(size=(2, 3), storage_size=100)
print_wrapper_or_error(size=(2, 3), strides=(3, 1), storage_size=1000)
print_wrapper_or_error(size=(2, 3), requires_grad=True)
print_wrapper_or_error(size=(2, 3), requires_grad=True, dtype=torch.int64)
print_wrapper_or_error(size=(2, -3))
print_wrapper_or_error(size=(2, 3), strides=(1,))
w = torch.Tensor._make_wrapper_subclass(Wrapper, (2, 3))
for call in (w.sin, lambda: torch.add(torch.ones(2, 3), w, alpha=2)):
    try:
        call()
    except TypeError as error:
        print(error)
""")


def test_slots_survive_the_collection_of_a_cycle(same_as_oracle):
    same_as_oracle(
        """
import gc, torch
class Labelled(torch.Tensor):
    __slots__ = ("label",)
x = torch.ones(2).as_subclass(Labelled)
x.label = "kept"
leaf = torch.ones(2, requires_grad=True)
leaf.grad = x
cycle = [x]
cycle.append(cycle)
del x, cycle
gc.collect()
print(leaf.grad.label)
"""
    )


def test_tensors_without_memory_refuse_to_show_it(mt):
    class Wrapper(mt.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return mt.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise RuntimeError("no operator")

    wrapper = Wrapper(mt.ones(2))
    # The expected error texts are real torch's.
    with pytest.raises(RuntimeError, match=r"\.tolist\(\) is not supported for tensor subclasses, got Wrapper"):
        wrapper.tolist()
    with pytest.raises(RuntimeError, match=r"\.numpy\(\) is not supported for tensor subclasses"):
        wrapper.numpy()
    for read in (lambda s: s.tolist(), lambda s: s.fill_(0), lambda s: s.data_ptr()):
        with pytest.raises(RuntimeError, match="its data is not allocated yet"):
            read(wrapper.untyped_storage())


def test_only_tensor_is_a_base_of_classes(mt, oracle):
    for torch in (mt, oracle):
        with pytest.raises(RuntimeError, match="Cannot subclass _TensorBase directly"):
            type("Base", (torch._C.TensorBase,), {})
        with pytest.raises(TypeError, match="type 'torch.FloatTensor' is not an acceptable base type"):
            type("Base", (torch.FloatTensor,), {})


def test_redispatch_of_attributes_skips_one_level(same_as_oracle):
    same_as_oracle(
        """
import torch
class Redispatching(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("seen", func.__name__)
        return torch.overrides.redispatch_function(func, types, args, kwargs or {})
x = torch.ones(2).as_subclass(Redispatching)
print(tuple(x.shape), x.grad, x.requires_grad, x.dtype, x[0].dim())
x.requires_grad = True
print(x.requires_grad, type(x.data).__name__)
del x.grad
print(x.is_leaf)
"""
    )
