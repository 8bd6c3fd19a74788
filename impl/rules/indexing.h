// Kernels of the indexing family: elements picked and placed by index tensors.
#pragma once

#include <algorithm>
#include <vector>

#include "core/dispatch_dtype.h"
#include "cpu/nest.h"
#include "cpu/parallel.h"
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {

// What gather and scatter walk: each element of `index` (int64), the element of `other` at the same place, and the line of `self` along
// `dim` that it points into. Elements [first, first + count) of dimension `cut` alone, where cut is not negative.
struct LineWalk {
  cpu::Nest nest;
  int64_t dim, length, step;  // step: bytes from one element of a line to the next

  LineWalk(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, int64_t cut = -1, int64_t first = 0,
           int64_t count = 0);

  // Places are walked in units: innermost runs where these are so short that a call for each would cost more than they, else one by one.
  int64_t unit() const { return nest.sizes().size() > 1 && nest.sizes()[0] <= shortest_run ? nest.sizes()[0] : 1; }
  int64_t units() const { return nest.numel() / unit(); }

  // f(element of self, element of other) for the places of units [begin, end).
  template <class T, class F>
  void run(int64_t begin, int64_t end, F&& f) const {
    constexpr int64_t size = sizeof(T);
    if (unit() > 1) {
      for (Short s; begin < end; begin += s.runs) {
        s = short_runs(begin, end);
        if (nest[0].strides[0] == 8 && nest[1].strides[0] == size && nest[2].strides[0] == 0 && step == size)
          lines<T>(s, 8, size, 0, size, f);
        else
          lines<T>(s, nest[0].strides[0], nest[1].strides[0], nest[2].strides[0], step, f);
      }
      return;
    }
    nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
      if (strides[0] == 8 && strides[1] == size && strides[2] == 0 && step == size)
        line<T>(data, 8, size, 0, size, n, f);  // along the last dimension: strides that the compiler knows
      else
        line<T>(data, strides[0], strides[1], strides[2], step, n, f);
    });
  }

 private:
  static constexpr int64_t shortest_run = 128;
  // Some runs one after another along the second dimension of the nest, whose places were checked.
  struct Short {
    const char* index;
    char *other, *self;
    int64_t runs;
  };
  Short short_runs(int64_t begin, int64_t end) const;
  // Whether F has a way of its own through some of a line.
  template <class F>
  static constexpr bool walks_itself = requires(F& f, char* p, int64_t n) { f.run(p, p, p, n, n, n, n, n); };

  template <class T, class F>
  [[gnu::always_inline]] void lines(Short s, int64_t index_step, int64_t other_step, int64_t self_step, int64_t hop, F& f) const {
    const int64_t n = nest.sizes()[0], index_run = nest[0].strides[1], other_run = nest[1].strides[1], self_run = nest[2].strides[1];
    for (int64_t r = 0; r < s.runs; ++r, s.index += index_run, s.other += other_run, s.self += self_run) {
      if constexpr (walks_itself<F>) {
        f.run(s.self, s.index, s.other, index_step, other_step, self_step, hop, n);
      } else {
        for (int64_t k = 0; k < n; ++k)
          f(*reinterpret_cast<T*>(s.self + k * self_step + *reinterpret_cast<const int64_t*>(s.index + k * index_step) * hop),
            *reinterpret_cast<T*>(s.other + k * other_step));
      }
    }
  }
  template <class T, class F>
  [[gnu::always_inline]] void line(char* const* data, int64_t index_step, int64_t other_step, int64_t self_step, int64_t hop, int64_t n,
                                   F& f) const {
    const char* index = data[0];
    char *other = data[1], *self = data[2];
    while (n > 0) {
      const int64_t count = std::min<int64_t>(n, 1024);  // checked at once, while they are in the first-level cache
      check_places(index, index_step, count);
      if constexpr (walks_itself<F>) {
        f.run(self, index, other, index_step, other_step, self_step, hop, count);
        index += count * index_step, other += count * other_step, self += count * self_step;
      } else {
        for (int64_t k = 0; k < count; ++k) {
          f(*reinterpret_cast<T*>(self + *reinterpret_cast<const int64_t*>(index) * hop), *reinterpret_cast<T*>(other));
          index += index_step, other += other_step, self += self_step;
        }
      }
      n -= count;
    }
  }
  // Raises torch's text for the first of `n` indices that is outside of a line.
  void check_places(const char* index, int64_t index_step, int64_t n) const;
};
inline constexpr int64_t line_grain = 8192;
// Elements of lines are read: any places may be walked at once.
template <class T, class F>
void read_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, F&& f) {
  const LineWalk walk(self, other, index, dim);
  cpu::parallel_for(0, walk.units(), line_grain / walk.unit(), [&](int64_t begin, int64_t end) { walk.run<T>(begin, end, f); });
}
// The dimension over which writes into lines along `dim` may be shared out: the longest other one, or -1.
int64_t cut_for_writes(const Tensor& index, int64_t dim);
// Elements of lines are written: each line by one thread, in the order of the index.
template <class T, class F>
void write_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, F&& f) {
  const int64_t cut = cut_for_writes(index, dim);
  if (cut < 0) {
    const LineWalk walk(self, other, index, dim);
    return walk.run<T>(0, walk.units(), f);
  }
  // Few wide pieces: narrow ones would go through all the memory that is written again and again.
  const int64_t grain = std::max((line_grain * index.size(cut) + index.numel() - 1) / index.numel(), (index.size(cut) + 15) / 16);
  cpu::parallel_for(0, index.size(cut), grain, [&](int64_t begin, int64_t end) {
    const LineWalk walk(self, other, index, dim, cut, begin, end - begin);
    walk.run<T>(0, walk.units(), f);
  });
}

