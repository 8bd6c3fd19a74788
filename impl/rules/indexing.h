// Kernels of the indexing family: elements picked and placed by index tensors.
#pragma once

#include <vector>

#include "core/dispatch_dtype.h"
#include "cpu/nest.h"
#include "cpu/parallel.h"
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {

// Walks `index` (int64): f(position pointers): for every index element, `data[0]` is the element of `other` at the same place and `data[1]` the start of
// the line of `self` along `dim`. Used by gather and scatter.
template <class F>
void walk_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, F&& f, bool parallel = true) {
  Dims line(self.strides());
  Dims sizes(index.sizes());
  if (self.dim() == 0) line.clear(), sizes.clear();
  const int64_t step = self.dim() ? self.stride(dim) * self.itemsize() : self.itemsize();
  const int64_t length = self.dim() ? self.size(dim) : 1;
  if (self.dim()) line[dim] = 0;
  cpu::Nest nest(sizes);
  nest.add(index.data(), index.itemsize(), index.dim() ? index.strides() : IntList(line));
  nest.add(other.data(), other.itemsize(), other.dim() ? IntList(other.strides()) : IntList(line));
  nest.add(self.data(), self.itemsize(), line);
  nest.finish();
  auto piece = [&](int64_t begin, int64_t end) {
    nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
      for (int64_t k = 0; k < n; ++k) {
        const int64_t i = *reinterpret_cast<const int64_t*>(data[0] + k * strides[0]);
        check(i >= 0 && i < length, "index {} is out of bounds for dimension {} with size {}", i, dim, length);
        f(data[2] + k * strides[2] + i * step, data[1] + k * strides[1]);
      }
    });
  };
  if (parallel)
    cpu::parallel_for(0, nest.numel(), 8192, piece);
  else
    piece(0, nest.numel());
}

// What advanced indexing means: the indexed tensor with its indexed dimensions together, index tensors expanded to one shape.
struct AdvancedIndex {
  Tensor self;                   // dimensions moved so that indexed ones are adjacent (or in front)
  std::vector<Tensor> indices;   // int64, broadcast to `index_sizes`, negative ones wrapped
  std::vector<int64_t> dims;     // which dimensions of `self` they index
  Dims index_sizes, result_sizes;
  int64_t first = 0;             // where the index dimensions stand in the result
};
// indices: int64, int32, uint8 or bool tensors, undefined for a full slice. torch's texts for what does not fit.
AdvancedIndex advanced_index(const Tensor& self, TensorList indices);
// The elements of an index vector as int64, checked against [0, size): no negative ones here.
std::vector<int64_t> index_positions(const Tensor& index, int64_t size);
// One index of a dimension as a view of size 1 there; a 0-dim tensor is its own slice.
Tensor slice_at(const Tensor& t, int64_t dim, int64_t index);
// result[...] = self[indices], or self[indices] (+)= values.
Tensor index_get(const AdvancedIndex& index);
void index_put(const AdvancedIndex& index, const Tensor& values, bool accumulate);

}  // namespace mt
