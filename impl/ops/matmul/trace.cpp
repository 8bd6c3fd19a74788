// trace: the sum of a matrix's diagonal.
#include <algorithm>

#include "rules/form/algebra.h"
#include "rules/form/exact_out.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

constexpr auto infer_trace_shape = [](Specs& out, const Tensor& self) {
  check(self.dim() == 2, "trace: expected a matrix, but got tensor with dim {}", self.dim());
  out.add({}, is_integral(self.dtype(), false) ? Dtype::int64 : self.dtype());
};

MT_OP(OpDef{
    .schema = {"trace(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the sum of a matrix's diagonal.

Integers sum in int64. The gradient is 1 on the diagonal.

Args:
    self (Tensor): ``(n, m)``; not bool.

Returns:
    Tensor: a scalar.

Raises:
    RuntimeError: when `self` is no matrix.

Example:
    >>> torch.trace(torch.tensor([[1, 2], [3, 4]]))
    tensor(5))",
    .rule = structured_exact(infer_trace_shape),
    .cpu =
        [](const Tensor& self, Tensor& out) {
          BelowAutograd guard;
          check(self.dtype() != Dtype::boolean, ErrorKind::not_implemented, "\"trace\" not implemented for 'Bool'");
          copy_into(out, op<"sum">(op<"diagonal">(self)));
        },
    .npu = {"Trace"},
    .autocast = Autocast::fp32,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self) {
                   const int64_t n = std::min(self.sizes[0], self.sizes[1]);
                   return op<"diagonal_backward">(op<"expand">(g, IntList{n}), self.sizes, 0, 0, 1);
                 })},
});

}  // namespace
}  // namespace mt
