"""torch.sparse_coo_tensor and the functions of compressed layouts: arguments, checks and errors match torch."""

import functools

import numpy
import pytest
from beside import outcome


def describe_expression(mt, oracle, expression):
    """Values, error texts and representations; once-only warnings have their own tests."""
    values = {"np": numpy}
    ours = outcome(mt, expression, {**values, "L": mt.tensor, "A": mt.ops.aten})[0]
    theirs = outcome(oracle, expression, {**values, "L": oracle.tensor, "A": oracle.ops.aten})[0]
    assert ours == theirs


@pytest.mark.parametrize(
    "arguments",
    [
        "[[0, 1]], [1., 2.]",
        "[[0, 1], [1, 0]], [1., 2.], (2, 3)",
        "[[0, 1]], [1, 2], size=[5]",
        "values=[1], indices=[[0]]",
        "indices=[[0]], values=[1], size=[2]",
        "[[0]], 1.",
        "[[0]], 1., (2,)",
        "[[0.5]], [1]",
        "[[True]], [1]",
        "[[0]], [1], dtype=float",
        "[[0]], [1], dtype=torch.float16, requires_grad=True",
        "[[0, 1]], [1j, 2]",
        "[[0]], [True]",
        "[[0]], [[1, 2]], (1, 2)",
        "[[]], []",
        "[[], []], []",
        "torch.empty(0, 1), [3.], ()",
        "torch.empty(1, 0), torch.empty(0, 5), (3, 5)",
        "(2, 3)",
        "2, 3",
        "1",
        "()",
        "[]",
        "torch.Size([2])",
        "size=(2,)",
        "(2, 3), dtype=torch.int8",
        "(2, 3), device='meta'",
        "(2, 3), requires_grad=True",
        "np.array([[0, 1]]), np.ones(2)",
        "L([[0]], dtype=torch.int32), torch.ones(1, dtype=torch.bfloat16), [1]",
        "L([[0]], dtype=torch.uint8), torch.ones(1, dtype=torch.cfloat), [1]",
        "[[0, 1]], L([1, 2j]), dtype=torch.float32",
        "[[0, 1]], [L(1., requires_grad=True), L(2.)]",
        "[[0, 1]], L([1., 2], requires_grad=True)",
        "[[0, 1]], L([1., 2], requires_grad=True), requires_grad=True",
        "L([[0]]), torch.ones(1), [1], device='meta'",
        "[[0]], torch.ones(1, device='meta'), [1]",
        "[[0, 1]], [1, 2], (1,)",
        "[[0, 1]], [1, 2], (1,), check_invariants=False",
        "[[0, 1]], [1, 2], (1,), check_invariants=None",
    ],
)
def test_components_of_any_kind_make_a_sparse_coo_tensor(mt, oracle, arguments):
    describe_expression(mt, oracle, f"torch.sparse_coo_tensor({arguments})")
    describe_expression(mt, oracle, f"torch.sparse_coo_tensor({arguments}).is_coalesced()")


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "'a'",
        "[[0]], [1.], 'a'",
        "[[0]], [1.], (1,), foo=1",
        "(1,), foo=1",
        "size=2",
        "[[0]], [1], size=2",
        "[[0]], [1], dtype=3",
        "(2,), pin_memory=True",
        "[[0, 1]], [1., 2], (2,), requires_grad=None",
        "[[0, 1]], [1., 2], (2,), dtype=None, device=None, pin_memory=None",
        "[[0, 1]], [1., 2], None",
        "None, None",
        "[[0, 1]], None",
        "[[0, 1]], ['a', 'b']",
        "'ab', [1]",
        "[[0, 1], [2]], [1]",
        "[[0, 10**30]], [1, 2]",
        "[[0, 1j]], [1, 2]",
        "[[0, float('nan')]], [1, 2]",
        "[[0, 1]], [1, 2j], dtype=torch.float32",
        "[[0]], [1], requires_grad=True",
    ],
)
def test_binding_errors_match_torch(mt, oracle, arguments):
    describe_expression(mt, oracle, f"torch.sparse_coo_tensor({arguments})")


