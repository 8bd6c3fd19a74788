// slice: a view of every `step`-th index of [start, end) of dimension `dim`.
#include "rules/form/algebra.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto slice_tensor = [](const Tensor& self, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
                                 int64_t step) -> Tensor {
  check(self.dim() > 0, ErrorKind::index, "slice() cannot be applied to a 0-dim tensor.");
  int64_t d = wrap_dim(dim, self.dim()), size = self.size(d);
  check(step > 0, "slice step must be positive");
  int64_t from = start.value_or(0), to = end.value_or(size);
  if (from < 0) from += size;
  if (to < 0) to += size;
  from = from < 0 ? 0 : from > size ? size : from;
  to = to < from ? from : to > size ? size : to;
  Dims sizes(self.sizes()), strides(self.strides());
  int64_t offset = self.storage_offset() + from * strides[d];
  sizes[d] = (to - from + step - 1) / step;
  strides[d] *= step;
  return alias(self, sizes, strides, offset);
};

MT_OP(OpDef{
    .schema = {"slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)"},
    .doc = R"(Returns a view of every `step`-th index of [start, end) of dimension `dim`.

It is what ``x[start:end:step]`` calls. Bounds beyond the dimension are cut to it, negative ones
count from the end, and `step` must be positive.)",
    .view = slice_tensor,
    .sparse = [](const Tensor& self, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) -> Tensor {
      slice_tensor(self, dim, start, end, step);  // for its errors
      refuse_sparse("as_strided");
    },
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"start", std::optional<int64_t>> start,
                    In<"end", std::optional<int64_t>> end, In<"step", int64_t> step) {
                   return op<"slice_backward">(g, self.sizes, *dim, start.value.value_or(0), end.value.value_or(INT64_MAX), *step);
                 })},
});

}  // namespace
}  // namespace mt
