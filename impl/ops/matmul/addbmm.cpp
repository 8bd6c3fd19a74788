// addbmm: the sum of a batch's matrix products, added to a matrix.
#include "core/messages.h"
#include "rules/form/one_device.h"
#include "rules/matmul/matmul.h"

namespace mt {
namespace {

Dims result_sizes_of(const Tensor& self, const Tensor& batch1, const Tensor& batch2) {
  check_dimensions(batch1, 1);
  check_dimensions(batch2, 2);
  const Dims sizes{batch1.size(1), batch2.size(2)};
  op<"expand">(self, sizes);  // raises if it does not broadcast
  check(batch1.dim() == 3, messages::batch1_must_be_3d);
  check(batch2.dim() == 3, messages::batch2_must_be_3d);
  check(batch1.size(0) == batch2.size(0), "batch1 and batch2 must have same number of batches, got {} and {}", batch1.size(0),
        batch2.size(0));
  check(batch1.size(2) == batch2.size(1), "Incompatible matrix sizes for bmm ({}x{} and {}x{})", batch1.size(1), batch1.size(2),
        batch2.size(1), batch2.size(2));
  return sizes;
}
constexpr auto infer_addbmm_shape = [](Specs& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar, Scalar) {
  const Dims sizes = result_sizes_of(self, batch1, batch2);
  check_added_product_dtypes(self, batch1, batch2);
  out.add(sizes, batch1.dtype());
};

// For in-place and out= forms: converts `self` to the dtype of the target, in which the result is computed. torch does not check the
// target's shape.
void write_addbmm(const Tensor& target, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                  const Scalar& alpha) {
  BelowAutograd guard;
  const Tensor result = op<"addbmm">(self.dtype() == target.dtype() ? self : op<"to.dtype">(self, target.dtype()), batch1, batch2, beta,
                                     alpha);
  check_copy_device(result.device(), target.device());
  store_result(target, result);
}
constexpr auto addbmm_in_place = [](const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha) {
  write_addbmm(self, self, batch1, batch2, beta, alpha);
};
constexpr auto addbmm_into = [](const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha,
                                const Tensor& out) {
  result_sizes_of(self, batch1, batch2);
  check_copy_device(self.device(), out.device());
  write_addbmm(out, self, batch1, batch2, beta, alpha);
};
constexpr auto differentiate_by_batch1 = [](Grad g, In<"batch2"> b, In<"alpha", Scalar> alpha) {
  return multiply_by_conj(op<"bmm">(op<"expand">(op<"unsqueeze">(g, 0), IntList{b.size(0), g.size(0), g.size(1)}),
                                    conj(op<"transpose">(b, 1, 2))),
                          alpha);
};
constexpr auto differentiate_by_batch2 = [](Grad g, In<"batch1"> a, In<"alpha", Scalar> alpha) {
  return multiply_by_conj(op<"bmm">(conj(op<"transpose">(a, 1, 2)),
                                    op<"expand">(op<"unsqueeze">(g, 0), IntList{a.size(0), g.size(0), g.size(1)})),
                          alpha);
};

MT_OP(OpDef{
    .schema = {"addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes `beta` * `self` + `alpha` * the sum over the batch of `batch1` @ `batch2`.

With `beta` 0 `self` is not read, so that its NaN do not count.

Args:
    self (Tensor): broadcasts to ``(n, m)``.
    batch1 (Tensor): ``(b, n, k)``.
    batch2 (Tensor): ``(b, k, m)``; all of one dtype.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: ``(n, m)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> torch.addbmm(torch.zeros(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[6.]]))",
    .deprecated_signatures = "addbmm(Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2)\naddbmm(Number beta, Tensor "
                             "input, Tensor batch1, Tensor batch2)",
    .rule = structured(infer_addbmm_shape),
    .cpu =
        [](const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, Tensor& out) {
          BelowAutograd guard;
          if (is_half(out.dtype())) {  // torch rounds after each matrix of the batch
            matrix_product(out, op<"select">(batch1, 0, 0), op<"select">(batch2, 0, 0), self, beta, alpha);
            for (int64_t i = 1; i < batch1.size(0); ++i)
              matrix_product(out, op<"select">(batch1, 0, i), op<"select">(batch2, 0, i), out, 1, alpha);
            return;
          }
          // One product with a long inner dimension: batch and inner dimension are merged, and summed over together.
          const int64_t inner = batch1.size(0) * batch1.size(2);
          Tensor a = op<"reshape">(op<"permute">(batch1, IntList{1, 0, 2}), IntList{batch1.size(1), inner});
          matrix_product(out, a, op<"reshape">(batch2, IntList{inner, batch2.size(2)}), self, beta, alpha);
        },
    .npu = {"Addbmm(self, batch1, batch2, beta, alpha, out, 0)"},
    .autocast = everywhere(Autocast::lower_precision),
    .grad = {wrt("self", [](Grad g, In<"beta", Scalar> beta) { return multiply_by_conj(g, beta); }), wrt("batch1", differentiate_by_batch1),
             wrt("batch2", differentiate_by_batch2)},
});
MT_OP(OpDef{
    .schema = {"addbmm.out(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes `beta` * `self` + `alpha` * the sum over the batch of `batch1` @ `batch2` into `out`.",
    .cpu = addbmm_into,
    .npu = {any_device},
    .meta = addbmm_into,
});
MT_OP(OpDef{
    .schema = {"addbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Computes `torch.addbmm` in place.

`self` takes the result's size where it was broadcast.

Args:
    self (Tensor): ``(n, m)``; changed in place.
    batch1 (Tensor): ``(b, n, k)``.
    batch2 (Tensor): ``(b, k, m)``; all of one dtype.
    beta (number): factor of `self`. Default: ``1``.
    alpha (number): factor of the product. Default: ``1``.

Returns:
    Tensor: `self`.

Example:
    >>> torch.ones(1, 1).addbmm_(torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[7.]]))",
    .cpu = addbmm_in_place,
    .meta = addbmm_in_place,
    .autocast = Autocast::lower_precision,
    .grad = {wrt("self", [](Grad g, In<"beta", Scalar> beta,
                            MetaOf<"self"> self) { return multiply_by_conj(op<"sum_to_size">(g, self.sizes), beta); }),
             wrt("batch1", differentiate_by_batch1), wrt("batch2", differentiate_by_batch2)},
    .grad_name = "AddbmmBackward0",
});

}  // namespace
}  // namespace mt
