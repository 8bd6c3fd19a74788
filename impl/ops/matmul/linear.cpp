// linear: x w^T + b.
#include "rules/matmul.h"

namespace mt {
namespace {

constexpr auto transformed = [](const Tensor& input, const Tensor& weight, const Tensor& bias) -> Tensor {
  check(input.dim() > 0 && weight.dim() > 0, "both arguments to linear need to be at least 1D, but they are {}D and {}D", input.dim(),
        weight.dim());
  Tensor transposed = op<"t">(weight);
  if (!bias.defined()) return op<"matmul">(input, transposed);
  if (input.dim() == 2) return op<"addmm">(bias, input, transposed);
  if (input.dim() >= 3 && bias.dim() == 1 && input.is_contiguous()) {
    // Rows of all batches in one product.
    Dims sizes(input.sizes());
    const int64_t k = sizes.back();
    sizes.pop_back();
    Tensor rows = op<"view">(input, IntList{product(sizes), k});
    sizes.push_back(weight.size(0));
    return op<"view">(op<"addmm">(bias, rows, transposed), sizes);
  }
  Tensor product = op<"matmul">(input, transposed);
  return op<"add">(product, bias);
};

MT_OP(OpDef{
    .schema = {"linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor"},
    .forms = function | out,
    .doc = "`input` @ `weight`^T + `bias`: (*, in), (out, in), (out) -> (*, out).",
    .module = "nn",
    .composite = transformed,
    .autocast = Autocast::lower_precision,
});

}  // namespace
}  // namespace mt