@pytest.mark.parametrize(
    "arguments",
    [
        "[0], [1]",
        "2, 3",
        "[], []",
        "[], 3., ()",
        "[[0, 1]], [1]",
        "[[-1, 0]], [1, 2]",
        "[[-1, 0]], [1, 2], check_invariants=False",
        "[[0]], [1], size=[1, 1]",
        "[[0]], [[1, 2]], (1, 3)",
        "[[0]], [[1, 2]], (1, 3), check_invariants=False",
        "(2, -3)",
        "[[0]], torch.ones(1).to_sparse(), (1,)",
        "torch.ones(1, 1).to_sparse(), [1.], (1,)",
        "torch.ones(1, 1).to_sparse(), [1.]",
        "[[0]], torch.ones(1).to_sparse()",
        "L([[0]], device='meta'), torch.ones(1), [1]",
        "L([[0]]), torch.ones(1, device='meta'), [1]",
        "L([[0]]), torch.ones(1, device='meta')",
        "[[0, 1]], [1, 2], device='meta'",
        "[[0, 1]], L([1, 2]), pin_memory=True",
        "[[0, 1]], [1, 2], (1,), check_invariants=True",
        "[[1, 0]], [1, 2], (2,), is_coalesced=True, check_invariants=True",
        "[[1, 1]], [1, 2], (2,), is_coalesced=True, check_invariants=True",
        "[[1, 0]], [1, 2], is_coalesced=True, check_invariants=True",
        "[[1, 0]], [1, 2], (2,), is_coalesced=True, check_invariants=False",
        "[[0, 1]], [1., 2], (2,), device='meta', check_invariants=True",
    ],
)
def test_mismatched_components_are_handled_as_in_torch(mt, oracle, arguments):
    describe_expression(mt, oracle, f"torch.sparse_coo_tensor({arguments})")


@pytest.mark.parametrize(
    "call",
    [
        "A._sparse_coo_tensor_unsafe(L([[0, 1]]), torch.ones(2), [2], is_coalesced=True).is_coalesced()",
        "A._sparse_coo_tensor_unsafe(L([0, 1]), torch.ones(2), [2])",
        "A._sparse_coo_tensor_unsafe(L([[0]]), L(1.), [2])",
        "A._sparse_coo_tensor_unsafe(L([[0., 1]]), torch.ones(2), [2])",
        "A._sparse_coo_tensor_unsafe(L([[0, 1]], dtype=torch.int32), torch.ones(2), [2])",
        "A._sparse_coo_tensor_unsafe(L([[0, 1]]), torch.ones(2), [2], layout=torch.strided)",
        "A._sparse_coo_tensor_unsafe(L([[0, 1]]), torch.ones(2), [2], dtype=torch.float64)",
        "A.sparse_coo_tensor(L([[0, 5]]), torch.ones(2), [2])",
        "A.sparse_coo_tensor(L([[0, 5]]), torch.ones(2), [2], layout=torch.strided)",
        "A.sparse_coo_tensor(L([[0., 5]]), torch.ones(2))",
        "A._sparse_coo_tensor_with_dims(1, 1, [2, 3], layout=torch.sparse_coo)",
        "A._sparse_coo_tensor_with_dims(1, 2, [2, 3], layout=torch.sparse_coo)",
        "A._sparse_coo_tensor_with_dims_and_tensors(1, 1, [2], L([[0, 1]]), torch.ones(2), layout=torch.sparse_coo)",
        "A._sparse_coo_tensor_with_dims_and_tensors(2, 0, [2, 2], L([[0, 1]]), torch.ones(2), layout=torch.sparse_coo)",
        "torch._validate_sparse_coo_tensor_args()",
        "torch._validate_sparse_coo_tensor_args(L([[0, 1]]), torch.ones(3), [2])",
        "torch._validate_sparse_coo_tensor_args(L([[0, 2]]), torch.ones(2), [2])",
        "torch._validate_sparse_coo_tensor_args(L([[0, -1]]), torch.ones(2), [2])",
        "torch._validate_sparse_coo_tensor_args(L([[0, 1.]]), torch.ones(2), [2])",
        "torch._validate_sparse_coo_tensor_args(L([[1, 0]]), torch.ones(2), [2], True)",
        "torch._validate_sparse_coo_tensor_args(L([[0, 2]], device='meta'), torch.ones(2), [2])",
        "torch._validate_sparse_coo_tensor_args(torch.empty(1, 0, dtype=torch.int64), torch.empty(0), [0])",
    ],
)
def test_private_steps_check_the_same_as_torchs(mt, oracle, call):
    describe_expression(mt, oracle, call)


