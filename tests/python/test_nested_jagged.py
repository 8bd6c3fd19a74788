"""Nested tensors of the jagged layout match real torch."""

import pytest
from nested_cases import eval_and_describe

SETUP = """
def mk(*shapes, **k):
    return N.nested_tensor([torch.arange(float(torch.tensor(s).prod())).view(s) for s in shapes], layout=J, **k)
x = mk((2, 3), (4, 3))
h = N.nested_tensor_from_jagged(torch.arange(16.).view(8, 2), torch.tensor([0, 3, 8]), torch.tensor([2, 4]))
h2 = N.nested_tensor_from_jagged(torch.arange(16.).view(2, 8), torch.tensor([0, 3, 8]), jagged_dim=2)
"""
CALLS = """
N.nested_tensor([torch.ones(2,3),torch.ones(2,4)],layout=J)
N.nested_tensor([torch.ones(2,3),torch.ones(3,4)],layout=J)
N.nested_tensor([torch.ones(2,3),torch.ones(3)],layout=J)
N.nested_tensor([torch.tensor(1.)],layout=J)
N.nested_tensor([],layout=J)
N.nested_tensor([[1.,2],[3.]],layout=J)
N.nested_tensor([[1.,2],[3.]],layout=J).values()
N.nested_tensor(torch.ones(2,3),layout=J)
N.nested_tensor([torch.ones(2)],layout=torch.sparse_coo)
N.as_nested_tensor(torch.ones(2,3,4),layout=J)
N.as_nested_tensor(torch.ones(2,3,4),layout=J).values().shape
N.as_nested_tensor(torch.ones(2,3,4),layout=J).offsets()
N.as_nested_tensor(torch.ones(2,3,4),layout=J)._metadata_cache
N.as_nested_tensor(torch.ones(2,3,4))
N.as_nested_tensor(torch.ones(3))
N.as_nested_tensor(3)
N.as_nested_tensor(x,layout=torch.strided)
N.as_nested_tensor(x,layout=J) is x
N.as_nested_tensor((torch.ones(2),torch.ones(3)),layout=J)
N.nested_tensor_from_jagged(torch.ones(8,2))
N.nested_tensor_from_jagged(torch.ones(8,2),lengths=torch.tensor([3,5])).offsets()
N.nested_tensor_from_jagged(torch.ones(8,2),lengths=torch.tensor([3,5])).lengths()
N.nested_tensor_from_jagged(torch.ones(8,2),torch.tensor([0,3,8]),jagged_dim=0)
N.nested_tensor_from_jagged(torch.ones(8,2),torch.tensor([0,3,8]),min_seqlen=3,max_seqlen=5)._metadata_cache
N.nested_tensor_from_jagged(torch.ones(8,2),torch.tensor([0,3,8]))._metadata_cache
N.nested_tensor_from_jagged(torch.ones(8,2),torch.tensor([0,3,8]))._min_seqlen
N.nested_tensor_from_jagged(torch.ones(8,2),torch.tensor([0,3,8]))._max_seqlen
h
h.unbind()
h.is_contiguous()
h.contiguous()
h.contiguous().values()
h.clone()
h.clone().values().shape
h.numel()
h.sum()
h.sum(1)
h.sum(2)
h.mean()
h.max()
h+h
h+1
h2
h2.unbind()
h2.shape
h2.stride()
h2.is_contiguous()
h2.transpose(1,2).is_contiguous()
h2.contiguous()
h2.clone()
h2.sum(1)
x.max(1)
x.max(2)
x.amax(1)
x.argmax(1)
x.argmax(-1)
x.mean(1)
x.any(1)
x.all(-1)
x.sum((0,1))
x.sum((0,1,2))
x.sum((0,1),keepdim=True)
x.sum(1,keepdim=True)
x.sum(-1,keepdim=True).shape
x.mean((0,1))
x.prod(1)
x.prod()
N.narrow(torch.arange(24.).view(2,6,2),1,torch.tensor([0,1]),torch.tensor([2,4]),layout=J)
N.narrow(torch.arange(24.).view(2,6,2),1,torch.tensor([0,1]),torch.tensor([2,4]),layout=J).lengths()
N.narrow(torch.arange(24.).view(2,6,2),1,torch.tensor([0,1]),torch.tensor([2,4]),layout=J)._values.shape
N.narrow(torch.arange(24.).view(2,6,2),1,0,torch.tensor([2,4]),layout=J).offsets()
N.narrow(torch.arange(24.).view(2,6,2),1,0,4,layout=torch.strided)
N.narrow(torch.arange(24.).view(2,6,2),2,0,4,layout=J)
N.narrow(torch.arange(24.).view(2,6,2),1,0,1.,layout=J)
x.to(torch.float64)._offsets is x._offsets
x.shape==(x*2).shape
x.shape==mk((2,3),(4,3)).shape
x+mk((2,3),(4,3))
x.masked_select(x>3)
x.view(2,-1,3)
x.view(2,4,3)
x.view(-1)
x.reshape(2,-1)
x.view(x.shape)
x.view(*x.shape,1)
x.reshape(2,-1,1,3).shape
x.unflatten(-1,[3,1]).shape
x.unsqueeze(1).flatten(1,2)
x.unsqueeze(-1).flatten(-2).shape
x.transpose(1,2).transpose(1,2).is_contiguous()
x.unsqueeze(1).sum(2)
x.unsqueeze(1).softmax(2)
x.softmax(1).values()
x.softmax(0)
x.log_softmax(-1).shape
x.expand(2,x.size(1),3).shape
x.unsqueeze(-1).expand(2,x.size(1),3,4).shape
torch.ones_like(x).offsets() is x.offsets()
x[x>2]
x[0:1]
x[:,:,0:1]
x[1,2:]
x[-1]
x[5]
x.select(0,7)
torch.is_same_size(x,mk((2,3),(4,3)))
x==mk((2,3),(4,3))
list(x.shape)
x.bool()
x.any().item()
x.isnan().any()
torch.nn.functional.embedding(N.nested_tensor([torch.tensor([1,2]),torch.tensor([0])],layout=J),torch.arange(6.).view(3,2)).values()
x.sin().shape
x.T
x.storage_offset()
x.unbind(1)
x.unbind(dim=-3)[0].shape
x.repeat(1)
x.diff()
torch.nested.to_padded_tensor(torch.ones(2),0.)
""".strip().split("\n")


@pytest.mark.parametrize("expression", CALLS)
def test_calls_of_jagged_tensors_match_torch(mt, oracle, expression):
    """Values, printed forms and texts are real torch's."""
    assert eval_and_describe(mt, SETUP, expression) == eval_and_describe(oracle, SETUP, expression)
