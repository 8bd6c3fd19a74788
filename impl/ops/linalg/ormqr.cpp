// ormqr: a matrix times a product of Householder reflectors.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/linalg/householder.h"

namespace mt {
namespace {

IntList sizes_without_last(const Tensor& t, int64_t n_last) { return {t.sizes().data, t.dim() - n_last}; }

constexpr auto infer_ormqr_shape = [](Specs& out, const Tensor& a, const Tensor& tau, const Tensor& c, bool left, bool) {
  check(a.dim() >= 2, "torch.ormqr: input must have at least 2 dimensions.");
  check(c.dim() >= 2, "torch.ormqr: other must have at least 2 dimensions.");
  const int64_t side = left ? -2 : -1;
  const char* name = left ? "-2" : "-1";
  for (const Tensor* t : {&tau, &c})
    check(t->device() == a.device(),
          "torch.ormqr: Expected {} and input tensors to be on the same device, but got {} on {} and input on {}",
          t == &tau ? "tau" : "other", t == &tau ? "tau" : "other", t->device(), a.device());
  check(tau.dim() > 0, ErrorKind::index, messages::dimension_specified_as_minus_1);
  check(c.size(side) == a.size(-2), "torch.ormqr: other.shape[{}] must be equal to input.shape[-2]", name);
  check(tau.size(-1) == std::min(c.size(side), a.size(-1)),
        "torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{}], input.shape[-1])", name);
  check(a.dim() - tau.dim() == 1,
        "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim equal to {} and input.ndim "
        "is equal to {}",
        tau.dim(), a.dim());
  check(a.dim() == c.dim(),
        "torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim equal to {} "
        "and input.ndim is equal to {}",
        c.dim(), a.dim());
  check(sizes_without_last(tau, 1) == batch_of(a),
        "torch.ormqr: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {}", sizes_without_last(tau, 1));
  check(sizes_without_last(c, 2) == batch_of(a),
        "torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but got {}", sizes_without_last(c, 2));
  check(tau.dtype() == a.dtype(), "torch.ormqr: Expected input and tau to have the same dtype, but input has dtype{} and tau has dtype {}",
        a.dtype(), tau.dtype());
  check(c.dtype() == a.dtype(),
        "torch.ormqr: Expected input and other to have the same dtype, but input has dtype{} and other has dtype {}", a.dtype(), c.dtype());
  add_column_major(out, c.sizes(), c.dtype());
};
constexpr auto compute_ormqr = [](const Tensor& a, const Tensor& tau0, const Tensor& c, bool left, bool transpose, Tensor& out) {
  dispatch_lapack(a.dtype(), "ormqr_cpu", [&]<class T>(Type<T>) {
    copy_broadcast_into(out, c);
    if (out.numel() == 0 || tau0.numel() == 0) return;
    const Tensor tau = op<"contiguous">(tau0), vectors = column_major_copy(a, a.sizes());
    const char side = left ? 'L' : 'R', mode = !transpose ? 'N' : is_lapack_complex<T> ? 'C' : 'T';
    const int m = lapack_size(c.size(-2)), n = lapack_size(c.size(-1)), k = int(tau.size(-1)), lda = int(a.size(-2)), query = -1;
    T answer{};
    int code = 0;
    cpu::lapack::ormqr<T>()(&side, &mode, &m, &n, &k, nullptr, &lda, nullptr, nullptr, &m, &answer, &query, &code, 1, 1);
    const int size = workspace_size(answer);
    for_matrices(product(batch_of(a)), 4.0 * m * n * k, [&](int64_t i) {
      std::vector<T> work(static_cast<size_t>(size));
      int info = 0;
      cpu::lapack::ormqr<T>()(&side, &mode, &m, &n, &k, matrix_at<T>(vectors, i), &lda, static_cast<const T*>(tau.data()) + i * k,
                              matrix_at<T>(out, i), &m, work.data(), &size, &info, 1, 1);
    });
  });
};

MT_OP(OpDef{
    .schema = {"ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Multiplies by Q, the whole product of Householder reflectors, without forming it.

By LAPACK's ormqr and unmqr: Q C, or Q^H C with `transpose`; C Q and C Q^H if not `left`.

Args:
    self (Tensor): ``(*, m, n)`` with the reflectors below its diagonal, as `torch.geqrf` returns
        them.
    input2 (Tensor): the factors tau, ``(*, min(m, n))``.
    input3 (Tensor): the matrix C, ``(*, m, k)``, or ``(*, k, m)`` if not `left`.
    left (bool): whether Q stands on the left. Default: ``True``.
    transpose (bool): whether to use Q^H. Default: ``False``.

Returns:
    Tensor: the shape of `input3`.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> a, tau = torch.geqrf(A)
    >>> torch.ormqr(a, tau, torch.triu(a)).round(decimals=4)
    tensor([[3., 1.],
            [4., 2.]]))",
    .rule = structured_exact(infer_ormqr_shape),
    .cpu = compute_ormqr,
    .grad = {wrt({"self", "input2", "input3"},
                 [](Grad g, Wanted wanted, In<"self"> a, In<"input2"> tau, In<"input3"> c, In<"left", bool> left,
                    In<"transpose", bool> transpose) {
                   Tensors<3> out;
                   out[2] = op<"ormqr">(a, tau, g, *left, !*transpose);
                   if (!wanted[0] && !wanted[1]) return out;
                   // C Q is (Q^H C^H)^H.
                   const ReflectorGradients all = *left ? reflector_gradients(g, a, tau, c, *transpose)
                                                        : reflector_gradients(adjoint(g), a, tau, adjoint(c), !*transpose);
                   out[0] = all.vectors;
                   out[1] = all.tau;
                   return out;
                 })},
    .no_forward = true,
    .out_policy =
        OutPolicy{
            .dtype_error = "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{} and result has dtype {}",
            .takes_strides_if_empty = true},
});

}  // namespace
}  // namespace mt
