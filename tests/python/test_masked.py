"""torch.masked: masked reductions, and tensors with a mask, match real torch."""

import warnings

import pytest
from beside import outcome

D = "torch.arange(6.).reshape(2, 3)"
K = "torch.tensor([[True, False, True], [False, False, False]])"

FUNCTIONS = [
    "torch.masked.sum(d, 1, mask=k)",
    "torch.masked.prod(d, mask=k)",
    "torch.masked.amax(d, 1, mask=k)",
    "torch.masked.amax(d.bool())",
    "torch.masked.argmin(d, 1, mask=k)",
    "torch.masked.mean(d, 1, mask=k)",
    "torch.masked.mean(d.int(), 1)",
    "torch.masked.median(d, 1, mask=k)",
    "torch.masked.median(d.int(), 1, mask=k)",
    "torch.masked.std(d, 1, mask=k)",
    "torch.masked.var(d, 0, unbiased=True, correction=1)",
    "torch.masked.norm(d, 2.0, 1, mask=k)",
    "torch.masked.norm(d, float('-inf'), 0, mask=k)",
    "torch.masked.softmax(d, 1, mask=k)",
    "torch.masked.cumsum(d.int(), 1, mask=k)",
    "torch.masked.logaddexp(d, d, input_mask=k)",
    "torch.masked.sum(d, 5)",
    "torch.masked.sum(d, (0, 0))",
    "torch.masked.sum(d, 0, mask=torch.ones(1, 2, 3))",
    *(f"torch.masked.{name}(d.sum().to_sparse(), 0, mask=k.any().to_sparse())" for name in ("sum", "prod", "amax")),
    "torch.masked.sum(d.to_sparse_csr(), (0, 1), keepdim=True, mask=k.to_sparse_csr()).to_dense()",
    "torch.masked._where(k.to_sparse(1), d.to_sparse(1), torch.tensor(7.)).to_dense()",
]

TENSORS = [
    "mt",
    "mt + 1",
    "mt.sin()",
    "mt[0]",
    "mt.t()",
    "mt.sum()",
    "mt.sum(1)",
    "mt.amax(0)",
    "mt.all()",
    "mt.softmax(-1)",
    "mt.clone()",
    "mt.double()",
    "mt < 1",
    "mt * torch.masked.masked_tensor(d, ~k)",
    "torch.where(k, mt, mt)",
    "mt.to_tensor(9)",
    "mt.get_mask()",
    "mt.device",
    "torch.masked.masked_tensor(d[0, 0], k[0, 0])",
    "torch.masked.masked_tensor(1, 2)",
    "torch.masked.masked_tensor(d, k.int())",
    "torch.masked.masked_tensor(d, k[0])",
    "torch.masked.masked_tensor(d.bfloat16(), k)",
]


@pytest.mark.parametrize("expression", FUNCTIONS)
def test_masked_functions_match_torch(mt, oracle, expression):
    """Values and texts are real torch's."""
    assert outcome(mt, expression, d=D, k=K) == outcome(oracle, expression, d=D, k=K)


@pytest.mark.parametrize("expression", TENSORS)
def test_masked_tensors_match_torch(mt, oracle, expression):
    """Values, printed forms, warnings and texts are real torch's."""
    whole = f"(lambda mt: {expression})(torch.masked.masked_tensor(d, k))"
    ours, expected = outcome(mt, whole, d=D, k=K), outcome(oracle, whole, d=D, k=K)
    assert (ours[0], set(ours[1])) == (expected[0], set(expected[1]))


def test_gradients_of_masked_tensors_are_masked(mt, oracle):
    """A gradient has the mask of its tensor; values match real torch."""

    def differentiate_masked(torch, leaf):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = torch.tensor([1.0, 4.0, 9.0], requires_grad=not leaf)
            mask = torch.tensor([True, False, True])
            if leaf:
                x = torch.masked.masked_tensor(data, mask, requires_grad=True)
                x.sqrt().sum().backward()
                return repr(x.grad)
            (torch.masked.as_masked_tensor(data, mask) * 2).sum().backward()
            return repr(data.grad)

    for leaf in (True, False):
        assert differentiate_masked(mt, leaf) == differentiate_masked(oracle, leaf)
