// geqrf: the QR factorisation in LAPACK's form.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"geqrf(Tensor self) -> (Tensor a, Tensor tau)"},
    .forms = function | method | out,
    .form_overloads = {{"out", "a"}},
    .doc = R"(Computes the QR factors of each matrix as LAPACK's geqrf leaves them.

R is on and above the diagonal, the Householder vectors v_i (whose first element is 1) below it.
Q is the product of H_i = I - tau_i v_i v_i^H; `torch.linalg.householder_product` and
`torch.ormqr` take both results. There is no derivative; see `torch.linalg.qr`.

Args:
    self (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.

Returns:
    tuple of Tensor: ``a``, ``(*, m, n)``, and ``tau``, ``(*, min(m, n))``.

Example:
    >>> a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> torch.triu(a).abs()
    tensor([[5.0000, 2.2000],
            [0.0000, 0.4000]]))",
    .rule = structured([](Specs& out, const Tensor& a) {
      check(a.dim() >= 2, "torch.geqrf: input must have at least 2 dimensions.");
      add_column_major(out, a.sizes(), a.dtype());
      out.add(sizes_of_vectors(batch_of(a), std::min(a.size(-2), a.size(-1))), a.dtype());
    }),
    .cpu =
        [](const Tensor& a, Tensor& qr, Tensor& tau) {
          dispatch_lapack(a.dtype(), "geqrf_cpu", [&]<class T>(Type<T>) {
            copy_broadcast_into(qr, a);
            if (qr.numel() == 0) return;
            const int m = lapack_size(a.size(-2)), n = lapack_size(a.size(-1)), k = std::min(m, n), query = -1;
            T answer{};
            int code = 0;
            cpu::lapack::geqrf<T>()(&m, &n, nullptr, &m, nullptr, &answer, &query, &code);
            const int size = workspace_size(answer);
            for_matrices(product(batch_of(a)), 2.0 * m * n * k, [&](int64_t i) {
              std::vector<T> work(static_cast<size_t>(size));
              int info = 0;
              cpu::lapack::geqrf<T>()(&m, &n, matrix_at<T>(qr, i), &m, static_cast<T*>(tau.data()) + i * k, work.data(), &size, &info);
            });
          });
        },
    .grad = {wrt("self",
                 [](GradOf<0>, GradOf<1>) -> Tensor {
                   fail(ErrorKind::not_implemented, "the derivative for 'geqrf' is not implemented.");
                 })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
