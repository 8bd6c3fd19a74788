// bilinear, _trilinear: x1^T W x2 + b, as a product of three tensors summed over shared dimensions.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/matmul/einsum.h"

namespace mt {
namespace {

Tensor insert_dims(Tensor t, IntList dims) {
  for (int64_t d : dims) t = op<"unsqueeze">(t, d);
  return t;
}

bool has_dim(IntList list, int64_t value) {
  for (int64_t v : list)
    if (v == value) return true;
  return false;
}

// Contracts the first two factors, then their product with the third. A dimension that the third factor lacks is summed in the first
// contraction.
constexpr auto compute_trilinear = [](const Tensor& i1, const Tensor& i2, const Tensor& i3, IntList expand1, IntList expand2,
                                      IntList expand3, IntList sumdim, int64_t unroll) -> Tensor {
  const int64_t n = i1.dim() + expand1.count;
  check(unroll >= 0 && unroll < n, "unroll_dim must be in [0,{}]", n - 1);
  BelowAutograd guard;
  const Tensor a = insert_dims(i1, expand1), b = insert_dims(i2, expand2), c = insert_dims(i3, expand3);
  std::vector<int64_t> first, second;
  for (int64_t d : sumdim) (has_dim(expand3, d) ? first : second).push_back(d);
  Tensor out = contract_pair(contract_pair(a, b, first), c, second);
  for (int64_t d = n - 1; d >= 0; --d)
    if (has_dim(sumdim, d)) out = op<"squeeze.dim">(out, d);
  return op<"contiguous">(out);
};

// The gradient of one factor: a trilinear product of g and the other two, which sums over the dimensions by which the factor was expanded
// (`own`). g is first expanded by the dimensions that the forward call summed.
Tensor factor_gradient(const Tensor& g, const Tensor& x, const Tensor& y, IntList sumdim, IntList expand_x, IntList expand_y, IntList own) {
  return op<"_trilinear">(g, x, y, sumdim, expand_x, expand_y, own);
}

MT_OP(OpDef{
    .schema = {"_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) "
               "-> Tensor"},
    .forms = function,
    .doc = R"(Multiplies three tensors, each widened by given dimensions, and sums the product over `sumdim`.

``torch.bilinear`` uses it.)",
    .cpu = compute_trilinear,
    .npu = {any_device},
    .meta = compute_trilinear,
    .grad = {wrt({"i1", "i2", "i3"},
                 [](Grad g, In<"i1"> a, In<"i2"> b, In<"i3"> c, In<"expand1", IntList> ea, In<"expand2", IntList> eb,
                    In<"expand3", IntList> ec, In<"sumdim", IntList> sum, Wanted wanted) {
                   Tensors<3> out;
                   if (wanted[0]) out[0] = factor_gradient(g, b, c, *sum, *eb, *ec, *ea);
                   if (wanted[1]) out[1] = factor_gradient(g, a, c, *sum, *ea, *ec, *eb);
                   if (wanted[2]) out[2] = factor_gradient(g, a, b, *sum, *ea, *eb, *ec);
                   return out;
                 })},
});

MT_OP(OpDef{
    .schema = {"bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes a bilinear form for each output feature: ``y[k] = x1^T weight[k] x2 + bias[k]``.

Args:
    input1 (Tensor): shape ``(*, A)``.
    input2 (Tensor): shape ``(*, B)``, with the same leading sizes.
    weight (Tensor): shape ``(O, A, B)``.
    bias (Tensor, optional): shape ``(O,)``.

Returns:
    Tensor: shape ``(*, O)``.

Raises:
    RuntimeError: when dtypes or sizes do not fit.

Example:
    >>> x1, x2 = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0]])
    >>> torch.bilinear(x1, x2, torch.ones(1, 2, 1))
    tensor([[9.]]))",
    .composite = [](const Tensor& a, const Tensor& b, const Tensor& weight, const Tensor& bias) -> Tensor {
      const int64_t last = a.dim() - 1;
      const bool same = a.dtype() == b.dtype() && a.dtype() == weight.dtype();
      check(same || bias.defined(), "All tensors must have the same dtype, got input1: {}, input2: {}, weight: {}", ScalarName(a.dtype()),
            ScalarName(b.dtype()), ScalarName(weight.dtype()));
      check(!bias.defined() || (same && bias.dtype() == a.dtype()),
            "All tensors must have the same dtype, got input1: {}, input2: {}, weight: {}, bias: {}", ScalarName(a.dtype()),
            ScalarName(b.dtype()), ScalarName(weight.dtype()), ScalarName(bias.defined() ? bias.dtype() : a.dtype()));
      check(a.dim() == b.dim(), "bilinear(): input dimensions do not match: got {} and {}", a.dim(), b.dim());
      for (int64_t i = 0; i < last; ++i)
        check(a.size(i) == b.size(i), "bilinear(): input batch dimensions do not match at dim {}: got {} and {}", i, a.size(i), b.size(i));
      check(weight.dim() > 1, ErrorKind::index, messages::dimension_specified_as_1);
      check(!bias.defined() || bias.dim() > 0, ErrorKind::index, messages::dimension_specified_as_0);
      check(a.size(last) == weight.size(1), "bilinear(): input1 size does not match weight size: got {} but expected {}", a.size(last),
            weight.size(1));
      check(b.size(last) == weight.size(2), "bilinear(): input2 size does not match weight size: got {} but expected {}", b.size(last),
            weight.size(2));
      check(!bias.defined() || bias.size(0) == weight.size(0), "bilinear(): bias size does not match weight size: got {} but expected {}",
            bias.defined() ? bias.size(0) : 0, weight.size(0));
      Dims sizes(a.sizes());
      sizes[last] = weight.size(0);
      const Tensor rows1 = op<"reshape">(a, IntList{-1, a.size(last)}), rows2 = op<"reshape">(b, IntList{-1, b.size(last)});
      Tensor out = op<"_trilinear">(rows1, weight, rows2, IntList{1, 3}, IntList{0}, IntList{1, 2}, IntList{2, 3});
      out = op<"reshape">(out, sizes);
      return bias.defined() ? out + bias : out;
    },
    .autocast = on_npu(Autocast::promote),
});

}  // namespace
}  // namespace mt
