// mvlgamma: the logarithm of the multivariate gamma function.
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

// self with a new last dimension of 0, -1/2, ..., (1 - p) / 2 added.
Tensor add_half_steps(const Tensor& self, int64_t p) {
  const Tensor steps = op<"arange.start_step">(double(-p) / 2 + 0.5, 0.5, 0.5, self.dtype(), nullptr, self.device());
  return op<"unsqueeze">(self, -1) + steps;
}
constexpr auto compute_mvlgamma = [](const Tensor& self, int64_t p) -> Tensor {
  check(self.dtype() != Dtype::boolean, "The input tensor may not be a boolean tensor.");
  check(p >= 1, "p has to be greater than or equal to 1");
  BelowAutograd guard;
  const Tensor x = is_integral(self.dtype(), true) ? op<"to.dtype">(self, default_dtype()) : self;
  const double constant = double(p) * double(p - 1) * 0.28618247146235004;  // log(pi) / 4
  return op<"sum.dim_IntList">(op<"lgamma">(add_half_steps(x, p)), IntList{-1}) + constant;
};

MT_OP(OpDef{
    .schema = {"mvlgamma(Tensor self, int p) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the logarithm of the multivariate gamma function of dimension `p`.

For each element that is p (p - 1) / 4 * log(pi) plus the sum of lgamma(x - j / 2) over j = 0 ...
p - 1 (DLMF 35.3.4). It is meant for x > (p - 1) / 2; below, the logarithms of absolute values
are summed. Integer input is converted to the default float dtype. The gradient is the sum of
digamma(x - j / 2).

Args:
    self (Tensor): any shape; floating or integer.
    p (int): the dimension, at least 1.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer input.

Raises:
    RuntimeError: when `self` is bool or `p` below 1.

Example:
    >>> torch.mvlgamma(torch.tensor([1.5, 3.0]), 2)
    tensor([0.4516, 1.5502]))",
    .aliases = "special_multigammaln",
    .cpu = compute_mvlgamma,
    .meta = compute_mvlgamma,
    .grad = {wrt("self", [](Grad g, In<"self"> x,
                            In<"p", int64_t> p) { return g * op<"sum.dim_IntList">(op<"digamma">(add_half_steps(x, *p)), IntList{-1}); })},
    .out_policy = OutPolicy{.dtype_error = "mvlgamma: result type {0} can't be cast to the desired output type {0}",
                            .casts = true,
                            .takes_strides = true},
});

}  // namespace
}  // namespace mt
