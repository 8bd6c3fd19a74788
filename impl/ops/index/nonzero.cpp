// nonzero: a matrix with the index of each non-zero element as a row, in order.
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto kernel = [](const Tensor& self) -> Tensor {
  const Tensor mask = [&] {
    BelowAutograd guard;
    return op<"contiguous">(self.dtype() == Dtype::boolean ? self : op<"ne">(self, 0));
  }();
  const bool* p = mask.data<bool>();
  const int64_t n = mask.numel(), ndim = self.dim();
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += p[i];
  // torch lays the columns out one after another.
  Tensor out = empty_strided({count, ndim}, {1, count ? count : 1}, Dtype::int64);
  int64_t* to = out.data<int64_t>();
  int64_t row = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!p[i]) continue;
    int64_t rest = i;
    for (int64_t d = ndim - 1; d >= 0; --d) {
      to[row + d * count] = rest % self.size(d);
      rest /= self.size(d);
    }
    ++row;
  }
  return out;
};

MT_OP(OpDef{
    .schema = {"nonzero(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = "A matrix with the index of each non-zero element as a row, in order.",
    .cpu = kernel,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
