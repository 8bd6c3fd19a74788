// baddbmm: batched matrix products added to a tensor.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/matmul/matmul.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_baddbmm_shape = [](Specs& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar, Scalar) {
  check_dimensions(batch1, 0);
  check_dimensions(batch2, 2);
  const Dims sizes{batch1.size(0), batch1.size(1), batch2.size(2)};
  op<"expand">(self, sizes);  // before the dtypes, as torch does
  check(self.dtype() == batch1.dtype(), "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}", ScalarName(self.dtype()),
        ScalarName(batch1.dtype()), ScalarName(batch2.dtype()));
  check(batch1.dim() == 3, messages::batch1_must_be_3d);
  check(batch2.dim() == 3, messages::batch2_must_be_3d);
  check(batch2.size(0) == batch1.size(0) && batch2.size(1) == batch1.size(2), messages::batch2_sizes_mismatch, batch1.size(0),
        batch1.size(2), batch2.size(0), batch2.size(1));
  out.add(sizes, batch2.dtype());
};

void batch_baddbmm(const BatchCall& c) {
  if (c.tensor(1).dim() != 3 || c.tensor(2).dim() != 3 || c.tensor(0).dim() > 3) return batch_looped(c);
  const Tensor batch1 = c.expanded(1), batch2 = c.front(2);
  const Tensor product = op<"mul">(op<"matmul">(batch1, batch2), c.args[4]);
  if (Scalar::of_value(c.args[3]).equals(0)) return c.set_result(0, product);
  c.set_result(0, op<"add">(op<"mul">(c.padded(c.tensor(0), 3), c.args[3]), product));
}

MT_OP(OpDef{
    .schema = {"baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `beta` * `self` + `alpha` * (`batch1` @ `batch2`), for each matrix of a batch.

With `beta` 0 `self` is not read, so that its NaN do not count.

Args:
    self (Tensor): broadcasts to ``(b, n, m)``.
    batch1 (Tensor): ``(b, n, k)``.
    batch2 (Tensor): ``(b, k, m)``; all of one dtype.
    out_dtype (torch.dtype): the dtype of the result; devices other than the CPU have it.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: ``(b, n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> torch.baddbmm(torch.ones(1), torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()
    tensor([4., 4.]))",
    .deprecated_signatures = "baddbmm(Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2)\nbaddbmm(Number beta, Tensor "
                             "input, Tensor batch1, Tensor batch2)",
    .rule = structured_exact(infer_baddbmm_shape, {.self_expands = true}),
    .cpu = [](const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha,
              Tensor& out) { batched_product(out, batch1, batch2, self, beta, alpha); },
    .npu = {"Baddbmm(self, batch1, batch2, beta, alpha, out, 0)"},
    .autocast = everywhere(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, In<"beta", Scalar> beta) { return multiply_by_conj(g, beta); }),
             wrt("batch1", [](Grad g, In<"batch2"> b,
                              In<"alpha", Scalar> alpha) { return multiply_by_conj(op<"bmm">(g, conj(op<"transpose">(b, 1, 2))), alpha); }),
             wrt("batch2",
                 [](Grad g, In<"batch1"> a, In<"alpha", Scalar> alpha) {
                   return multiply_by_conj(op<"bmm">(conj(op<"transpose">(a, 1, 2)), g), alpha);
                 })},
    .batch = batch_baddbmm,
});

// As in torch, the overload with an `out_dtype` has no CPU kernel.
MT_OP(OpDef{
    .schema =
        {"baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes `beta` * `self` + `alpha` * (`batch1` @ `batch2`), for each matrix of a batch.

With `beta` 0 `self` is not read, so that its NaN do not count.

Args:
    self (Tensor): broadcasts to ``(b, n, m)``.
    batch1 (Tensor): ``(b, n, k)``.
    batch2 (Tensor): ``(b, k, m)``; all of one dtype.
    out_dtype (torch.dtype): the dtype of the result; devices other than the CPU have it.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: ``(b, n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> torch.baddbmm(torch.ones(1), torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()
    tensor([4., 4.]))",
    .meta = [](const Tensor& self, const Tensor& batch1, const Tensor& batch2, Dtype dtype, Scalar beta, Scalar alpha) -> Tensor {
      return op<"to.dtype">(op<"baddbmm">(self, batch1, batch2, beta, alpha), dtype);
    },
});

}  // namespace
}  // namespace mt
