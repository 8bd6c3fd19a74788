// gather: one element of each line, by index.
#include "rules/indexing.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, int64_t dim, const Tensor& index, bool) {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.numel() == 0 || index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "gather(): Expected dtype int32/int64 for index");
  if (index.numel()) {
    const int64_t ni = index.dim() ? index.dim() : 1, ns = self.dim() ? self.dim() : 1;
    check(ni == ns, "Index tensor must have the same number of dimensions as input tensor");
    for (int64_t k = 0; k < index.dim(); ++k)
      check(k == d || index.size(k) <= (self.dim() ? self.size(k) : 1), "Size does not match at dimension {} expected index {} to be no larger than self {} apart from dimension {}", k,
            index.sizes(), self.sizes(), d);
  }
  out.add(index.sizes(), self.dtype());
};
constexpr auto kernel = [](const Tensor& self, int64_t dim, const Tensor& index, bool, Tensor& out) {
  if (out.numel() == 0) return;
  Tensor wide = index;
  if (index.dtype() != Dtype::int64) {
    wide = empty(index.sizes(), Dtype::int64);
    copy_into(wide, index);
  }
  dispatch_by_size(self.itemsize(), [&]<class T>(Type<T>) {
    walk_lines(self, out, wide, wrap_dim(dim, self.dim()), [](const char* from, char* to) { *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from); });
  });
};
MT_OP(OpDef{
    .schema = {"gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "out[i][j] = self[index[i][j]][j] for dim 0, and so on for other dimensions.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dim", int64_t> dim, In<"index"> index) {
      return op<"scatter_add">(op<"zeros">(self.sizes, g.dtype(), nullptr, g.device()), *dim, index, g);
    })},
});
MT_OP(OpDef{
    .schema = {"take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor"},
    .forms = function | method | out,
    .doc = "Elements by index along `dim`, with broadcasting of the other dimensions; of the flattened tensor for None.",
    .composite = [](const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) -> Tensor {
      check(indices.dtype() == Dtype::int64, "torch.take_along_dim(): dtype of indices should be Long but got {}", indices.dtype());
      if (!dim) return op<"gather">(op<"view">(self, IntList{-1}), 0, op<"view">(indices, IntList{-1}));
      check(self.dim() == indices.dim(), "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions for input, and {} dimensions for indices",
            self.dim(), indices.dim());
      const int64_t d = wrap_dim(*dim, self.dim());
      Dims a(self.sizes()), b(indices.sizes());
      a[d] = 1, b[d] = 1;
      Dims sizes = broadcast_shapes(a, b), s(sizes), i(sizes);
      s[d] = self.size(d), i[d] = indices.size(d);
      return op<"gather">(op<"expand">(self, s), d, op<"expand">(indices, i));
    },
});

}  // namespace
}  // namespace mt
