"""What a torch.library.Library keeps, and how operators without an autograd kernel are treated."""


def test_a_library_goes_after_its_m_was_deleted(same_as_oracle):
    same_as_oracle("""
import torch
lib = torch.library.Library("undone", "FRAGMENT")
lib.define("f(Tensor x) -> Tensor")
lib.impl("f", lambda x: x * 2, "CPU")
print(torch.ops.undone.f(torch.ones(1)))
del lib.m
del lib
delattr(torch.ops, "undone")
try:
    torch.ops.undone.f(torch.ones(1))
except AttributeError as error:
    print(error)
again = torch.library.Library("undone", "FRAGMENT")
again.define("f(Tensor x) -> Tensor")
print(again.ns)
""")


def test_the_mode_of_the_autograd_fallback_decides_about_warnings(same_as_oracle):
    same_as_oracle("""
import torch, warnings
print(torch._C._get_autograd_fallback_mode())
lib = torch.library.Library("fallback", "FRAGMENT")
lib.define("f(Tensor x) -> Tensor")
lib.impl("f", lambda x: x * 2, "CPU")
for mode in ("nothing", "warn"):
    torch._C._set_autograd_fallback_mode(mode)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.ops.fallback.f(torch.ones(1, requires_grad=True)).sum().backward()
    print(torch._C._get_autograd_fallback_mode(), len(caught))
""")


def test_without_an_autograd_kernel_results_warn_on_backward_and_pass_no_gradient(same_as_oracle):
    same_as_oracle("""
import torch, warnings
lib = torch.library.Library("underived", "FRAGMENT")
lib.define("outside(Tensor a, Tensor b, int c) -> Tensor")
lib.impl("outside", lambda a, b, c: torch.tensor(a.detach().numpy() + b.detach().numpy() + c), "CPU")
lib.define("several(Tensor[] a) -> Tensor[]")
lib.impl("several", lambda a: [a[0].detach() + 1, a[1].detach() * 2], "CPU")
lib.define("rounded(Tensor a) -> Tensor")
lib.impl("rounded", lambda a: a.detach().to(torch.int64), "CPU")
lib.define("double_(Tensor(a!) a) -> Tensor(a!)")
lib.impl("double_", lambda a: a.detach().mul_(2) is None or a, "CPU")
ops = torch.ops.underived

def show(what):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            seen = what()
        except RuntimeError as error:
            seen = error
    print(seen, [str(item.message)[:75] for item in caught])

a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
for mode in ("nothing", "warn"):
    torch._C._set_autograd_fallback_mode(mode)
    y = ops.outside(a, b, 1)
    show(lambda: (y.requires_grad, y.is_leaf, y.tolist()))
    show(lambda: (y.sum().backward(), a.grad))
    print(ops.outside(b, b, 1).requires_grad, ops.rounded(a).requires_grad)
    with torch.no_grad():
        print(ops.outside(a, b, 1).requires_grad)
    first, second = ops.several([b, a])
    show(lambda: (first.requires_grad, torch.autograd.grad(second.sum(), [a], allow_unused=True)))
    x = a.clone()
    part = x[:1]
    r = ops.double_(part)
    show(lambda: (r is part, r.requires_grad))
    show(lambda: (x.sum().backward(), x.tolist(), a.grad))
    a.grad = None
    leaf = b.clone().requires_grad_()
    show(lambda: (ops.double_(leaf).tolist(), leaf.sum().backward(), leaf.grad))
""")


def test_a_rules_source_is_found_by_the_operators_name(same_as_oracle):
    same_as_oracle("""
import torch, torch._library.simple_registry as registry
torch.library.define("sourced::f", "(Tensor x) -> Tensor")
@torch.library.register_fake("sourced::f")
def rule(x):
    return x
found = registry.singleton.find("sourced::f").fake_impl
print(found.kernel.func.__name__, found.kernel.source.rpartition(":")[2])
print(registry.singleton.find("sourced::none").fake_impl.kernel)
""")


def test_a_cloned_input_is_a_leaf_of_the_same_layout(same_as_oracle):
    same_as_oracle("""
import torch, warnings
warnings.simplefilter("ignore")
from torch._dynamo.utils import clone_input
x = torch.arange(12.0).reshape(3, 4)[:, ::2].requires_grad_()
x.grad = torch.ones(3, 2)
for t in (x, torch.ones(2, 3).t(), torch.eye(3).to_sparse(), x * 2):
    copy = clone_input(t)
    print(copy, copy.is_leaf, copy.grad, copy.layout == torch.sparse_coo or copy.stride())
print(clone_input(torch.ones(2), dtype=torch.half).dtype)
""")


def test_a_guard_excludes_keys_while_it_exists(same_as_oracle):
    same_as_oracle("""
import torch
key = torch._C.DispatchKey.ADInplaceOrView
guard = torch._C.ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(key))
print(torch._C._dispatch_tls_is_dispatch_key_excluded(key))
del guard
print(torch._C._dispatch_tls_is_dispatch_key_excluded(key))
""")
