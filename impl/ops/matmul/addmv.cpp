// addmv: beta * `self` + alpha * (`mat` @ `vec`).
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/form/one_device.h"
#include "rules/matmul/matmul.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

constexpr auto infer_addmv_shape = [](Specs& out, const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar, Scalar) {
  check(mat.dim() == 2 && vec.dim() == 1 && self.dim() <= 1, "vector + matrix @ vector expected, got {}, {}, {}", self.dim(), mat.dim(),
        vec.dim());
  check(mat.size(1) == vec.size(0) && (self.numel() == mat.size(0) || self.numel() == 1), messages::addmv_size_mismatch,
        self.dim() ? self.size(0) : 1, mat.size(0), mat.size(1), vec.size(0));
  check_one_device(mat, vec, self);
  check(self.dtype() == mat.dtype() && mat.dtype() == vec.dtype(), "addmv input tensors must have the same dtype, but got {}, {}, and {}",
        self.dtype(), mat.dtype(), vec.dtype());
  out.add({mat.size(0)}, mat.dtype());
};
Tensor as_column(const Tensor& t) { return alias(t, {t.size(0), 1}, {t.stride(0), 1}, t.storage_offset()); }

MT_OP(OpDef{
    .schema = {"addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes `beta` * `self` + `alpha` * (`mat` @ `vec`).

With `beta` 0 `self` is not read, so that its NaN do not count. For integers the factors lose
their fractions.

Args:
    self (Tensor): broadcasts to ``(n,)``.
    mat (Tensor): ``(n, m)``.
    vec (Tensor): ``(m,)``; all of one dtype.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: ``(n,)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> mat = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.addmv(torch.tensor([1.0, 1.0]), mat, torch.tensor([1.0, 1.0]), alpha=10)
    tensor([31., 71.]))",
    .deprecated_signatures =
        "addmv(Number beta, Tensor input, Number alpha, Tensor mat, Tensor vec)\naddmv(Number beta, Tensor input, Tensor mat, Tensor vec)",
    .rule = structured_exact(infer_addmv_shape, {.self_expands = true}),
    .cpu =
        [](const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha, Tensor& out) {
          const bool whole = self.dim() == 1 && self.size(0) == out.size(0);
          matrix_product(as_column(out), mat, as_column(vec), whole ? as_column(self) : self, beta, alpha);
        },
    .npu = {"Addmv(self, mat, vec, alpha, beta, out, 0)"},
    .compressed = [](const Call& call, const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha) -> Tensor {
      check(call.op.form == Form::functional || mat.dim() == 2, "addmv: Expected mat to be 2-D");
      Specs specs;
      infer_addmv_shape(specs, self, mat, vec, beta, alpha);
      return compressed_addmv(target_or_undefined(call), self, mat, vec, beta, alpha);
    },
    .autocast = on_npu(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, In<"beta", Scalar> beta) { return multiply_by_conj(g, beta); }),
             wrt("mat", [](Grad g, In<"vec"> v, In<"alpha", Scalar> alpha) { return multiply_by_conj(op<"outer">(g, conj(v)), alpha); }),
             wrt("vec",
                 [](Grad g, In<"mat"> m, In<"alpha", Scalar> alpha) { return multiply_by_conj(op<"mv">(conj(op<"t">(m)), g), alpha); })},
});

}  // namespace
}  // namespace mt
