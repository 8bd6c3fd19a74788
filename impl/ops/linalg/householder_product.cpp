// linalg_householder_product, orgqr: the first columns of a product of Householder reflectors.
#include "core/messages.h"
#include "rules/linalg/householder.h"

namespace mt {
namespace {

constexpr auto infer_householder_product_shape = [](Specs& out, const Tensor& a, const Tensor& tau) {
  check(a.dim() >= 2, "torch.linalg.householder_product: input must have at least 2 dimensions.");
  check(a.size(-2) >= a.size(-1), "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]");
  check(a.device() == tau.device(),
        "torch.linalg.householder_product: Expected tau and input tensors to be on the same device, but got tau on {} and input on {}",
        tau.device(), a.device());
  check(tau.dim() > 0, ErrorKind::index, messages::dimension_specified_as_minus_1);
  check(a.dim() - tau.dim() == 1,
        "torch.linalg.householder_product: Expected tau to have one dimension less than input, but got tau.ndim equal "
        "to {} and input.ndim is equal to {}",
        tau.dim(), a.dim());
  check(a.size(-1) >= tau.size(-1), "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1]");
  check(IntList(tau.sizes().data, tau.dim() - 1) == batch_of(a),
        "torch.linalg.householder_product: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {}",
        IntList(tau.sizes().data, tau.dim() - 1));
  check(tau.dtype() == a.dtype(), "torch.linalg.householder_product: tau dtype {} does not match input dtype {}", tau.dtype(), a.dtype());
  add_column_major(out, a.sizes(), a.dtype());
};
constexpr auto compute_householder_product = [](const Tensor& a, const Tensor& tau0, Tensor& out) {
  dispatch_lapack(a.dtype(), "orgqr_cpu", [&]<class T>(Type<T>) {
    copy_broadcast_into(out, a);
    if (out.numel() == 0) return;
    const Tensor tau = op<"contiguous">(tau0);
    const int m = lapack_size(a.size(-2)), n = lapack_size(a.size(-1)), k = int(tau.size(-1)), query = -1;
    T answer{};
    int code = 0;
    cpu::lapack::orgqr<T>()(&m, &n, &k, nullptr, &m, nullptr, &answer, &query, &code);
    const int size = workspace_size(answer);
    for_matrices(product(batch_of(a)), 2.0 * m * n * k, [&](int64_t i) {
      std::vector<T> work(static_cast<size_t>(size));
      int info = 0;
      cpu::lapack::orgqr<T>()(&m, &n, &k, matrix_at<T>(out, i), &m, static_cast<const T*>(tau.data()) + i * k, work.data(), &size, &info);
    });
  });
};

MT_OP(OpDef{
    .schema = {"linalg_householder_product(Tensor input, Tensor tau) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the first columns of a product of Householder reflectors: H_1 H_2 ... H_k.

By LAPACK's orgqr and ungqr. H_i = I - tau_i v_i v_i^H, as `torch.geqrf` returns them.

Args:
    input (Tensor): ``(*, m, n)`` with m >= n, the vectors v_i below its diagonal.
    tau (Tensor): ``(*, k)`` with k <= n, of the same dtype.

Returns:
    Tensor: ``(*, m, n)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> a, tau = torch.geqrf(torch.tensor([[3.0], [4.0]]))
    >>> torch.linalg.householder_product(a, tau).abs()
    tensor([[0.6000],
            [0.8000]]))",
    .module = "linalg",
    .rule = structured(infer_householder_product_shape),
    .cpu = compute_householder_product,
    .grad = {wrt({"input", "tau"},
                 [](Grad g, In<"input"> a, In<"tau"> tau) {
                   const Tensor identity = op<"eye.m">(a.size(-2), a.size(-1), a.dtype(), nullptr, a.device());
                   const ReflectorGradients all = reflector_gradients(g, a, tau, op<"expand">(identity, a.sizes()), false);
                   return Tensors<2>{all.vectors, all.tau};
                 })},
    .out_policy =
        OutPolicy{.dtype_error =
                      "torch.linalg.householder_product: Expected result to be safely castable from {} dtype, but got result with dtype {}",
                  .takes_strides_if_empty = true},
});
MT_OP(OpDef{
    .schema = {"orgqr(Tensor self, Tensor input2) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the first columns of a product of Householder reflectors.

It is an older name of `torch.linalg.householder_product`.

Args:
    self (Tensor): ``(*, m, n)`` with m >= n, the vectors below its diagonal.
    input2 (Tensor): the factors tau, ``(*, k)`` with k <= n.

Returns:
    Tensor: ``(*, m, n)``.

Example:
    >>> torch.orgqr(*torch.geqrf(torch.tensor([[3.0], [4.0]]))).abs()
    tensor([[0.6000],
            [0.8000]]))",
    .composite = [](const Tensor& a, const Tensor& tau) -> Tensor { return op<"linalg_householder_product">(a, tau); },
});

}  // namespace
}  // namespace mt
