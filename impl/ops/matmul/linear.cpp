// linear: x w^T + b.
#include "rules/matmul/matmul.h"
#include "vmap/batched.h"

namespace mt {
namespace {

constexpr auto compute_linear = [](const Tensor& input, const Tensor& weight, const Tensor& bias) -> Tensor {
  check(input.dim() > 0 && weight.dim() > 0, "both arguments to linear need to be at least 1D, but they are {}D and {}D", input.dim(),
        weight.dim());
  Tensor transposed = op<"t">(weight);
  if (!bias.defined()) return op<"matmul">(input, transposed);
  if (input.dim() == 2) return op<"addmm">(bias, input, transposed);
  if (bias.dim() > 0 && weight.dim() == 2 && !weight->sparse && input.is_contiguous()) {
    // Computes one product over the rows of all batches.
    Dims sizes(input.sizes());
    const int64_t k = sizes.back();
    sizes.pop_back();
    Tensor rows = op<"view">(input, IntList{product(sizes), k});
    sizes.push_back(weight.size(0));
    return op<"view">(op<"addmm">(bias, rows, transposed), sizes);
  }
  Tensor product = op<"matmul">(input, transposed);
  if (as_batch(bias) && !as_batch(product)) return op<"add">(product, bias);  // an unbatched result cannot be written for each slice
  return op<"add_">(product, bias);
};

MT_OP(OpDef{
    .schema = {"linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes `input` @ `weight`^T + `bias`.

Args:
    input (Tensor): ``(*, in)``.
    weight (Tensor): ``(out, in)``, or ``(in,)``, which drops the last dimension of the result.
    bias (Tensor, optional): ``(out,)``. Default: ``None``.

Returns:
    Tensor: ``(*, out)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> weight, bias = torch.tensor([[1.0, 1.0], [0.0, 1.0]]), torch.tensor([10.0, 20.0])
    >>> F.linear(torch.tensor([[1.0, 2.0]]), weight, bias)
    tensor([[13., 22.]]))",
    .module = "nn",
    .composite = compute_linear,
    .autocast = everywhere(Autocast::lower_precision),
    .out_policy = OutPolicy{},
});

}  // namespace
}  // namespace mt
