// diff: the n-th differences of neighbours along `dim`.
#include <vector>
#include "dispatch/out_words.h"
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto differences = [](const Tensor& self, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) -> Tensor {
  check(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  check(n >= 0, "order must be non-negative but got {}", n);
  for (const Tensor* side : {&prepend, &append})
    check(!side->defined() || side->dim() == self.dim(), "diff expects prepend or append to be the same dimension as input");
  if (n == 0) return op<"copy_">(op<"zeros_like">(self), self);
  const int64_t d = wrap_dim(dim, self.dim());
  Tensor t = self;
  if (prepend.defined() || append.defined()) {
    std::vector<Tensor> parts;
    if (prepend.defined()) parts.push_back(prepend);
    parts.push_back(self);
    if (append.defined()) parts.push_back(append);
    t = op<"cat">(parts, d);
  }
  if (n > t.size(d)) n = t.size(d);
  for (int64_t i = 0; i < n; ++i) {
    Tensor a = op<"narrow">(t, d, 1, t.size(d) - 1), b = op<"narrow">(t, d, 0, t.size(d) - 1);
    t = t.dtype() == Dtype::boolean ? op<"logical_xor">(a, b) : a - b;
  }
  return n == 0 ? op<"clone">(t) : t;
};

MT_OP(OpDef{
    .schema = {"diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor"},
    .forms = function | method | out,
    .doc = "The n-th differences of neighbours along `dim`.",
    .composite = differences,
});

MT_OUT("diff", .converts = true,
       .device = "expected device {} but found {}",
       .recorded_as = written_as_leaf);

}  // namespace
}  // namespace mt
