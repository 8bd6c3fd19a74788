// flatten: dimensions start_dim to end_dim as one.
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto flattened = [](const Tensor& self, int64_t start_dim, int64_t end_dim) -> Tensor {
  int64_t start = wrap_dim(start_dim, self.dim()), end = wrap_dim(end_dim, self.dim());
  check(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return op<"reshape">(self, IntList{1});
  if (start == end) return self;
  Dims sizes;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d > start && d <= end) sizes.back() *= self.size(d);
    else sizes.push_back(self.size(d));
  }
  return op<"reshape">(self, sizes);
};

MT_OP(OpDef{
    .schema = {"flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)"},
    .forms = function | method,
    .doc = "Dimensions start_dim to end_dim as one.",
    .composite = flattened,
});

}  // namespace
}  // namespace mt
