// gather: out[i][j] = self[index[i][j]][j] for dim 0, and so on for other dimensions.
#include "dispatch/out_words.h"
#include "rules/exact_out.h"
#include "rules/indexing.h"
#include "rules/rows_by_index.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, int64_t dim, const Tensor& index, bool) {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.numel() == 0 || index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32,
        "gather(): Expected dtype int32/int64 for index");
  if (index.numel()) {
    const int64_t ni = index.dim() ? index.dim() : 1, ns = self.dim() ? self.dim() : 1;
    check(ni == ns, "Index tensor must have the same number of dimensions as input tensor");
    for (int64_t k = 0; k < index.dim(); ++k)
      check(k == d || index.size(k) <= (self.dim() ? self.size(k) : 1),
            "Size does not match at dimension {} expected index {} to be no larger than self {} apart from dimension {}", k, index.sizes(),
            self.sizes(), d);
  }
  out.add(index.sizes(), self.dtype());
};

constexpr auto kernel = [](const Tensor& self, int64_t dim, const Tensor& index, bool, Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t d = wrap_dim(dim, self.dim());
  if (self.is_contiguous() && out.is_contiguous())
    if (const SliceIndex slices = slice_index(self, d, index); slices.at.defined()) {
      const Tensor table = alias(self, IntList{slices.lines, slices.width}, IntList{slices.width, 1}, self.storage_offset());
      return gather_rows(table, slices.at, out);
    }
  const Tensor wide = wide_index(index);
  dispatch_by_size(self.itemsize(), [&]<class T>(Type<T>) {
    read_lines<T>(self, out, wide, d, [](const T& from, T& to) { to = from; });
  });
};

MT_OP(OpDef{
    .schema = {"gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "out[i][j] = self[index[i][j]][j] for dim 0, and so on for other dimensions.",
    .rule = structured_exact(shape, {.alone = true}),
    .cpu = kernel,
    .npu = {"Gather(self, dim, index)"},
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"index"> index) {
      return op<"scatter_add">(op<"zeros">(self.sizes, g.dtype(), nullptr, g.device()), *dim, index, g);
    })},
});

MT_OUT("gather", .device = "Expected out tensor to have device {}, but got {} instead");

}  // namespace
}  // namespace mt
