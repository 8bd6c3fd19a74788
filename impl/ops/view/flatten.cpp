// flatten: a range of dimensions made one.
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
MT_OP(OpDef{
    .schema = {"ravel(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The elements as a contiguous vector.",
    .composite = [](const Tensor& self) -> Tensor { return op<"view">(op<"contiguous">(self), IntList{-1}); },
});
MT_OP(OpDef{
    .schema = {"unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)"},
    .forms = function | method,
    .doc = "Dimension `dim` as several.",
    .composite = [](const Tensor& self, int64_t dim, IntList sizes) -> Tensor {
      check(sizes.size() > 0, "unflatten: sizes must be non-empty");
      int64_t d = wrap_dim(dim, self.dim());
      Dims parts = infer_size(sizes, self.size(d)), shape;
      for (int64_t i = 0; i < self.dim(); ++i)
        if (i != d) shape.push_back(self.size(i));
        else for (int64_t s : parts) shape.push_back(s);
      return op<"view">(self, shape);
    },
});

}  // namespace
}  // namespace mt
