// linalg_lu_factor_ex, linalg_lu_factor, _lu_with_info: P L U in one matrix and its row exchanges.
#include "rules/lu.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& a, bool, bool) {
  check(a.dim() >= 2, "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {} instead", a.sizes());
  add_column_major(out, a.sizes(), a.dtype());
  out.add(with_vector(batch_of(a), std::min(a.size(-2), a.size(-1))), Dtype::int32);
  out.add(batch_of(a), Dtype::int32);
};
constexpr auto kernel = [](const Tensor& a, bool pivot, bool check_errors, Tensor& lu, Tensor& pivots, Tensor& info) {
  dispatch_lapack(a.dtype(), "lu_cpu", [](auto) {});
  check(pivot, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
  fill_from(lu, a);
  lu_factor_in_place(lu, pivots, info);
  if (check_errors) check_info(info, "torch.linalg.lu_factor_ex", a.dim() == 2);
};

MT_OP(OpDef{
    .schema = {"linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor "
               "pivots, Tensor info)"},
    .forms = function | out,
    .doc = "L below the diagonal and U on and above it, with A = P L U; each row's exchange, counted from 1; the first "
           "zero of U's diagonal.",
    .module = "linalg",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("A",
                 [](Grad g, Out<"LU"> lu, Out<"pivots"> pivots, In<"pivot", bool> pivot) {
                   const int64_t k = std::min(lu.size(-2), lu.size(-1));
                   auto parts = op<"lu_unpack", Tensors<3>>(lu, pivots, true, *pivot);
                   const Tensor gl = op<"tril">(op<"narrow">(g, -1, 0, k), -1),
                                gu = op<"triu">(op<"narrow">(g, -2, 0, k));
                   return lu_gradient(gl, gu, *pivot ? parts[0] : Tensor(), parts[1], parts[2]);
                 })},
});
MT_OP(OpDef{
    .schema = {"linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)"},
    .forms = function | out,
    .doc = "linalg_lu_factor_ex that refuses singular matrices.",
    .module = "linalg",
    .composite =
        [](const Tensor& a, bool pivot) {
          auto parts = op<"linalg_lu_factor_ex", Tensors<3>>(a, pivot, false);
          check_info(parts[2], "torch.linalg.lu_factor", a.dim() == 2);
          return Tensors<2>{parts[0], parts[1]};
        },
});

std::atomic<bool> warned;
MT_OP(OpDef{
    .schema = {"_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, "
               "Tensor info)"},
    .forms = function,
    .doc = "What torch.lu stands on.",
    .composite =
        [](const Tensor& a, bool pivot, bool) {
          warn_once(warned,
                    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be "
                    "removed in a future PyTorch "
                    "release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
                    "torch.linalg.lu_factor(A, "
                    "compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be "
                    "replaced with\nLU, pivots, "
                    "info = torch.linalg.lu_factor_ex(A, compute_pivots)");
          return op<"linalg_lu_factor_ex", Tensors<3>>(a, pivot, false);
        },
});

MT_BATCH("linalg_lu_factor_ex", batch_leading);

}  // namespace
}  // namespace mt
