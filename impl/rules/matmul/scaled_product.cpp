// As in torch, rows are scaled before they are multiplied.
#include "rules/matmul/scaled_product.h"

#include "core/exception.h"
#include "rules/form/algebra.h"
#include "rules/matmul/matmul.h"

namespace mt {
namespace {

std::string describe(const char* matrix, const Tensor& m, const char* scale, const Tensor& s, const char* conjunction) {
  return text("{}.dtype()={}, {}.dtype()={}, {}.size()={}{}{}.stride()={}", matrix, m.dtype(), scale, s.dtype(), scale, s.sizes(),
              conjunction, scale, s.strides());
}

}  // namespace

void scaled_product(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& scale_a, const Tensor& scale_b, const Tensor& bias) {
  const auto scaled = [](const Tensor& t, const Tensor& scale) { return op<"mul_">(op<"to.dtype">(t, Dtype::float32), scale); };
  const Tensor added = bias.defined() ? op<"to.dtype">(bias, Dtype::float32) : bias;
  const Tensor product = out.dtype() == Dtype::float32 ? out : op<"new_empty">(scale_a, out.sizes());
  matrix_product(product, scaled(a, scale_a), scaled(b, scale_b), added, bias.defined() ? 1 : 0, 1);
  if (product.data() != out.data()) copy_into(out, product);
}

void refuse_scales(const Tensor& a, const Tensor& b, const Tensor& scale_a, const Tensor& scale_b) {
  std::string got;
  if (scale_a.defined() && scale_b.defined())
    got = describe("mat_a", a, "scale_a", scale_a, ", ") + ", " + describe("mat_b", b, "scale_b", scale_b, " and ");
  else
    got = text("mat_a.dtype()={}, scale_a=None, mat_b.dtype()={} and scale_b=None", a.dtype(), b.dtype());
  fail(ErrorKind::value,
       "Invalid scaling configuration.\n- For TensorWise scaling, a and b should be float8, scales should be float and singletons.\n- For "
       "RowWise scaling, a and b should be float8, scales should be float, scale_a should be ({}, 1) and scale_b should be (1, {}), and "
       "both should be contiguous.\nGot {}",
       a.size(0), b.size(b.dim() - 1), got);
}

void check_scaled_bias(const Tensor& bias, int64_t columns, ErrorKind kind) {
  if (bias.defined()) check(bias.numel() == columns, kind, "Bias must be size {} but got {}", columns, bias.numel());
}

}  // namespace mt
