// cov, corrcoef: covariances and correlations of variables, one per row.
#include "core/backend.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

bool is_true(const Tensor& t) {
  if (t.is_meta()) return true;
  const Tensor all = on_host(op<"all">(t));
  return *all.data<bool>();
}
// fweights or aweights: one number per observation, not negative.
void check_weights(const char* name, const Tensor& w, int64_t observations) {
  check(w.dim() <= 1, "cov(): expected {} to have one or fewer dimensions but got {} with {} dimensions", name, name, w.dim());
  if (name[0] == 'f')
    check(is_integral(w.dtype(), false), "cov(): expected fweights to have integral dtype but got fweights with {} dtype", w.dtype());
  else
    check(is_floating(w.dtype()), "cov(): expected aweights to have floating point dtype but got aweights with {} dtype", w.dtype());
  check(w.numel() == observations, "cov(): expected {} to have the same numel as there are observations in the input but got {} != {}",
        name, w.numel(), observations);
  check(observations == 0 || is_true(op<"ge">(w, 0)), "cov(): {} cannot be negative", name);
}

constexpr auto compute_cov = [](const Tensor& self, int64_t correction, const Tensor& fweights, const Tensor& aweights) -> Tensor {
  check(self.dim() <= 2, "cov(): expected input to have two or fewer dimensions but got an input with {} dimensions", self.dim());
  check(self.dtype() != Dtype::boolean, "cov(): bool dtype is not supported for input");
  Tensor x = self.dim() < 2 ? op<"view">(self, IntList{1, self.numel()}) : self;
  const int64_t observations = x.size(1);
  Tensor weights;
  if (fweights.defined()) {
    check_weights("fweights", fweights, observations);
    weights = fweights;
  }
  if (aweights.defined()) {
    check_weights("aweights", aweights, observations);
    weights = weights.defined() ? weights * aweights : Tensor(aweights);
  }
  const Tensor total = weights.defined() ? op<"sum">(weights) : op<"scalar_tensor">(observations, Dtype::int64, nullptr, x.device());
  check(!weights.defined() || is_true(op<"ne">(total, 0)), "cov(): weights sum to zero, can't be normalized");
  const Tensor mean = op<"sum.dim_IntList">(weights.defined() ? x * weights : x, IntList{1}) / total;
  Tensor factor = weights.defined() && aweights.defined() && correction != 0 ? total - op<"sum">(weights * aweights) * correction / total
                  : correction != 0 || !aweights.defined()                   ? total - correction
                                                                             : total;
  if (!factor.is_meta() && is_true(op<"le">(factor, 0))) {
    warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.");
    factor = op<"zeros_like">(factor);
  }
  x = x - op<"unsqueeze">(mean, 1);
  const Tensor other = op<"t">(weights.defined() ? x * weights : x);
  return op<"squeeze">(op<"mm">(x, is_complex(other.dtype()) ? op<"conj">(other) : other) / factor);
};

MT_OP(OpDef{
    .schema = {"cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Estimates the covariance matrix of variables, one a row, from observations, one a column.

With weights w the mean m of a row is sum(w x) / sum(w), and the covariance of rows i and j is
sum(w (x_i - m_i) conj(x_j - m_j)) / N, where N is sum(w) - correction * sum(w a) / sum(w) with
the aweights a, and sum(w) - correction without them; w is the product of both kinds of weights.
N of 0 or less warns and counts as 0, so that the result is infinite or NaN.

Args:
    self (Tensor): ``(variables, observations)``, or ``(observations,)`` for one variable; not
        bool.
    correction (int): what is taken off the number of observations. 1 gives the unbiased
        estimate. Default: ``1``.
    fweights (Tensor, optional): how often each observation was made; integer,
        ``(observations,)``. Default: ``None``.
    aweights (Tensor, optional): how much each observation counts; floating, ``(observations,)``.
        Default: ``None``.

Returns:
    Tensor: ``(variables, variables)``, a scalar for one variable; floating or complex.

Raises:
    RuntimeError: when `self` has more than two dimensions, or weights have another size or
        dtype, are negative or sum to 0.

Example:
    >>> torch.cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]]))",
    .composite = compute_cov,
    .batch = batch_looped,
});

MT_OP(OpDef{
    .schema = {"corrcoef(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the matrix of Pearson's correlation coefficients of variables, one a row.

It is `torch.cov` with each entry divided by the two standard deviations, and limited to [-1, 1]
against rounding. A constant variable has NaN in its row and column.

Args:
    self (Tensor): ``(variables, observations)``, or ``(observations,)`` for one variable.

Returns:
    Tensor: ``(variables, variables)``, a scalar for one variable.

Raises:
    RuntimeError: when `self` has more than two dimensions.

Example:
    >>> torch.corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]]))",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() <= 2, "corrcoef(): expected input to have two or fewer dimensions but got an input with {} dimensions", self.dim());
      Tensor c = compute_cov(self, 1, Tensor(), Tensor());
      if (c.dim() == 0) return c / c;  // a single variable
      Tensor d = op<"diagonal">(c);
      d = op<"sqrt">(is_complex(d.dtype()) ? op<"real">(d) : d);
      c = c / op<"view">(d, IntList{-1, 1});
      c = c / op<"view">(d, IntList{1, -1});
      // Rounding must not push correlations beyond the unit circle.
      if (!is_complex(c.dtype())) return op<"clamp">(c, -1, 1);
      return op<"complex">(op<"clamp">(op<"real">(c), -1, 1), op<"clamp">(op<"imag">(c), -1, 1));
    },
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
