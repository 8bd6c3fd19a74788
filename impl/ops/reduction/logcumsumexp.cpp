// logcumsumexp: the logarithm of running sums of exponentials, without overflow.
#include "rules/form/exact_out.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/reduction/scan.h"

namespace mt {
namespace {

template <class C>
C log_add(C a, C b) {
  const C low = b < a ? b : a, high = b < a ? a : b;
  if (isnan_(a) || isnan_(b)) return a + b;
  if (low == high && std::isinf(low)) return low;
  return high + std::log1p(std::exp(low - high));
}
template <class R>
Complex<R> log_add(Complex<R> a, Complex<R> b) {
  if (isnan_(a) || isnan_(b)) return a + b;
  const Complex<R> low = b.re < a.re ? b : a, high = b.re < a.re ? a : b;
  if (std::isinf(low.re) && low.re == high.re) {
    if (low.re < 0) return {low.re, R(0)};
    return from_std(std::log(std::exp(to_std(low)) + std::exp(to_std(high))));
  }
  return high + log1p_(exp_(low - high));
}

// Sums of g_i exp(x_k - y_i) over i >= k, in logarithms so that nothing overflows; positive and negative terms separately.
Tensor differentiate_logcumsumexp(const Tensor& g, const Tensor& x, const Tensor& y, int64_t dim) {
  if (x.dim() == 0 || x.numel() == 0) return g;
  auto from_the_end = [&](const Tensor& t) { return op<"flip">(op<"logcumsumexp">(op<"flip">(t, IntList{dim}), dim), IntList{dim}); };
  if (is_complex(x.dtype())) return conj(op<"exp">(from_the_end(op<"log">(conj(g)) - y) + x));
  const double lowest = x.dtype() == Dtype::float64   ? -1.7976931348623157e308
                        : x.dtype() == Dtype::float16 ? -65504.0
                                                      : -3.3895313892515355e38;
  Tensor size = op<"log">(op<"abs">(g)), nothing = op<"full_like">(g, lowest);
  auto part = [&](const Tensor& taken) { return op<"exp">(from_the_end(op<"where">(taken, size, nothing) - y) + x); };
  return part(op<"gt">(g, 0)) - part(op<"lt">(g, 0));
}

// Sums of t_i exp(x_i - y_k) over i <= k, likewise.
Tensor tangent_of_logcumsumexp(const Tensor& t, const Tensor& x, const Tensor& y, int64_t dim) {
  if (x.dim() == 0 || x.numel() == 0) return t;
  if (is_complex(x.dtype())) return op<"exp">(op<"logcumsumexp">(op<"log">(t) + x, dim) - y);
  const Tensor size = op<"log">(op<"abs">(t));
  auto part = [&](const Tensor& taken) { return op<"exp">(op<"logcumsumexp">(op<"where">(taken, size, -__builtin_inf()) + x, dim) - y); };
  return part(op<"gt">(t, 0)) - part(op<"lt">(t, 0));
}

MT_OP(OpDef{
    .schema = {"logcumsumexp(Tensor self, int dim) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the logarithm of running sums of exponentials along `dim`, without overflow.

y[k] = log(exp(x[0]) + ... + exp(x[k])); two infinities of one sign give that infinity.

Args:
    self (Tensor): any shape; floating or complex.
    dim (int): the dimension to run along.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.logcumsumexp(torch.tensor([0.0, 0.0, 1000.0]), dim=0)
    tensor([0.0000e+00, 6.9315e-01, 1.0000e+03]))",
    .rule = structured_exact(
        [](Specs& out, const Tensor& self, int64_t dim) {
          wrap_dim(dim, self.dim());
          out.add(self.sizes(), self.dtype());
        },
        {.dtype_text = "expected scalar_type {} but found {}"}),
    .cpu =
        [](const Tensor& self, int64_t dim, Tensor& out) {
          if (self.dim() == 0) return copy_into(out, self);
          dispatch_floating_and_complex(self.dtype(), "logcumsumexp_out_cpu", [&]<class T>(Type<T>) {
            using C = std::conditional_t<std::is_same_v<T, float>, double, ComputeType<T>>;
            scan<T, T>(self, out, wrap_dim(dim, self.dim()), C(0), [](C& total, const T& x, int64_t i, T& to) {
              total = i ? log_add(total, C(x)) : C(x);
              to = T(total);
            });
          });
        },
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y, In<"dim", int64_t> dim) { return differentiate_logcumsumexp(g, x, y, *dim); })},
    .jvp = forward([](Tangent<"self"> t, In<"self"> x, Out<"result"> y, In<"dim", int64_t> dim) {
      return tangent_of_logcumsumexp(t, x, y, *dim);
    }),
});

}  // namespace
}  // namespace mt
