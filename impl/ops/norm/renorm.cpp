// renorm: scales slices along a dimension down to a maximum norm.
#include <cmath>
#include "rules/form/exact_out.h"
#include "rules/pointwise/pointwise.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

constexpr double norm_epsilon = 1e-7;  // torch's constant: the largest result stays just below the bound

Dims dims_other_than(int64_t dim, int64_t rank) {
  Dims dims;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim) dims.push_back(d);
  return dims;
}

constexpr auto infer_renorm_shape = [](Specs& out, const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm) {
  check(!p.is_complex(), "renorm: p must be real-valued");
  check(p.to_double() > 0, "renorm: non-positive-norm not supported");
  check(!maxnorm.is_complex(), "renorm: maxnorm must be real-valued");
  check(maxnorm.to_double() >= 0, "renorm: expected maxnorm to be >= 0 but got {}", maxnorm.to_double());
  check(self.dim() > 1, "renorm: input needs at least 2 dimensions, got {} dimensions", self.dim());
  wrap_dim(dim, self.dim());
  check(is_differentiable(self.dtype()), "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}", self.dtype());
  out.add(self.sizes(), self.dtype());
};
constexpr auto scale_by = [](auto x, auto factor) { return x * factor; };

constexpr auto compute_renorm = [](const Tensor& self, Scalar p, int64_t given_dim, Scalar maxnorm, Tensor& out) {
  if (self.numel() == 0) return;
  BelowAutograd below;
  const Tensor norm = op<"linalg_vector_norm">(self, p, dims_other_than(wrap_dim(given_dim, self.dim()), self.dim()), true,
                                               compute_dtype(self.dtype()));
  dispatch_floating(norm.dtype(), "renorm", [&]<class T>(Type<T>) {  // contiguous, since it was made here
    using C = ComputeType<T>;
    T* const factor = norm.data<T>();
    const C most = C(maxnorm.to_double());
    for (int64_t i = 0; i < norm.numel(); ++i) factor[i] = T(C(factor[i]) > most ? most / (C(factor[i]) + C(norm_epsilon)) : C(1));
  });
  // For half types the factor is rounded to the half type, too.
  const bool rounds = is_floating(self.dtype()) && norm.dtype() != self.dtype();
  const Tensor operands[] = {self, rounds ? op<"to.dtype">(norm, self.dtype()) : norm};
  run_pointwise(*kernel_of<scale_by, 2, dtypes::floating_and_complex>("renorm"), compute_dtype(self.dtype()), out, operands, 2);
};

Tensor signs_of(const Tensor& x) { return op<"sgn">(x); }

MT_OP(OpDef{
    .schema = {"renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Scales each slice along `dim` whose p-norm is above `maxnorm` down to it; the others stay.

A slice is what one index of `dim` selects. Its factor is maxnorm / (norm + 1e-7).

Args:
    self (Tensor): at least two dimensions; floating or complex.
    p (number): the order of the norm, above 0.
    dim (int): the dimension whose slices are scaled.
    maxnorm (number): the largest norm that stays, not negative.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when `self` has fewer than two dimensions, or `p` or `maxnorm` is out of range.

Example:
    >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), p=2, dim=0, maxnorm=1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]]))",
    .rule = structured_exact(infer_renorm_shape),
    .cpu = compute_renorm,
    .npu = {"Renorm"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"p", Scalar> power, In<"dim", int64_t> dim, In<"maxnorm", Scalar> maxnorm) {
                   // With n the norm and s = maxnorm / (n + guard): s g - s / (n + guard) * sum(g x) * dn/dx.
                   const double p = (*power).to_double();
                   const Dims dims = dims_other_than(wrap_dim(*dim, self.dim()), self.dim());
                   const Dtype wide = compute_dtype(self.dtype());
                   auto as = [](const Tensor& t, Dtype dtype) { return t.dtype() == dtype ? t : op<"to.dtype">(t, dtype); };
                   const Tensor x = as(self, wide), d = as(g, wide);
                   const Tensor n = op<"linalg_vector_norm">(x, *power, dims, true), none = op<"eq">(n, 0);
                   const Tensor safe = op<"where">(none, op<"ones_like">(n), n);
                   Tensor slope;
                   if (p == 2) {
                     slope = x / safe;
                   } else if (std::isinf(p)) {
                     const Tensor largest = op<"eq">(op<"abs">(x), n);
                     slope = signs_of(x) * largest / op<"sum.dim_IntList">(as(largest, real_of(wide)), dims, true);
                   } else if (p == 1) {
                     slope = signs_of(x);
                   } else {
                     const Tensor size = op<"abs">(x);
                     const Tensor power_of = op<"where">(op<"eq">(size, 0), op<"zeros_like">(size),
                                                         op<"pow.Tensor_Scalar">(size / safe, p - 1));
                     slope = signs_of(x) * power_of;
                   }
                   slope = op<"where">(none, op<"zeros_like">(slope), slope);
                   const Tensor inverse = op<"reciprocal">(n + norm_epsilon);
                   Tensor dot = op<"sum.dim_IntList">(d * conj(x), dims, true);
                   if (is_complex(dot.dtype())) dot = op<"real">(dot);
                   const Tensor scaled = (d - slope * (dot * inverse)) * (inverse * *maxnorm);
                   return as(op<"where">(op<"gt">(n, *maxnorm), scaled, d), self.dtype());
                 })},
});

}  // namespace
}  // namespace mt
