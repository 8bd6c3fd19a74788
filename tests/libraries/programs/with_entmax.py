"""entmax: sparse softmax functions and their losses, with gradients."""
# requires: entmax

import torch
from entmax import entmax15, entmax15_loss, entmax_bisect, sparsemax, sparsemax_loss
from report import report

torch.manual_seed(0)
x = torch.randn(4, 7, requires_grad=True)
for function in (sparsemax, entmax15, entmax_bisect):
    y = function(x, dim=-1)
    report(function.__name__, y)
    report(f"{function.__name__}, gradient", torch.autograd.grad((y * torch.arange(7.0)).sum(), x)[0])
labels = torch.tensor([0, 1, 2, 3])
report("losses", [sparsemax_loss(x, labels), entmax15_loss(x, labels)])