@pytest.mark.parametrize("name", ["sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor"])
@pytest.mark.parametrize(
    "arguments",
    [
        "[0, 2, 3], [0, 1, 1], [1., 2., 3.]",
        "[0, 2, 3], [0, 1, 1], [[[1.]], [[2.]], [[3.]]]",
        "[0, 2, 3], [0, 1, 1], [[[1.]], [[2.]], [[3.]]], (2, 2)",
        "[0, 2, 3], [0, 1, 1], [1., 2., 3.], (2, 2), dtype=torch.float64",
        "np.array([0, 2, 3]), np.array([0, 1, 1]), np.ones(3)",
        "L([0, 2, 3], dtype=torch.int32), L([0, 1, 1], dtype=torch.int32), [1., 2., 3.]",
        "",
        "1, foo=2",
        "[0, 1], [0], [1.], layout=torch.sparse_csr",
        "[0, 1], [0], [1.], layout=torch.sparse_csc",
        "[0, 1], [0], [[[1.]]], requires_grad=True",
        "[0, 1], [5], [[[1.]]], (1, 1), check_invariants=True",
        "[0, 2, 3], [0, 1, 1], [1., 2., 3.], (2, 2), check_invariants=True",
    ],
)
def test_compressed_layouts_are_made_or_refused_as_by_torch(mt, oracle, name, arguments):
    describe_expression(mt, oracle, f"torch.{name}({arguments})")


@pytest.mark.parametrize(
    "layout", ["None", "torch.strided", "torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc"]
)
def test_the_general_function_needs_a_compressed_layout(mt, oracle, layout):
    describe_expression(mt, oracle, f"torch.sparse_compressed_tensor([0, 1], [0], [1.], layout={layout})")
    describe_expression(mt, oracle, "torch.sparse_compressed_tensor()")


def test_tensors_that_fit_are_not_copied_and_arrays_are(mt):
    values, indices = mt.ones(2), mt.tensor([[0, 1]])
    made = mt.sparse_coo_tensor(indices, values, (2,))
    values[0], indices[0, 0] = 7, 1
    assert made._values().tolist() == [7, 1] and made._indices().tolist() == [[1, 1]]
    array = numpy.ones(2)
    made = mt.sparse_coo_tensor([[0, 1]], array, (2,))
    array[0] = 7
    assert made._values().tolist() == [1, 1]


WARNING = """
import warnings, torch
warnings.simplefilter("always")
def said(make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    return [str(w.message).split("(Triggered")[0].strip() for w in caught]
"""


