"""The checks of torch.library.opcheck: schema, autograd, results without data, and whether calls can be traced."""

from .._root import torch
from ..utils import _pytree as pytree
from . import kernels
from .custom_ops import OPDEFS
from .fake_rules import allow_data_dependent_sizes


class OpCheckError(Exception):
    """Raised by opcheck if an operator differs from what was registered about it."""


class UnsupportedOperatorException(RuntimeError):
    """Raised if an operator has no rule for tensors without data."""


class MetadataMismatchError(RuntimeError):
    """Raised when an operator's meta rule and its kernel produce different results."""


def _random_tensors(*values):
    return [leaf for leaf in pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _check_schema(overload, args, kwargs):
    from .._subclasses.schema_check_mode import SchemaCheckMode

    with SchemaCheckMode():
        overload(*args, **kwargs)


def _check_autograd_registration(overload, args, kwargs):
    name = overload.name()
    recorded = any(tensor.requires_grad for tensor in _random_tensors(args, kwargs))
    if not recorded or name.startswith("aten::") or name in OPDEFS:  # these have their own
        return
    # The dispatcher's kernel may be the one that warns about a missing derivative.
    if any(kernels.latest_kernel(name, key) for key in ("Autograd", "AutogradCPU", "CompositeImplicitAutograd")):
        return
    if any(tensor.requires_grad for tensor in _random_tensors(overload(*args, **kwargs))):
        raise AssertionError(
            f"{name}: at least one output of this operator has requires_grad=True but the operator does not have an "
            "autograd kernel defined at an autograd key (e.g. DispatchKey::Autograd). This could mean that "
            "you have incorrectly registered an autograd kernel to a non-Autograd DispatchKey, which may lead to "
            "silently incorrect results. If your operator consists of regular PyTorch operations, consider not using "
            "an operator at all or registering your operator as CompositeImplicitAutograd. If you have an "
            "autograd.Function registered to a backend (CPU/CUDA/XPU) key, the correct location for it is the Autograd "
            "key."
        )


def _is_size_data_dependent(dim, one, other):
    """Whether a size depends on data: it differs between two runs of a rule with different dynamic sizes."""
    return one.shape[dim] != other.shape[dim]


def _metadata_difference(real, one, other):
    """How a result differs from those of two runs of the operator's rule, or None."""
    dims = range(real.dim())
    if real.dim() != one.dim() or any(
        real.shape[dim] != one.shape[dim] and not _is_size_data_dependent(dim, one, other) for dim in dims
    ):
        return f"Shapes {real.shape} and {one.shape} are not equal!"
    if real.dtype != one.dtype:
        return f"Dtypes {real.dtype} and {one.dtype} are not equal!"
    for dim in dims:
        known = one.stride(dim) == other.stride(dim)
        if known and real.stride(dim) != one.stride(dim) and real.shape[dim] > 1 and real.numel():
            return f"Stride mismatch! Strides are {real.stride()} and {one.stride()} (mismatched at {dim})!"
    return None


def _to_meta(value):
    return value.detach().to("meta") if isinstance(value, torch.Tensor) else value


def _run_fake_rule(overload, args, kwargs, dynamic_size=2):
    """Returns the results of the operator's rule for tensors without data."""
    try:
        with allow_data_dependent_sizes(dynamic_size):
            return overload(*pytree.tree_map(_to_meta, args), **pytree.tree_map(_to_meta, kwargs))
    except NotImplementedError as error:
        raise UnsupportedOperatorException(str(overload)) from error


def check_fake_results(overload, args, kwargs):
    """Returns the results of a call; raises if they differ from those of the rule for tensors without data."""
    given = pytree.tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, (args, kwargs))
    one, other = (_random_tensors(_run_fake_rule(overload, *given, size)) for size in (2, 1))
    results = overload(*args, **kwargs)
    for real, *fakes in zip(_random_tensors(results), one, other, strict=True):
        difference = _metadata_difference(real, *fakes)
        if difference is not None:
            raise MetadataMismatchError(
                f"When comparing the output of {overload} on FakeTensor and concrete Tensors, found mismatched tensor "
                f"metadata: {difference}"
            )
    return results


