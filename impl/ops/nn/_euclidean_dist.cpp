// _euclidean_dist: distances by one matrix product: |a - b|^2 = |a|^2 - 2 a.b + |b|^2.
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto compute_euclidean_dist = [](const Tensor& x1, const Tensor& x2) -> Tensor {
  BelowAutograd guard;
  const Tensor norm1 = op<"sum.dim_IntList">(x1 * x1, IntList{-1}, true), norm2 = op<"sum.dim_IntList">(x2 * x2, IntList{-1}, true);
  const Tensor left[] = {x1 * -2, norm1, op<"ones_like">(norm1)}, right[] = {x2, op<"ones_like">(norm2), norm2};
  const Tensor squares = op<"matmul">(op<"cat">(TensorList(left, 3), -1), op<"transpose.int">(op<"cat">(TensorList(right, 3), -1), -2, -1));
  return op<"sqrt">(op<"clamp_min">(squares, 0));
};

MT_OP(OpDef{
    .schema = {"_euclidean_dist(Tensor x1, Tensor x2) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the Euclidean distance of each row of `x1` to each row of `x2` by a matrix product.

``torch.cdist`` uses it for many rows.)",
    .cpu = compute_euclidean_dist,
    .meta = compute_euclidean_dist,
    .grad = {wrt({"x1", "x2"},
                 [](Grad g, In<"x1"> x1, In<"x2"> x2, Out<"result"> y) {
                   Tensor ratio = op<"masked_fill">(g / y, op<"eq">(y, 0), 0);
                   Tensor turned = op<"transpose.int">(ratio, -2, -1);
                   return Tensors<2>{{x1 * op<"sum.dim_IntList">(ratio, IntList{-1}, true) - op<"matmul">(ratio, x2),
                                      x2 * op<"unsqueeze">(op<"sum.dim_IntList">(ratio, IntList{-2}), -1) - op<"matmul">(turned, x1)}};
                 })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
