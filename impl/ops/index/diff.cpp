// diff: the n-th differences of neighbours along `dim`.
#include <vector>
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

void check_arguments(const Tensor& self, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) {
  check(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  check(n >= 0, "order must be non-negative but got {}", n);
  for (const Tensor* side : {&prepend, &append}) {
    if (!side->defined()) continue;
    check(side->dim() == self.dim(), "diff expects prepend or append to be the same dimension as input");
    const int64_t along = wrap_dim(dim, self.dim());
    for (int64_t d = 0; d < self.dim(); ++d)
      check(d == along || side->size(d) == self.size(d),
            "diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; "
            "input.size({}) = {}, but got tensor.size({}) = {}",
            d, self.size(d), d, side->size(d));
  }
}
Tensor cat_ends(const Tensor& self, int64_t d, const Tensor& prepend, const Tensor& append) {
  if (!prepend.defined() && !append.defined()) return self;
  std::vector<Tensor> parts;
  if (prepend.defined()) parts.push_back(prepend);
  parts.push_back(self);
  if (append.defined()) parts.push_back(append);
  return op<"cat">(parts, d);
}
// All elements along `d` but the last, or but the first.
Tensor narrow_to_neighbours(const Tensor& t, int64_t d, int64_t first) { return op<"narrow">(t, d, first, t.size(d) - 1); }
Tensor subtract_neighbours(Tensor t, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i) {
    const Tensor a = narrow_to_neighbours(t, d, 1), b = narrow_to_neighbours(t, d, 0);
    t = t.dtype() == Dtype::boolean ? op<"logical_xor">(a, b) : a - b;
  }
  return t;
}

MT_OP(OpDef{
    .schema = {"diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns the n-th differences of neighbours along a dimension.

The first differences are ``self[i + 1] - self[i]``; higher ones repeat that. Of bools it is
exclusive or. Each step shortens the dimension by one.

Args:
    self (Tensor): tensor with at least one dimension.
    n (int): how often differences are taken; 0 gives a copy. Default: ``1``.
    dim (int): dimension; negative counts from the last. Default: ``-1``.
    prepend (Tensor, optional): joined before `self` along `dim` first.
    append (Tensor, optional): joined behind `self` along `dim` first.

Returns:
    Tensor: the differences, in the dtype of `self`.

Raises:
    RuntimeError: when `self` has no dimension, `n` is negative, or `prepend` or `append` does not
        fit the other sizes.

Example:
    >>> torch.diff(torch.tensor([1, 3, 2]))
    tensor([ 2, -1])
    >>> torch.diff(torch.tensor([1, 3, 2]), prepend=torch.tensor([0]))
    tensor([ 1,  2, -1]))",
    .composite = [](const Tensor& self, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) -> Tensor {
      check_arguments(self, n, dim, prepend, append);
      if (n == 0) return op<"copy_">(op<"zeros_like">(self), self);
      const int64_t d = wrap_dim(dim, self.dim());
      const Tensor t = cat_ends(self, d, prepend, append);
      n = std::min(n, t.size(d));
      return n == 0 ? op<"clone">(t) : subtract_neighbours(t, n, d);
    },
});
// The out form has a definition of its own: the last subtraction writes `out`. If n is 0 there is no subtraction, and `out` must match
// `self`.
MT_OP(OpDef{
    .schema = {"diff.out(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Computes the n-th differences of neighbours along `dim` into `out`.",
    .composite = [](const Tensor& self, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append, const Tensor& out) -> Tensor {
      check_arguments(self, n, dim, prepend, append);
      const int64_t d = n == 0 ? 0 : wrap_dim(dim, self.dim());
      Tensor t = n == 0 ? self : cat_ends(self, d, prepend, append);
      n = std::min(n, t.size(d));
      if (n > 0) {
        t = subtract_neighbours(t, n - 1, d);
        const Tensor a = narrow_to_neighbours(t, d, 1), b = narrow_to_neighbours(t, d, 0);
        return t.dtype() == Dtype::boolean ? op<"logical_xor.out">(a, b, out) : op<"sub.out">(a, b, 1, out);
      }
      check(out.dtype() == self.dtype(), "expected scalar_type {} but found {}", self.dtype(), out.dtype());
      check(out.device() == self.device(), "expected device {} but found {}", self.device(), out.device());
      if (resize_output(out, t.sizes()) && !out->inference) out.bump_version();
      return op<"copy_">(out, t);
    },
});

}  // namespace
}  // namespace mt
