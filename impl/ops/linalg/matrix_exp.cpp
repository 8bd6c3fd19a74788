// linalg_matrix_exp, matrix_exp: the exponential of a square matrix, by a Taylor polynomial and repeated squaring.
#include "rules/form/exact_out.h"
#include "rules/linalg/matrix_exponential.h"
#include "vmap/rule.h"

namespace mt {
namespace {

template <class T>
struct ExpTypeOf {
  using type = ComputeType<T>;
};
template <class R>
struct ExpTypeOf<Complex<R>> {
  using type = std::complex<R>;
};

constexpr auto infer_matrix_exp_shape = [](Specs& out, const Tensor& a) {
  check_square("linalg.matrix_exp", a);
  check_floating("linalg.matrix_exp", a);
  out.add(a.sizes(), a.dtype());
};
constexpr auto compute_matrix_exp = [](const Tensor& a, Tensor& out) {
  if (a.numel() == 0) return;
  dispatch_floating_and_complex(a.dtype(), "linalg_matrix_exp", [&]<class T>(Type<T>) {
    using C = typename ExpTypeOf<T>::type;
    const bool direct = sizeof(C) == sizeof(T);
    const Tensor work = direct ? out : empty(a.sizes(), Dtype::float32);
    copy_broadcast_into(work, a);
    const int64_t n = a.size(-1);
    C* first = static_cast<C*>(work.data());
    for_matrices(product(batch_of(a)), 20.0 * double(n) * double(n) * double(n),
                 [&](int64_t i) { Exponential<C>(n).compute_in_place(first + i * n * n); });
    if (!direct) copy_into(out, work);
  });
};

// The exponential of [[A, E], [0, A]] has the derivative of exp at A along E in its upper right block; the gradient uses A^H and the
// incoming gradient instead. Mathias, "A chain rule for matrix functions", 1996.
Tensor differentiate_matrix_exp(const Tensor& a, const Tensor& g) {
  const int64_t n = a.size(-1);
  const Tensor ah = adjoint(a);
  const Tensor upper = op<"cat">(std::vector<Tensor>{ah, op<"to.dtype">(g, a.dtype())}, -1);
  const Tensor lower = op<"cat">(std::vector<Tensor>{op<"zeros_like">(ah), ah}, -1);
  const Tensor both = op<"linalg_matrix_exp">(op<"cat">(std::vector<Tensor>{upper, lower}, -2));
  return op<"narrow">(op<"narrow">(both, -2, 0, n), -1, n, n);
}

MT_OP(OpDef{
    .schema = {"linalg_matrix_exp(Tensor self) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the exponential of each square matrix: the sum of A^k / k! over k.

By scaling, a Taylor polynomial and squarings (Bader, Blanes and Casas, "Computing the matrix
exponential with an optimized Taylor polynomial", 2019). The gradient is a block of the
exponential of a matrix of twice the size (Mathias, 1996).

Args:
    self (Tensor): ``(*, n, n)``; floating or complex.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when the matrices are not square or not floating.

Example:
    >>> torch.linalg.matrix_exp(torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]]))",
    .module = "linalg",
    .rule = structured_exact(infer_matrix_exp_shape),
    .cpu = compute_matrix_exp,
    .grad = {wrt("self", [](Grad g, In<"self"> a) { return differentiate_matrix_exp(a, g); })},
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"matrix_exp(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the exponential of each square matrix. It is an older name of `torch.linalg.matrix_exp`.

Args:
    self (Tensor): ``(*, n, n)``; floating or complex.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.matrix_exp(torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]]))",
    .composite = [](const Tensor& a) -> Tensor { return op<"linalg_matrix_exp">(a); },
});
MT_OP(OpDef{
    .schema = {"matrix_exp_backward(Tensor self, Tensor grad) -> Tensor"},
    .doc = R"(Computes matrix_exp's gradient at `self`.

It is the upper right corner of exp([[A^H, G], [0, A^H]]) for the gradient G.)",
    .composite = [](const Tensor& a, const Tensor& g) -> Tensor { return differentiate_matrix_exp(a, g); },
});

}  // namespace
}  // namespace mt
