// index_select: whole slices by an index vector.
#include <cstring>

#include "rules/indexing.h"

namespace mt {
namespace {

void check_vector(const char* name, const Tensor& index) {
  check(index.dim() <= 1, ErrorKind::index, "{}(): Index is supposed to be a vector", name);
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "{}(): Expected dtype int32 or int64 for index", name);
}
constexpr auto shape = [](Specs& out, const Tensor& self, int64_t dim, const Tensor& index) {
  check_vector("index_select", index);
  const int64_t d = wrap_dim(dim, self.dim());
  Dims sizes(self.sizes());
  if (self.dim()) sizes[d] = index.numel();
  out.add(sizes, self.dtype());
};
constexpr auto select = [](const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  const int64_t d = wrap_dim(dim, self.dim());
  if (self.dim() == 0) return copy_into(out, self);
  const auto at = index_positions(index, self.size(d));
  int64_t outer = 1, inner = 1;
  for (int64_t k = 0; k < d; ++k) outer *= self.size(k);
  for (int64_t k = d + 1; k < self.dim(); ++k) inner *= self.size(k);
  if (self.is_contiguous()) {  // runs of memory
    const int64_t bytes = inner * self.itemsize(), n = int64_t(at.size()), rows = self.size(d);
    const char* from = self.data<char>();
    char* to = out.data<char>();
    if (bytes)
      cpu::parallel_for(0, outer * n, std::max<int64_t>(1, 65536 / bytes), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) std::memcpy(to + i * bytes, from + (i / n * rows + at[size_t(i % n)]) * bytes, size_t(bytes));
      });
    return;
  }
  for (size_t i = 0; i < at.size(); ++i) copy_into(slice_at(out, d, int64_t(i)), slice_at(self, d, at[i]));
};
MT_OP(OpDef{
    .schema = {"index_select(Tensor self, int dim, Tensor index) -> Tensor"},
    .forms = function | method | out,
    .doc = "The slices of dimension `dim` that the vector `index` names.",
    .rule = structured(shape),
    .cpu = select,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"index"> index) {
      return op<"index_add">(op<"zeros">(self.sizes, g.dtype(), nullptr, g.device()), *dim, index, g);
    })},
});

}  // namespace
}  // namespace mt