def _check_fake_tensor(overload, args, kwargs):
    args, kwargs = pytree.tree_map(
        lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, (args, kwargs)
    )
    check_fake_results(overload, args, kwargs)


def copy_leaf(value):
    """Returns a tensor with a graph of its own, so that two calls share none."""
    if not isinstance(value, torch.Tensor):
        return value
    leaf = value.detach().clone()
    leaf.requires_grad = value.requires_grad
    return leaf


def _results_and_gradients(function, args, kwargs):
    args, kwargs = pytree.tree_map(copy_leaf, (args, kwargs))
    torch.manual_seed(0)
    results = _random_tensors(function(*args, **kwargs))
    sums = [result.sum().abs() for result in results if result.requires_grad]
    sources = [leaf for leaf in _random_tensors(args, kwargs) if leaf.requires_grad]
    if not sums or not sources:
        return results, None
    return results, torch.autograd.grad(sum(sums), sources, allow_unused=True)


def _check_same_as_eager(traced, eager, message, **tolerance):
    try:
        torch.testing.assert_close(traced, eager, **tolerance)
    except AssertionError as error:
        raise AssertionError(message) from error


def _check_aot_dispatch(overload, args, kwargs, **tolerance):
    """Makes the call and its gradients as a tracing compiler does: on tensors without memory."""
    from .._functorch.functionalization import Level

    def call_on_clones(*args, **kwargs):
        args, kwargs = pytree.tree_map(
            lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, (args, kwargs)
        )
        return overload(*args, **kwargs)

    _run_fake_rule(overload, args, kwargs)
    results, gradients = _results_and_gradients(call_on_clones, args, kwargs)
    with Level(as_copies=False, is_transform=False) as level:
        seen = pytree.tree_map(level.enter, (args, kwargs))
        traced = pytree.tree_map(level.unwrap, _results_and_gradients(call_on_clones, *seen))
    _check_same_as_eager(
        traced[0],
        results,
        "Outputs of the operator are different in eager-mode PyTorch vs AOTDispatcher tracing. This means the operator "
        "will have incorrect output underneath torch.compile. This could be because the operator's implementation not "
        "traceable.",
        **tolerance,
    )
    _check_same_as_eager(
        traced[1],
        gradients,
        "Gradients of the operator are different in eager-mode PyTorch vs AOTDispatcher. This means the operator will "
        "have incorrect gradients underneath torch.compile. This could be because the operator's backward is "
        "incorrectly registered or not traceable.",
        **tolerance,
    )


TESTS = {
    "test_schema": _check_schema,
    "test_autograd_registration": _check_autograd_registration,
    "test_faketensor": _check_fake_tensor,
    "test_aot_dispatch_static": _check_aot_dispatch,
    "test_aot_dispatch_dynamic": _check_aot_dispatch,
}
DEFAULT_TESTS = tuple(name for name in TESTS if name != "test_aot_dispatch_static")


def only_overload(packet):
    """Returns the overload of an operator that has one; raises for others."""
    overloads = packet.overloads()
    if len(overloads) != 1:
        names = ["" if name == "default" else name for name in overloads]
        raise RuntimeError(
            "opcheck can only test operators without overloads. Got the following overloads for "
            f"{packet._qualified_op_name}: {names}"
        )
    return getattr(packet, overloads[0])


def check(name, overload, args, kwargs, raise_exception, tolerance):
    """Returns "SUCCESS" or the check's error, which it raises on request."""
    options = tolerance if TESTS[name] is _check_aot_dispatch else {}
    try:
        TESTS[name](overload, args, kwargs, **options)
    except Exception as error:
        if not raise_exception:
            return error
        text = f"opcheck(op, ...): {name} failed with {error} (scroll up for stack trace)"
        raise OpCheckError(text) from error
    return "SUCCESS"
