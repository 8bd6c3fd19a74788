// _int_mm: the product of an int8 or uint8 matrix and an int8 matrix, summed in int32.
#include "rules/form/exact_out.h"
#include "rules/matmul/matmul.h"

namespace mt {
namespace {

constexpr auto infer_int_mm_shape = [](Specs& out, const Tensor& self, const Tensor& mat2) {
  self.size(0), mat2.size(wrap_dim(1, mat2.dim()));
  check(self.dim() == 2, "int_mm_out_cpu: Expected self to be of dimension 2 but got {}", self.dim());
  check(mat2.dim() == 2, "int_mm_out_cpu: Expected mat2 to be of dimension 2 but got {}", mat2.dim());
  check(self.size(1) == mat2.size(0), "int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got {} and {}", self.size(1),
        mat2.size(0));
  check(self.dtype() == Dtype::int8 || self.dtype() == Dtype::uint8, "int_mm_out_cpu: Expected self dtype to be int8 or uint8 but got {}",
        ScalarName(self.dtype()));
  check(mat2.dtype() == Dtype::int8, "int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got {}", ScalarName(mat2.dtype()));
  out.add(IntList{self.size(0), mat2.size(1)}, Dtype::int32);
};

MT_OP(OpDef{
    .schema = {"_int_mm(Tensor self, Tensor mat2) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the int32 matrix product of an int8 or uint8 matrix and an int8 matrix.

Quantised layers use it.)",
    .rule = structured_exact(infer_int_mm_shape),
    .cpu =
        [](const Tensor& self, const Tensor& mat2, Tensor& out) {
          BelowAutograd guard;
          matrix_product(out, op<"to.dtype">(self, Dtype::int32), op<"to.dtype">(mat2, Dtype::int32), Tensor(), 0, 1);
        },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
