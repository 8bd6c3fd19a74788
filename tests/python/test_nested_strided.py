"""Nested tensors of the strided layout match real torch."""

import pytest
from nested_cases import eval_and_describe

SETUP = """
import copy, pickle
two = [torch.arange(6.).view(2, 3), torch.arange(12.).view(4, 3)]
s = N.nested_tensor(two)
g = N.nested_tensor(two, requires_grad=True)
sizes, strides = torch.tensor([[2, 3], [4, 3]]), torch.tensor([[3, 1], [3, 1]])
n = torch._nested_view_from_buffer(torch.arange(30.), sizes, strides, torch.tensor([0, 10]))
t = s.transpose(1, 2)
e = N.nested_tensor([])
q = N.nested_tensor([torch.arange(24.).view(2, 3, 4) / 9, torch.arange(40.).view(2, 5, 4) / 9])
d = torch.ones(2, 2, 3)
"""
CALLS = """
N.nested_tensor([])
N.nested_tensor([]).dim()
N.nested_tensor([]).size(0)
N.nested_tensor(3)
N.nested_tensor(torch.ones(2,3))
N.masked_select(torch.arange(6.).view(2,3),torch.tensor([[True,False,True],[False,True,False]]))
N.masked_select(torch.arange(6.).view(2,3),torch.tensor([[True,False,True],[False,False,False]])).offsets()
N.masked_select(torch.arange(6.),torch.tensor([True,False,True,True,False,False]))
torch.nn.Embedding(3,2)(N.nested_tensor([torch.tensor([1,2]),torch.tensor([0])])).is_nested
str(s.softmax(-1))
s._nested_tensor_size()
s._nested_tensor_size().dtype
s.size(0),s.size(2)
s.size(1)
s.size(5)
s.size(-4)
s.stride(0)
s.unbind(1)
s.is_pinned()
s.view(2,-1,1,3)
s.view(2,2,3)
s.view(-1)
s.reshape(1,2)
s.transpose(1,-1).contiguous().values()
s.squeeze(0)
s.squeeze(1)
s.squeeze(2)
s.unsqueeze(0)
s.softmax(0)
s.softmax(1)
s.sum(-1,keepdim=True)
s[None]
s[1,0,2]
s[5]
s.matmul(s)
s.bmm(torch.ones(2,3,1))
s.unsqueeze(1).matmul(s.unsqueeze(1).transpose(-1,-2)).dim()
s+torch.tensor(2.)
s*torch.tensor([2.])
s*torch.ones(2,1,3)
s*torch.ones(2,1,1)
s-s
s/2
s//2
s**2
s.exp()
s.sqrt()
s.log()
s==1
s<2
s.ne(2)
s.isnan()
s.logical_not()
s+N.nested_tensor([torch.ones(2,3)])
s+N.nested_tensor([torch.ones(2,3),torch.ones(3,3)])
s.detach().add_(s.detach())
s.clone(memory_format=torch.contiguous_format)
s.to_padded_tensor(0.,(2,3,3))
s.to_padded_tensor(0.,(2,3))
N.nested_tensor([torch.ones(0),torch.ones(0)]).to_padded_tensor(0.)
N.nested_tensor([]).to_padded_tensor(0.)
s.to(torch.float16)[0].dtype
s.cpu()
s.type(torch.int32)
s.is_floating_point()
s.equal(s)
s.chunk(3,-1)[0].is_contiguous()
s.chunk(2,-1)
s.split_with_sizes([1,2],-1)[1]
torch.split(s,[1,2],-1)[1]
torch._nested_tensor_from_mask(torch.arange(12.).view(2,2,3),torch.tensor([[True,False],[True,True]]))
torch._nested_tensor_from_mask(torch.arange(12.).view(2,2,3),torch.tensor([[False,True],[True,True]]))
torch._nested_tensor_from_mask_left_aligned(torch.arange(12.).view(2,2,3),torch.tensor([[False,True],[True,True]]))
torch._nested_from_padded(torch.arange(12.).view(2,2,3),torch.tensor([[1,3],[2,2]]))
torch._nested_view_from_buffer(torch.arange(6.),torch.tensor([[2],[3]]),torch.tensor([[1],[1]]),torch.tensor([0,2]))
torch._nested_tensor_from_tensor_list([torch.ones(2),torch.ones(1)])
torch._nested_compute_contiguous_strides_offsets(torch.tensor([[2,3],[4,3]]))
s.squeeze()
s[:]
s[0:1]
s[:,:,0]
s[:,0]
s[None]
s.flatten(1,2)
s.unflatten(-1,(3,1))
s.permute(0,2,1)
s.expand_as(s)
F.rms_norm(s,(3,))
torch.cat([s,s],-1)
torch.cat([s,d])
torch.cat([s,t],1)
torch.stack([s,s])
s.sum()
s.sum(-1)
n.sum(-1,keepdim=True)
t.sum(-1,keepdim=True)
n.relu()
t.relu()
t.abs()
t.neg()
t.sqrt()
t.gelu() if 0 else F.gelu(t)
F.silu(t)
t.tanh()
t.isnan()
t*2
t+t
t-1
t-N.nested_tensor([torch.ones(3,2),torch.ones(3,4)])
t*N.nested_tensor([torch.ones(3,2),torch.ones(3,4)])
t/2
n*2
(n*2)._nested_tensor_storage_offsets()
n+n
n+s
t+N.nested_tensor([torch.ones(3,2),torch.ones(3,4)])
n==1
t>1
t.ge(1)
n.softmax(-1)
t.softmax(-1)
t.softmax(-1).is_contiguous()
n.to_padded_tensor(0.)
t.to_padded_tensor(0.)
n.clone()._nested_tensor_storage_offsets()
n.clone(memory_format=torch.channels_last)
n.contiguous()._nested_tensor_storage_offsets()
n.values()
t.values()
n.unbind()[1]
n.transpose(1,2).unbind()[1]
n.view(2,-1,3,1)
t.view(2,-1,1)
t.reshape(2,-1,1)
t.reshape(2,3,-1)
n.chunk(3,-1)
n.split_with_sizes([1,2],-1)
n.narrow(0,0,1)
s.narrow(0,0,3)
s.narrow(0,3,1)
s.narrow(0,0,-1)
F.linear(n,torch.ones(2,3))
F.linear(t,torch.ones(2,3))
F.linear(s,torch.ones(2,4))
F.linear(s,torch.ones(2,3),torch.ones(2))
F.linear(s,torch.ones(3))
F.linear(q,torch.ones(2,4))
F.linear(d,s)
F.linear(s,s)
F.linear(s,torch.ones(2,3),s)
F.linear(N.nested_tensor([torch.ones(3),torch.ones(3)]),torch.ones(2,3))
F.linear(N.nested_tensor([torch.ones(2,3),torch.ones(2,4)]),torch.ones(2,3))
F.layer_norm(s,(3,),torch.ones(3),torch.zeros(3))
F.layer_norm(s,(3,))
F.layer_norm(n,(3,),torch.ones(3),torch.zeros(3))
F.layer_norm(t,(2,),torch.ones(2),torch.zeros(2))
F.layer_norm(s,(4,),torch.ones(4),torch.zeros(4))
F.layer_norm(s,(2,3),torch.ones(2,3),torch.zeros(2,3))
F.dropout(n,0.)
F.dropout(t,0.)
n.bmm(n.transpose(1,2))
s.bmm(t)
s.bmm(d)
d.bmm(s)
d.bmm(t)
s.bmm(q)
q.bmm(s)
s.bmm(N.nested_tensor([torch.ones(3,2)]))
s.matmul(d)
d.matmul(t)
s.matmul(torch.ones(3,2))
q.matmul(torch.ones(4,2))
q.matmul(q)
q.matmul(q.transpose(-1,-2)).dim()
q.matmul(s)
s.matmul(N.nested_tensor([torch.ones(3,2)]))
q.matmul(N.nested_tensor([torch.randn(1,4,4),torch.randn(1,4,4)]))
N.nested_tensor([torch.ones(3)]).matmul(s)
e.softmax(1)
e.softmax(0)
e.view(-1)
e.reshape(-1)
e.unbind()
e.size(1)
e+e
e.sum(-1)
e.contiguous()
e._nested_tensor_size()
e.is_contiguous()
e.numel()
e.transpose(0,1)
e.values()
torch.empty_like(s,memory_format=torch.channels_last)
torch.empty_like(t).is_contiguous()
torch.zeros_like(t).is_contiguous()
torch.zeros_like(t)
torch.rand_like(n)._nested_tensor_storage_offsets()
s.fill_(2)
s.copy_(d)
s.copy_(q)
d.copy_(s)
s.mul_(2)
s.add_(s)
s.sub_(1)
s.div_(2)
s.zero_()
F.embedding(N.nested_tensor([torch.tensor([1,2]),torch.tensor([0])]),torch.arange(6.).view(3,2))
F.embedding(torch.tensor([0]),s)
s.unsqueeze(1).size(1)
s.unsqueeze(-1).squeeze(-1)
N.nested_tensor([torch.ones(1),torch.ones(1)]).squeeze(1)
s.select(1,0)
s.select(2,0).unbind() if 0 else 0
F.scaled_dot_product_attention(q,q,q).is_nested
F.scaled_dot_product_attention(q,q,q).is_contiguous()
F.scaled_dot_product_attention(q,q,q,is_causal=True).is_nested
F.scaled_dot_product_attention(q,q,q,attn_mask=torch.ones(5,5)).is_nested
F.scaled_dot_product_attention(q,torch.randn(2,2,3,4),q).is_nested
F.scaled_dot_product_attention(torch.randn(2,2,3,4),q,q).is_nested
torch.is_same_size(s,d)
torch.is_same_size(s,q)
s.masked_fill(d>0,0)
s.masked_fill(s>0,torch.tensor(3.))
s+d
d+s
d*s
torch.tensor(2.)*s
2-s
2/s
s.eq(s)
s.gt(s)
s.sgn()
s.sin().cos()
s.exp()
s.selu() if 0 else F.selu(s)
s.elu() if 0 else F.elu(s)
s.sigmoid()
F.relu6(s)
F.leaky_relu(s)
F.hardtanh(s)
s.pow(2)
s.logical_and(s)
s.clamp(0)
s.maximum(s)
s.var()
s.float() is s
s.type_as(s)
s.new_zeros(2)
s.storage().size()
s._nested_tensor_size() is s._nested_tensor_size()
s.backward(s)
g.sum(-1,keepdim=True).backward(torch.ones(2,2,1))
(g*2).backward(N.nested_tensor([torch.ones(1,3)]))
(g*2).backward()
torch.autograd.grad(g*2,g,N.nested_tensor([torch.ones(2,3),torch.ones(4,3)]))
g.retain_grad()
F.softmax(g,-1)
torch._nested_tensor_from_mask(torch.ones(2,2,3),torch.ones(2,2))
torch._nested_tensor_from_mask(torch.ones(2,2,3),torch.ones(2,2).half())
torch._nested_tensor_from_mask(torch.ones(2,2,3),torch.ones(2,2).byte())
torch._nested_tensor_from_mask(torch.ones(2,3),torch.ones(2,2).bool())
torch._nested_tensor_from_mask(torch.ones(2,2,3),torch.ones(2,3).bool())
torch._nested_tensor_from_mask(torch.ones(2,2,3),torch.ones(2).bool())
N.nested_tensor([torch.ones(2),torch.ones(2,2)])
N.nested_tensor([torch.ones(2),3])
N.nested_tensor([torch.ones(2),torch.ones(2).long()])
N.as_nested_tensor([torch.ones(2),torch.ones(2).long()])
N.as_nested_tensor([3])
N.as_nested_tensor([torch.ones(2)],dtype=torch.int32)
N.nested_tensor([torch.ones(2)],dtype=torch.int32,requires_grad=True)
hash(s) != 0
copy.copy(s)
pickle.loads(pickle.dumps(s))
""".strip().split("\n")


@pytest.mark.parametrize("expression", CALLS)
def test_calls_of_strided_nested_tensors_match_torch(mt, oracle, expression):
    """Values, printed forms and texts are real torch's."""
    assert eval_and_describe(mt, SETUP, expression) == eval_and_describe(oracle, SETUP, expression)
