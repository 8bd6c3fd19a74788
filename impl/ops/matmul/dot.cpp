// dot: the sum of products of two vectors; complex numbers are not conjugated.
#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/form/one_device.h"
#include "rules/matmul/matmul.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto check_vectors = [](const Tensor& a, const Tensor& b) {
  check(a.dim() == 1 && b.dim() == 1, messages::expected_1d_tensors, a.dim(), b.dim());
  check(a.dtype() == b.dtype(), messages::dot_dtypes_differ, a.dtype(), b.dtype());
  check(a.numel() == b.numel(), messages::inconsistent_vector_sizes, a.numel(), b.numel(), a.numel(), b.numel());
};

void batch_dot(const BatchCall& c) {
  if (c.tensor(0).dim() != 1 || c.tensor(1).dim() != 1 || c.tensor(0).size(0) != c.tensor(1).size(0)) return batch_looped(c);
  const Tensor rows = op<"unsqueeze">(c.expanded(0), 1), columns = op<"unsqueeze">(c.expanded(1), 2);
  c.set_result(0, op<"view">(op<"matmul">(rows, columns), IntList{c.size}));
}

MT_OP(OpDef{
    .schema = {"dot(Tensor self, Tensor tensor) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the sum of the products of two vectors' elements.

Complex numbers are not conjugated; `torch.vdot` does that.

Args:
    self, tensor (Tensor): ``(n,)``, of one dtype; not bool.

Returns:
    Tensor: a scalar, in the same dtype.

Raises:
    RuntimeError: when the tensors are no vectors, or sizes or dtypes differ.

Example:
    >>> torch.dot(torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6]))
    tensor(32))",
    .rule = structured_exact(
        [](Specs& out, const Tensor& a, const Tensor& b) {
          check_vectors(a, b);
          check_one_device(a, b);
          out.add({}, a.dtype());
        },
        {.dtype_text = "result dtype {1} does not match input dtype {0}"}),
    .cpu =
        [](const Tensor& a, const Tensor& b, Tensor& out) {
          if (a.dtype() == Dtype::boolean || a.dtype() == Dtype::complex32) not_implemented_for("dot", a.dtype());
          inner_product(out, a, b);
        },
    .npu = {"Dot"},
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self", [](Grad g, In<"tensor"> b) { return g * conj(b); }),
             wrt("tensor", [](Grad g, In<"self"> a) { return g * conj(a); })},
    .batch = batch_dot,
});

}  // namespace
}  // namespace mt
