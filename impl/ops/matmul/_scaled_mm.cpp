// _scaled_mm: the product of two float8 matrices with scales.
#include "rules/form/exact_out.h"
#include "rules/matmul/scaled_product.h"

namespace mt {
namespace {

bool are_single_scales(const Tensor& a, const Tensor& b) { return a.numel() == 1 && b.numel() == 1; }
bool are_row_scales(const Tensor& self, const Tensor& mat2, const Tensor& a, const Tensor& b) {
  return a.dim() == 2 && b.dim() == 2 && a.size(0) == self.size(0) && a.size(1) == 1 && b.size(0) == 1 &&
         b.size(1) == mat2.size(mat2.dim() - 1) && a.is_contiguous() && b.is_contiguous();
}

constexpr auto infer_scaled_product = [](Specs& out, const Call& call, const Tensor& self, const Tensor& mat2, const Tensor& scale_a,
                                         const Tensor& scale_b, const Tensor& bias, const Tensor&, std::optional<Dtype> dtype, bool) {
  const bool has_dtypes = is_float8(self.dtype()) && is_float8(mat2.dtype()) && scale_a.dtype() == Dtype::float32 &&
                          scale_b.dtype() == Dtype::float32;
  if (!has_dtypes || !(are_single_scales(scale_a, scale_b) || are_row_scales(self, mat2, scale_a, scale_b)))
    refuse_scales(self, mat2, scale_a, scale_b);
  check(self.dim() == 2, "mat1 must be a matrix");
  check(mat2.dim() == 2, "mat2 must be a matrix");
  check(self.size(1) == mat2.size(0), "mat_a and mat_b shapes cannot be multiplied ({}x{} and {}x{})", self.size(0), self.size(1),
        mat2.size(0), mat2.size(1));
  check_scaled_bias(bias, mat2.size(1), ErrorKind::runtime);
  out.add(IntList{self.size(0), mat2.size(1)}, dtype.value_or(default_dtype_of(call, self)));
};

MT_OP(OpDef{
    .schema = {"_scaled_mm(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias=None, Tensor? scale_result=None, "
               "ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Multiplies two float8 matrices with scales; torch.nn.functional.scaled_mm documents the product.)",
    .rule = structured_exact(infer_scaled_product),
    .cpu =
        [](const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b, const Tensor& bias, const Tensor&,
           std::optional<Dtype>, bool, Tensor& out) {
          BelowAutograd guard;
          scaled_product(out, self, mat2, scale_a, scale_b, bias);
        },
    .out_policy = OutPolicy{.dtype_error = "out_dtype must match output matrix type", .dtype_error_kind = ErrorKind::value},
});

}  // namespace
}  // namespace mt