// `index` in int64: itself where it is.
Tensor wide_index(const Tensor& index);

// Where `index` is the same along all dimensions after `dim`, as expand() makes it of one index for a slice: the slices of `self`, `width`
// elements each, as lines of a table, and which of them each place means.
struct SliceIndex {
  Tensor at;  // int64, one for a slice; undefined where this is not so, or one of them is outside of `self`
  int64_t lines = 0, width = 0;
};
// `self` is contiguous.
SliceIndex slice_index(const Tensor& self, int64_t dim, const Tensor& index);
// The index vector for slices of `source` along `dim`, as an index for each of its elements.
Tensor spread_index(const Tensor& index, int64_t dim, const Tensor& source);

// What advanced indexing means: the indexed tensor with its indexed dimensions together, index tensors expanded to one shape.
struct AdvancedIndex {
  Tensor self;                   // dimensions moved so that indexed ones are adjacent (or in front)
  std::vector<Tensor> indices;   // int64, broadcast to `index_sizes`, negative ones wrapped
  std::vector<Dims> layouts;     // their strides as they were given, broadcast
  std::vector<int64_t> dims;     // which dimensions of `self` they index
  Dims index_sizes, result_sizes;
  int64_t first = 0;             // where the index dimensions stand in the result
};
// Whether a mask for each of the elements is the only index: then there is nothing to look up.
inline bool is_one_mask(const Tensor& self, TensorList indices) {
  return indices.size() == 1 && indices[0].defined() && indices[0].dtype() == Dtype::boolean && self.dim() > 0 &&
         indices[0].sizes() == self.sizes();
}
// Index tensors of `self` with masks as one int64 tensor for each dimension that they cover, and int32 ones as int64.
std::vector<Tensor> without_masks(const Tensor& self, TensorList indices);
// indices: int64, int32, uint8 or bool tensors, undefined for a full slice. torch's texts for what does not fit.
// `values` are what is to be put there: those that do not fit are refused before the indices are looked at.
AdvancedIndex advanced_index(const Tensor& self, TensorList indices, const Tensor& values = {});
// The elements of an index vector as int64.
struct Positions {
  Tensor held;
  const int64_t* begin() const { return held.data<int64_t>(); }
  const int64_t* end() const { return begin() + size(); }
  int64_t size() const { return held.numel(); }
  int64_t operator[](int64_t i) const { return begin()[i]; }
};
// Checked against [0, size): no negative ones here. `text` is that of the error: {0} is the element, {1} the size, {2} the dimension.
Positions index_positions(const Tensor& index, int64_t size, const char* text = "index out of range in self");
Positions index_positions(const Tensor& index, int64_t size, int64_t dim, const char* text);
// Refuses a source with another number of slices along `dim` than there are indices, in the words of `name`_().
void check_slice_count(const char* name, const Tensor& index, const Tensor& source, int64_t dim);
// Refuses a source whose sizes, apart from those along `dim`, are not those of `self`.
void check_same_slices(const Tensor& self, const Tensor& source, int64_t dim);
// One index of a dimension as a view without it; a 0-dim tensor is its own slice.
Tensor slice_at(const Tensor& t, int64_t dim, int64_t index);
// result[...] = self[indices], or self[indices] (+)= values.
Tensor index_get(const AdvancedIndex& index);
void index_put(const AdvancedIndex& index, const Tensor& values, bool accumulate);

}  // namespace mt
