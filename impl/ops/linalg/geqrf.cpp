// geqrf: the QR factorisation as LAPACK leaves it.
#include "rules/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"geqrf(Tensor self) -> (Tensor a, Tensor tau)"},
    .forms = function | method | out,
    .doc = "R on and above the diagonal, the Householder vectors below it, and their factors.",
    .rule = structured([](Specs& out, const Tensor& a) {
      check(a.dim() >= 2, "torch.geqrf: input must have at least 2 dimensions.");
      add_column_major(out, a.sizes(), a.dtype());
      out.add(with_vector(batch_of(a), std::min(a.size(-2), a.size(-1))), a.dtype());
    }),
    .cpu =
        [](const Tensor& a, Tensor& qr, Tensor& tau) {
          dispatch_lapack(a.dtype(), "geqrf_cpu", [&]<class T>(Type<T>) {
            fill_from(qr, a);
            if (qr.numel() == 0) return;
            const int m = lapack_size(a.size(-2)), n = lapack_size(a.size(-1)), k = std::min(m, n), query = -1;
            T answer{};
            int code = 0;
            cpu::lapack::geqrf<T>()(&m, &n, nullptr, &m, nullptr, &answer, &query, &code);
            const int size = workspace_size(answer);
            for_matrices(product(batch_of(a)), 2.0 * m * n * k, [&](int64_t i) {
              std::vector<T> work(static_cast<size_t>(size));
              int info = 0;
              cpu::lapack::geqrf<T>()(&m, &n, matrix_at<T>(qr, i), &m, static_cast<T*>(tau.data()) + i * k, work.data(),
                                      &size, &info);
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
