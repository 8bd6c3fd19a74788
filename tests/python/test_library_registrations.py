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
