// linalg_inv_ex, linalg_inv, inverse: the inverse of a square matrix.
#include "rules/lu.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& a, bool) {
  check_square("linalg.inv", a);
  check_linalg_dtype("linalg.inv", a);
  add_column_major(out, a.sizes(), a.dtype());
  out.add(batch_of(a), Dtype::int32);
};
// LAPACK's getri needs two thirds of the work of a solve for the identity, but no answer where the matrix is singular.
bool invert_factors(const Tensor& lu, const Tensor& pivots, const Tensor& info) {
  const int64_t order = lu.size(-1);
  if (order <= 24) return false;
  for (int64_t i = 0; i < info.numel(); ++i)
    if (info.data<int>()[i] != 0) return false;
  dispatch_lapack(lu.dtype(), "linalg_inv_cpu", [&]<class T>(Type<T>) {
    const int n = lapack_size(order), query = -1;
    for_matrices(info.numel(), 2.0 * double(order) * double(order) * double(order), [&](int64_t i) {
      T answer{};
      int code = 0;
      const int* p = pivots.data<int>() + i * order;
      cpu::lapack::getri<T>()(&n, matrix_at<T>(lu, i), &n, p, &answer, &query, &code);
      const int size = workspace_size(answer);
      std::vector<T> work(static_cast<size_t>(size));
      cpu::lapack::getri<T>()(&n, matrix_at<T>(lu, i), &n, p, work.data(), &size, &code);
    });
  });
  return true;
}
constexpr auto kernel = [](const Tensor& a, bool check_errors, Tensor& inverse, Tensor& info) {
  const int64_t n = a.size(-1);
  const Tensor pivots = empty(IntList(a.sizes().data, a.dim() - 1), Dtype::int32);
  fill_from(inverse, a);
  if (n > 24) {
    lu_factor_in_place(inverse, pivots, info);
    if (check_errors) check_info(info, "linalg.inv_ex", a.dim() == 2);
    if (invert_factors(inverse, pivots, info)) return;
  }
  const Tensor lu = column_major_copy(a, a.sizes());
  lu_factor_in_place(lu, pivots, info);
  if (check_errors) check_info(info, "linalg.inv_ex", a.dim() == 2);
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
    .grad = {wrt("A", [](Grad g, Out<"inverse"> inverse) { return -op<"matmul">(adjoint(inverse), op<"matmul">(g, adjoint(inverse))); })},
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

}  // namespace
}  // namespace mt