@pytest.mark.parametrize(
    "program",
    [
        "print(said(lambda: torch.sparse_coo_tensor((2,))), said(lambda: torch.sparse_coo_tensor((2,))))",
        "print(said(lambda: torch.sparse_coo_tensor([[0]], [1.], check_invariants=False)))\n"
        "print(said(lambda: torch.sparse_coo_tensor([[0]], [1.])))",
        "print(said(lambda: torch.sparse_coo_tensor([[0]], [1.], check_invariants=True)))",
        "torch.sparse.check_sparse_tensor_invariants.disable(); print(said(lambda: torch.sparse_coo_tensor((2,))))\n"
        "torch._C._set_check_sparse_tensor_invariants(None); print(said(lambda: torch.sparse_coo_tensor((2,))))",
        "with torch.sparse.check_sparse_tensor_invariants(): print(said(lambda: torch.sparse_coo_tensor((2,))))",
        "print(said(lambda: torch.ones(2).to_sparse()), said(lambda: torch.zeros(2, layout=torch.sparse_coo)))",
        "print(said(lambda: torch.sparse_csr_tensor([0, 1], [0], [1.])))",
        "for i in range(2): print(said(lambda: torch.sparse.FloatTensor(2, 3)), said(torch.sparse.FloatTensor))",
    ],
)
def test_process_is_warned_once_that_checks_are_disabled_by_default(same_as_oracle, program):
    same_as_oracle(WARNING + program)


def test_invariant_checks_apply_to_a_block_and_to_operators_in_it(mt, oracle):
    def make_invalid(torch):
        return torch.ops.aten.sparse_coo_tensor(torch.tensor([[5]]), torch.ones(1), [3])

    for torch in (mt, oracle):
        checks = torch.sparse.check_sparse_tensor_invariants
        with checks(), pytest.raises(RuntimeError, match="size is inconsistent with indices"):
            make_invalid(torch)
        with checks():
            assert torch.ops.aten._sparse_coo_tensor_unsafe(torch.tensor([[5]]), torch.ones(1), [3])._nnz() == 1
        assert make_invalid(torch)._nnz() == 1
        assert checks(True)(checks.is_enabled)() is True and checks.is_enabled() is False
        context = checks()
        with context, pytest.raises(RuntimeError, match="already activated"):
            context.__enter__()
        with pytest.raises(AssertionError, match="saved_state should not be None on exit"):
            context.__exit__(None, None, None)
        with pytest.raises(RuntimeError, match="expects a bool or None, but got int"):
            torch._C._set_check_sparse_tensor_invariants(1)


def record_mode_calls(torch, call):
    """The names and arguments of `call()` that a function mode sees."""
    seen = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((func.__name__, args, kwargs))
            return func(*args, **(kwargs or {}))

    with Mode():
        call()
    return seen


def test_a_mode_and_a_default_device_see_the_functions(mt, oracle):
    for torch in (mt, oracle):
        made = record_mode_calls(torch, functools.partial(torch.sparse_coo_tensor, [[0]], [1.0], size=(1,)))
        assert made == [("sparse_coo_tensor", ([[0]], [1.0]), {"size": (1,)})]
        made = record_mode_calls(torch, functools.partial(torch.sparse_csr_tensor, [0, 1], [0], [1.0], size=(1, 1)))
        assert made == [("sparse_csr_tensor", ([0, 1], [0], [1.0]), {"size": (1, 1)})]
        with torch.device("meta"):
            assert torch.sparse_coo_tensor((1,)).is_meta and torch.sparse_coo_tensor([[0]], [1.0], (1,)).is_meta
            assert torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1)).is_meta


@pytest.mark.parametrize(
    "call",
    [
        "torch.zeros_like(torch.eye(4).to_sparse_csr(), layout=torch.sparse_coo)",
        "torch.zeros_like(torch.eye(4).to_sparse_bsr((2, 2)), layout=torch.sparse_coo)",
        "torch.zeros_like(torch.ones(2, 3, 2).to_sparse_csr(dense_dim=1), layout=torch.sparse_coo)",
        "torch.zeros_like(torch.eye(2).to_sparse(), layout=torch.sparse_csr)",
        "torch.zeros_like(torch.ones(2, 3).to_sparse(), layout=torch.sparse_csc)",
        "torch.zeros_like(torch.eye(4).to_sparse_csr(), layout=torch.strided)",
    ],
)
def test_zeros_like_takes_another_layout(mt, oracle, call):
    describe_expression(mt, oracle, call)
