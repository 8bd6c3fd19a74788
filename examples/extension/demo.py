"""Shows the operator's result, gradient and errors, which are the same on torch and on mindtorch."""

import torch
from softcap import softcap

x = torch.linspace(-4, 4, 5, dtype=torch.float64, requires_grad=True)
y = softcap(x, 2.0)
print([round(v, 6) for v in y.tolist()])
torch.testing.assert_close(y, 2 * torch.tanh(x / 2))
y.sum().backward()
print([round(g, 6) for g in x.grad.tolist()])
print(torch.autograd.gradcheck(lambda t: softcap(t, 1.5), x))
print(torch.library.opcheck(softcap.default, (x, 2.0)))
print(softcap(torch.empty(3, 4, device="meta"), 1.0).shape)
try:
    softcap(x, -1.0)
except RuntimeError as error:
    print(str(error).rsplit(", ", 2)[-2:])
