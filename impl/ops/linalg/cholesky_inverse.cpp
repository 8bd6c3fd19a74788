// cholesky_inverse: the inverse of a matrix from its Cholesky factor.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

constexpr auto compute_cholesky_inverse = [](const Tensor& l, bool upper, Tensor& out) {
  dispatch_lapack(l.dtype(), "cholesky_inverse_out_cpu", [&]<class T>(Type<T>) {
    copy_broadcast_into(out, l);
    if (out.numel() == 0) return;
    const Tensor info = empty(batch_of(l), Dtype::int32);
    const int n = lapack_size(l.size(-1));
    const char side = upper ? 'U' : 'L';
    for_matrices(info.numel(), double(n) * n * n, [&](int64_t b) {
      T* a = matrix_at<T>(out, b);
      cpu::lapack::potri<T>()(&side, &n, a, &n, &info.data<int>()[b], 1);
      // LAPACK writes only one triangle.
      auto mirror = [](T x) {
        if constexpr (is_lapack_complex<T>)
          return std::conj(x);
        else
          return x;
      };
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j + 1; i < n; ++i) {
          T &low = a[i + j * n], &high = a[j + i * n];
          (upper ? low : high) = mirror(upper ? high : low);
        }
    });
    check_info(info, "cholesky_inverse", l.dim() == 2);
  });
};

MT_OP(OpDef{
    .schema = {"cholesky_inverse(Tensor self, bool upper=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the inverse of a matrix from its Cholesky factor: (L L^H)^-1 (LAPACK's potri).

Args:
    self (Tensor): the factor, ``(*, n, n)``; the other triangle is not read.
    upper (bool): whether the factor is U with A = U^H U. Default: ``False``.

Returns:
    Tensor: the shape of `self`.

Raises:
    torch.linalg.LinAlgError: when the factor has a zero on its diagonal.

Example:
    >>> L = torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> torch.cholesky_inverse(L)
    tensor([[ 0.3125, -0.1250],
            [-0.1250,  0.2500]]))",
    .rule = structured([](Specs& out, const Tensor& l, bool) {
      check_square("cholesky_inverse", l);
      add_column_major(out, l.sizes(), l.dtype());
    }),
    .cpu = compute_cholesky_inverse,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> l, Out<"result"> inverse, In<"upper", bool> upper) {
                   const Tensor common = op<"matmul">(op<"matmul">(inverse, g + adjoint(g)), inverse);
                   return *upper ? -op<"matmul">(l, common) : -op<"matmul">(common, l);
                 })},
    .out_policy =
        OutPolicy{.dtype_error = "cholesky_inverse: Expected result to be safely castable from {} dtype, but got result with dtype {}",
                  .takes_strides = true},
});

}  // namespace
}  // namespace mt
