// addmm: a matrix product added to a tensor.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/form/one_device.h"
#include "rules/matmul/matmul.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "rules/sparse/sparse_products.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_addmm_shape = [](Specs& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar, Scalar) {
  check(mat1.dim() == 2, messages::mat1_must_be_a_matrix, mat1.dim());
  check(mat2.dim() == 2, messages::mat2_must_be_a_matrix, mat2.dim());
  check(mat1.size(1) == mat2.size(0), messages::matrix_shapes_cannot_be_multiplied, mat1.size(0), mat1.size(1), mat2.size(0), mat2.size(1));
  check_one_device(mat1, self);
  check_added_product_dtypes(self, mat1, mat2);
  out.add(IntList{mat1.size(0), mat2.size(1)}, mat1.dtype());
};

void batch_addmm(const BatchCall& c) {
  const Tensor &self = c.tensor(0), &mat1 = c.tensor(1), &mat2 = c.tensor(2);
  if (self.dim() > 2 || mat1.dim() != 2 || mat2.dim() != 2) return batch_looped(c);
  const Tensor product = op<"matmul">(c.front(mat1), c.front(mat2));
  const Scalar beta = Scalar::of_value(c.args[3]), alpha = Scalar::of_value(c.args[4]);
  const bool is_whole = c.batch(mat1) || c.batch(mat2);
  const Tensor whole = is_whole ? product : op<"expand">(product, IntList{c.size, product.size(0), product.size(1)});
  const Tensor scaled = alpha.equals(1) ? whole : op<"mul">(whole, c.args[4]);
  if (beta.equals(0)) return c.set_result(0, scaled);
  const Tensor addend = c.padded(self, 2);
  c.set_result(0, op<"add">(beta.equals(1) ? addend : op<"mul">(addend, c.args[3]), scaled));
}

MT_OP(OpDef{
    .schema = {"addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `beta` * `self` + `alpha` * (`mat1` @ `mat2`).

With `beta` 0 `self` is not read, so that its NaN do not count. For integers the factors lose
their fractions.

Args:
    self (Tensor): broadcasts to ``(n, m)``.
    mat1 (Tensor): ``(n, k)``.
    mat2 (Tensor): ``(k, m)``; all of one dtype.
    out_dtype (torch.dtype): the dtype of the result; devices other than the CPU have it.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: ``(n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> mat1, mat2 = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1], [1]])
    >>> torch.addmm(torch.tensor([[1], [1]]), mat1, mat2, beta=10)
    tensor([[13],
            [17]]))",
    .deprecated_signatures = "addmm(Number beta, Tensor input, Number alpha, Tensor mat1, Tensor mat2)\naddmm(Number beta, Tensor input, "
                             "Tensor mat1, Tensor mat2)",
    .rule = structured_exact(infer_addmm_shape, {.self_expands = true}),
    .cpu = [](const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha,
              Tensor& out) { matrix_product(out, mat1, mat2, self, beta, alpha); },
    .npu = {"Addmm(self, mat1, mat2, beta, alpha, out, 0)"},
    .sparse = [](const Call& call, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha) -> Tensor {
      return add_coordinates_product(target_or_undefined(call), self, mat1, mat2, beta, alpha);
    },
    .compressed = [](const Call& call, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha) -> Tensor {
      return compressed_addmm(call, self, mat1, mat2, beta, alpha);
    },
    .autocast = everywhere(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, In<"beta", Scalar> beta) { return multiply_by_conj(g, beta); }),
             wrt("mat1", [](Grad g, MetaOf<"mat1"> a, In<"mat2"> b,
                            In<"alpha", Scalar> alpha) { return multiply_by_conj(left_gradient(g, a, b), alpha); }),
             wrt("mat2", [](Grad g, In<"mat1"> a, MetaOf<"mat2"> b,
                            In<"alpha", Scalar> alpha) { return multiply_by_conj(right_gradient(g, a, b), alpha); })},
    .batch = batch_addmm,
});

// As in torch, the overload with an `out_dtype` has no CPU kernel.
MT_OP(OpDef{
    .schema = {"addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes `beta` * `self` + `alpha` * (`mat1` @ `mat2`).

With `beta` 0 `self` is not read, so that its NaN do not count. For integers the factors lose
their fractions.

Args:
    self (Tensor): broadcasts to ``(n, m)``.
    mat1 (Tensor): ``(n, k)``.
    mat2 (Tensor): ``(k, m)``; all of one dtype.
    out_dtype (torch.dtype): the dtype of the result; devices other than the CPU have it.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: ``(n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> mat1, mat2 = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1], [1]])
    >>> torch.addmm(torch.tensor([[1], [1]]), mat1, mat2, beta=10)
    tensor([[13],
            [17]]))",
    .meta = [](const Tensor& self, const Tensor& mat1, const Tensor& mat2, Dtype dtype, Scalar beta, Scalar alpha) -> Tensor {
      return op<"to.dtype">(op<"addmm">(self, mat1, mat2, beta, alpha), dtype);
    },
});

}  // namespace
}  // namespace mt
