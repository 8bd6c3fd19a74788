// unsafe_split, unsafe_split_with_sizes, unsafe_chunk: pieces of a dimension that autograd does not treat as views.
#include "rules/algebra.h"

namespace mt {
namespace {

// The pieces share memory, but each counts its own writes.
std::vector<Tensor> on_their_own(std::vector<Tensor> views) {
  for (Tensor& t : views) t = alias(t, false);
  return views;
}
constexpr auto by_size = [](const Tensor& self, int64_t split_size, int64_t dim) -> std::vector<Tensor> {
  BelowAutograd guard;
  return on_their_own(op<"split.Tensor", std::vector<Tensor>>(self, split_size, dim));
};
constexpr auto by_lengths = [](const Tensor& self, IntList lengths, int64_t dim) -> std::vector<Tensor> {
  BelowAutograd guard;
  return on_their_own(op<"split_with_sizes", std::vector<Tensor>>(self, lengths, dim));
};
// The gradients of the pieces joined, zeros where none came.
Tensor joined(TensorList grads, const TensorMeta& self, int64_t dim, const Dims& lengths) {
  const int64_t d = dim < 0 ? dim + self.sizes.size() : dim;
  std::vector<Tensor> parts(grads.begin(), grads.end());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].defined()) continue;
    Dims sizes(self.sizes);
    sizes[d] = lengths[int64_t(i)];
    parts[i] = op<"zeros">(sizes, self.dtype, nullptr, self.device);
  }
  return op<"cat">(parts, d);
}

MT_OP(OpDef{
    .schema = {"unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]"},
    .forms = function | method,
    .doc = "Pieces of `split_size` of a dimension, not views for autograd: write into none of them that the backward pass needs.",
    .cpu = by_size,
    .npu = {any_device},
    .meta = by_size,
    .grad = {wrt("self", [](GradList grads, MetaOf<"self"> self, In<"split_size", int64_t> size, In<"dim", int64_t> dim) {
      const int64_t d = *dim < 0 ? *dim + self.sizes.size() : *dim, n = grads.size();
      Dims lengths(n, *size);
      lengths[n - 1] = self.sizes[d] - *size * (n - 1);
      return joined(grads, self, d, lengths);
    })},
});
MT_OP(OpDef{
    .schema = {"unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]"},
    .forms = function | method,
    .doc = "Pieces of the given sizes of a dimension, not views for autograd.",
    .cpu = by_lengths,
    .npu = {any_device},
    .meta = by_lengths,
    .grad = {wrt("self", [](GradList grads, MetaOf<"self"> self, In<"split_sizes", IntList> lengths, In<"dim", int64_t> dim) {
      return joined(grads, self, *dim, Dims(*lengths));
    })},
});
MT_OP(OpDef{
    .schema = {"unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]"},
    .forms = function | method,
    .doc = "Up to `chunks` pieces of a dimension, not views for autograd.",
    .composite = [](const Tensor& self, int64_t chunks, int64_t dim) -> std::vector<Tensor> {
      check(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
      check(chunks > 0, "chunk expects `chunks` to be greater than 0, got: {}", chunks);
      const int64_t size = self.size(wrap_dim(dim, self.dim())), length = size / chunks + (size % chunks != 0);
      check(size > 0 || chunks < int64_t(1) << 32, ErrorKind::out_of_memory, "chunk: no memory holds {} pieces", chunks);
      // Pieces of nothing: as many as were asked for.
      if (size == 0) return op<"unsafe_split_with_sizes", std::vector<Tensor>>(self, IntList(Dims(chunks, 0)), dim);
      return op<"unsafe_split.Tensor", std::vector<Tensor>>(self, length, dim);
    },
});

}  // namespace
}  // namespace mt
