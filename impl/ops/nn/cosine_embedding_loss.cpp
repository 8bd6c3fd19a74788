// cosine_embedding_loss: pulls pairs together where the target is 1, pushes them apart where it is -1.
#include "core/messages.h"
#include "rules/nn/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = R"(Computes ``1 - cos(x1, x2)`` where the target is 1, ``max(0, cos(x1, x2) - margin)`` where it is -1.

1e-12 is added to the squared lengths. ``torch.nn.functional.cosine_embedding_loss`` takes
`reduction` by name.

Args:
    input1 (Tensor): shape ``(N, D)`` or ``(D,)``.
    input2 (Tensor): shape of `input1`.
    target (Tensor): 1 or -1 for each pair; shape ``(N,)`` or none.
    margin (float): cosine below which a pair apart costs nothing. Default: ``0.0``.
    reduction (int): 0 for each pair, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; shape ``(N,)`` without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when the numbers of dimensions do not fit.

Example:
    >>> x1, x2 = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> F.cosine_embedding_loss(x1, x2, torch.tensor([1]))
    tensor(1.))",
    .composite = [](const Tensor& a, const Tensor& b, const Tensor& target, double margin, int64_t reduction) -> Tensor {
      constexpr double eps = 1e-12;
      const int64_t dim = target.dim();
      check(dim == 0 || dim == 1, messages::multi_target_unsupported);
      if (dim == 1)
        check(a.dim() == 2 && b.dim() == 2, "1D target tensor expects 2D input tensors, but found inputs with sizes {} and {}.", a.sizes(),
              b.sizes());
      else
        check(a.dim() == 1 && b.dim() == 1, "0D target tensor expects 1D input tensors, but found inputs with sizes {} and {}.", a.sizes(),
              b.sizes());
      const IntList last(&dim, 1);
      Tensor product = op<"sum.dim_IntList">(a * b, last);
      Tensor square_a = op<"sum.dim_IntList">(a * a, last) + eps, square_b = op<"sum.dim_IntList">(b * b, last) + eps;
      Tensor cosine = product / op<"sqrt">(square_a * square_b);
      Tensor zeros = op<"zeros_like">(cosine);
      Tensor near = op<"where">(op<"eq">(target, 1), op<"ones">(IntList{}, cosine.dtype(), nullptr, cosine.device()) - cosine, zeros);
      Tensor far = op<"where">(op<"eq">(target, -1), op<"clamp_min">(cosine - margin, 0), zeros);
      return reduce_loss(near + far, reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
