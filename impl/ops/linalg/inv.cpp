// linalg_inv_ex, linalg_inv, inverse: the inverse of a square matrix.
#include "dispatch/out_words.h"
#include "rules/lu.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& a, bool) {
  check_square("linalg.inv", a);
  check_linalg_dtype("linalg.inv", a);
  add_column_major(out, a.sizes(), a.dtype());
  out.add(batch_of(a), Dtype::int32);
};
constexpr auto kernel = [](const Tensor& a, bool check_errors, Tensor& inverse, Tensor& info) {
  const Tensor pivots = empty(IntList(a.sizes().data, a.dim() - 1), Dtype::int32);
  fill_from(inverse, a);
  lu_factor_in_place(inverse, pivots, info);
  if (check_errors) check_info(info, "linalg.inv_ex", a.dim() == 2);
  if (lu_invert_in_place(inverse, pivots, info)) return;
  // Where one is singular, all are solved for the identity: what divides by zero shows it.
  const Tensor lu = column_major_copy(inverse, a.sizes());
  BelowAutograd guard;
  op<"zero_">(inverse);
  op<"fill_">(diagonal_of(inverse), 1);
  lu_solve_in_place(lu, pivots, inverse, 'N');
};

MT_OP(OpDef{
    .schema = {"linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)"},
    .forms = function | out,
    .doc = "The inverse, and for each matrix 0 or the place of the zero that makes it singular.",
    .module = "linalg",
    .rule = structured(shape),
    .cpu = kernel,
    .npu = {"Inverse(A, out.0)"},
    .grad = {wrt("A",
                 [](Grad g, Out<"inverse"> inverse) {
                   return -op<"matmul">(adjoint(inverse), op<"matmul">(g, adjoint(inverse)));
                 })},
});
MT_OP(OpDef{
    .schema = {"linalg_inv(Tensor A) -> Tensor"},
    .forms = function | out,
    .doc = "The inverse; LinAlgError where a matrix is singular.",
    .module = "linalg",
    .composite = [](const Tensor& a) -> Tensor {
      auto both = op<"linalg_inv_ex", Tensors<2>>(a, false);
      check_info(both[1], "linalg.inv", a.dim() == 2);
      return both[0];
    },
});
MT_OP(OpDef{
    .schema = {"inverse(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "linalg_inv's older name.",
    .composite = [](const Tensor& a) -> Tensor { return op<"linalg_inv">(a); },
});

MT_BATCH("linalg_inv_ex", batch_leading);

MT_OUT("linalg_inv", .device = "Expected out tensor to have device {}, but got {} instead", .keeps_strides = true,
       .recorded_as = "linalg_inv_ex");

}  // namespace
}  // namespace mt
