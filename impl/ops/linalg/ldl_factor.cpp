// linalg_ldl_factor_ex, linalg_ldl_factor: factors a symmetric or Hermitian matrix as L D L^T with row exchanges (Bunch and
// Kaufman).
#include "rules/form/exact_out.h"
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

constexpr auto infer_ldl_factor_shape = [](Specs& out, const Tensor& a, bool, bool) {
  check_square("torch.linalg.ldl_factor_ex", a);
  check_floating("torch.linalg.ldl_factor_ex", a);
  add_column_major(out, a.sizes(), a.dtype());
  out.add(IntList(a.sizes().data, a.dim() - 1), Dtype::int32);
  out.add(batch_of(a), Dtype::int32);
};
constexpr auto compute_ldl_factor = [](const Tensor& a, bool hermitian, bool check_errors, Tensor& ld, Tensor& pivots, Tensor& info) {
  dispatch_lapack(a.dtype(), "ldl_factor_kernel_cpu", [&]<class T>(Type<T>) {
    {
      BelowAutograd guard;
      op<"zero_">(info);
      copy_into(ld, op<"tril">(op<"resolve_conj">(a)));
    }
    if (a.numel() == 0) return;
    const int n = lapack_size(a.size(-1)), query = -1;
    const char side = 'L';
    auto* const factor = hermitian ? cpu::lapack::hetrf<T>() : cpu::lapack::sytrf<T>();
    T answer{};
    int code = 0;
    factor(&side, &n, nullptr, &n, nullptr, &answer, &query, &code, 1);
    const int size = workspace_size(answer);
    for_matrices(info.numel(), double(n) * n * n / 3, [&](int64_t i) {
      std::vector<T> work(static_cast<size_t>(size));
      factor(&side, &n, matrix_at<T>(ld, i), &n, pivots.data<int>() + i * n, work.data(), &size, &info.data<int>()[i], 1);
    });
  });
  if (check_errors) check_info(info, "torch.linalg.ldl_factor_ex", a.dim() == 2);
};

MT_OP(OpDef{
    .schema = {"linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, "
               "Tensor pivots, Tensor info)"},
    .forms = function | out,
    .doc = R"(Computes the LDL factors of each symmetric or Hermitian matrix, and a code instead of an error.

As `torch.linalg.ldl_factor`. A code of k says that D's k-th diagonal element is 0.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    hermitian (bool): whether complex matrices are Hermitian rather than symmetric. Default:
        ``False``.
    check_errors (bool): whether to raise on a code other than 0. Default: ``False``.

Returns:
    tuple of Tensor: ``LD``, ``(*, n, n)``, ``pivots``, int32, ``(*, n)``, and ``info``, int32,
        ``(*)``.

Example:
    >>> torch.linalg.ldl_factor_ex(torch.tensor([[4.0, 2.0], [2.0, 5.0]])).info
    tensor(0, dtype=torch.int32))",
    .module = "linalg",
    .rule = structured_exact(infer_ldl_factor_shape),
    .cpu = compute_ldl_factor,
});
MT_OP(OpDef{
    .schema = {"linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)"},
    .forms = function | out,
    .doc = R"(Computes the LDL factors of each symmetric or Hermitian matrix, with exchanges of rows.

By the method of Bunch and Kaufman (1977). A = P L D L^T P^T (L^H if `hermitian`) with a unit
triangle L and blocks of size 1 and 2 in D, as LAPACK's sytrf and hetrf store them: the lower
triangle of A is read, and that of ``LD`` counts. A negative pivot stands for half of a block of
size 2. `torch.linalg.ldl_solve` takes the results. There is no derivative.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    hermitian (bool): whether complex matrices are Hermitian rather than symmetric. Default:
        ``False``.

Returns:
    tuple of Tensor: ``LD``, ``(*, n, n)``, and ``pivots``, int32, ``(*, n)``.

Raises:
    RuntimeError: when D has a 0 on its diagonal.

Example:
    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> LD
    tensor([[4.0000, 0.0000],
            [0.5000, 4.0000]])
    >>> pivots
    tensor([1, 2], dtype=torch.int32))",
    .module = "linalg",
    .composite =
        [](const Tensor& a, bool hermitian) {
          auto parts = op<"linalg_ldl_factor_ex", Tensors<3>>(a, hermitian, false);
          check_info(parts[2], "torch.linalg.ldl_factor", a.dim() == 2);
          return Tensors<2>{parts[0], parts[1]};
        },
    .out_policy = OutPolicy{.recorded_as = "aten::linalg_ldl_factor_ex", .takes_strides = true},
});

}  // namespace
}  // namespace mt
