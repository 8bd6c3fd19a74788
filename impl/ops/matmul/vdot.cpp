// vdot: the sum of products of two vectors, the first conjugated.
#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/exact_out.h"
#include "rules/form/one_device.h"
#include "rules/matmul/matmul.h"

namespace mt {
namespace {

constexpr auto infer_vdot_shape = [](Specs& out, const Tensor& a, const Tensor& b) {
  check(a.dim() == 1 && b.dim() == 1, messages::expected_1d_tensors, a.dim(), b.dim());
  check(a.dtype() == b.dtype(), messages::dot_dtypes_differ, a.dtype(), b.dtype());
  check(a.numel() == b.numel(), messages::inconsistent_vector_sizes, a.numel(), b.numel(), a.numel(), b.numel());
  check_one_device(a, b);
  out.add({}, a.dtype());
};

MT_OP(OpDef{
    .schema = {"vdot(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the sum of the products of two vectors' elements, those of `self` conjugated.

Args:
    self, other (Tensor): ``(n,)``, of one dtype; not bool.

Returns:
    Tensor: a scalar, in the same dtype.

Raises:
    RuntimeError: when the tensors are no vectors, or sizes or dtypes differ.

Example:
    >>> torch.vdot(torch.tensor([1 + 1j, 2j]), torch.tensor([1 + 1j, 2j]))
    tensor(6.+0.j))",
    .rule = structured_exact(infer_vdot_shape, {.dtype_text = "result dtype {1} does not match input dtype {0}"}),
    .cpu =
        [](const Tensor& a, const Tensor& b, Tensor& out) {
          if (!a.device().is_cpu()) {
            BelowAutograd guard;
            return copy_into(out, op<"dot">(conj(a), b));
          }
          if (a.dtype() == Dtype::boolean) not_implemented_for("dot", a.dtype());
          if (a.dtype() == Dtype::complex32) not_implemented_for("vdot", a.dtype());
          conjugate_inner_product(out, a, b);
        },
    .npu = {any_device},
    .grad = {wrt("self", [](Grad g, In<"other"> b) { return conj(g) * b; }), wrt("other", [](Grad g, In<"self"> a) { return g * a; })},
});

}  // namespace
}  // namespace mt
