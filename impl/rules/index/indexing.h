// Kernels of the indexing family: gather and scatter by index tensors.
#pragma once

#include <algorithm>
#include <vector>

#include "core/dispatch_dtype.h"
#include "cpu/copy/nest.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// Iterates over gather's or scatter's elements: each element of `index` (int64), the element of `other` at the same position, and the line
// of `self` along `dim` in which the index is looked up. If `cut` is not negative: only elements [first, first + count) of dimension `cut`.
struct LineWalk {
  cpu::Nest nest;
  int64_t dim, length, step;  // step: bytes between elements of a line

  LineWalk(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, int64_t cut = -1, int64_t first = 0,
           int64_t count = 0);

  // Positions are visited in units, each of one visit: innermost runs if they are so short that one call for each would cost too much,
  // otherwise single positions.
  int64_t unit_size() const { return nest.sizes().size() > 1 && nest.sizes()[0] <= shortest_run ? nest.sizes()[0] : 1; }
  int64_t units() const { return nest.numel() / unit_size(); }

  // `runs` runs of `n` positions each, whose indices are valid. In bytes: *_step from position to position, *_run from run to run, `hop`
  // from one element of a line to the next.
  struct Runs {
    const char* index;
    char *other, *self;
    int64_t index_step, other_step, self_step, hop, n;
    int64_t runs, index_run, other_run, self_run;
  };
  using Visit = void (*)(void* f, const Runs& runs);
  // Visits the positions of units [begin, end).
  void run(int64_t begin, int64_t end, Visit visit, void* f) const;
  // Calls f(element of self, element of other) for each position, or f.run(...) if F processes whole runs itself.
  template <class T, class F>
  static void visit(void* f, const Runs& runs) {
    constexpr int64_t size = sizeof(T);
    if (runs.index_step == 8 && runs.other_step == size && runs.self_step == 0 && runs.hop == size)
      visit<T>(*static_cast<F*>(f), runs, 8, size, 0, size);  // along the last dimension: constant strides
    else
      visit<T>(*static_cast<F*>(f), runs, runs.index_step, runs.other_step, runs.self_step, runs.hop);
  }

 private:
  static constexpr int64_t shortest_run = 128;
  // Collects several short runs along the second dimension of the nest, and checks their indices.
  Runs short_runs(int64_t begin, int64_t end) const;
  template <class T, class F>
  [[gnu::always_inline]] static void visit(F& f, const Runs& runs, int64_t index_step, int64_t other_step, int64_t self_step, int64_t hop) {
    const Runs s = runs;  // a local copy: for the compiler, written elements may alias the original
    const char* index = s.index;
    char *other = s.other, *self = s.self;
    for (int64_t r = 0; r < s.runs; ++r, index += s.index_run, other += s.other_run, self += s.self_run) {
      if constexpr (requires { f.run(self, index, other, index_step, other_step, self_step, hop, s.n); }) {
        f.run(self, index, other, index_step, other_step, self_step, hop, s.n);
      } else {
        for (int64_t k = 0; k < s.n; ++k)
          f(*reinterpret_cast<T*>(self + k * self_step + *reinterpret_cast<const int64_t*>(index + k * index_step) * hop),
            *reinterpret_cast<T*>(other + k * other_step));
      }
    }
  }
  // Raises torch's error message for the first of `n` indices that is out of range.
  void check_line_indices(const char* index, int64_t index_step, int64_t n) const;
};
// Calls f to read elements of `self`; threads may visit the same line at once.
void read_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, LineWalk::Visit visit, void* f);
// Calls f to write elements of `self`: each line is written by one thread, in the order of the index.
void write_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, LineWalk::Visit visit, void* f);
template <class T, class F>
void read_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, F f) {
  read_lines(self, other, index, dim, LineWalk::visit<T, F>, &f);
}
template <class T, class F>
void write_lines(const Tensor& self, const Tensor& other, const Tensor& index, int64_t dim, F f) {
  write_lines(self, other, index, dim, LineWalk::visit<T, F>, &f);
}

// `index` as int64; returned unchanged if it is int64.
Tensor convert_index_to_int64(const Tensor& index);

// If `index` is constant along all dimensions after `dim`, as after expand() of one index per slice: the slices of `self`, `width`
// elements each, as rows of a table, and the row of each position.
struct SliceIndex {
  Tensor at;  // int64, one per slice; undefined if the index is not constant or out of range
  int64_t lines = 0, width = 0;
};
// `self` is contiguous.
SliceIndex slice_index(const Tensor& self, int64_t dim, const Tensor& index);
// Expands the index vector for slices of `source` along `dim` to an index for each element.
Tensor expand_index(const Tensor& index, int64_t dim, const Tensor& source);

// Advanced indexing, normalised: indexed dimensions are adjacent, and index tensors have one shape.
struct AdvancedIndex {
  Tensor self;                   // dimensions permuted so that indexed ones are adjacent (or in front)
  std::vector<Tensor> indices;   // int64, broadcast to `index_sizes`, negative ones wrapped
  std::vector<Dims> layouts;     // their original strides, broadcast
  std::vector<int64_t> dims;     // the dimensions of `self` that they index
  Dims index_sizes, result_sizes;
  int64_t first = 0;             // position of the index dimensions in the result
};
// Whether the only index is a mask over all elements: then no lookup is needed.
inline bool is_single_mask(const Tensor& self, TensorList indices) {
  return indices.size() == 1 && indices[0].defined() && indices[0].dtype() == Dtype::boolean && self.dim() > 0 &&
         indices[0].sizes() == self.sizes();
}
// The index tensors of `self`, with masks converted to one int64 tensor per dimension that they cover, and int32 to int64.
std::vector<Tensor> expand_masks(const Tensor& self, TensorList indices);
// indices: int64, int32, uint8 or bool tensors, undefined for a full slice. Raises torch's errors for invalid ones. `values` are to be
// stored there: those that do not broadcast are refused before the indices are read.
AdvancedIndex advanced_index(const Tensor& self, TensorList indices, const Tensor& values = {});
// The elements of an index vector as int64.
struct Positions {
  Tensor held;
  const int64_t* begin() const { return held.data<int64_t>(); }
  const int64_t* end() const { return begin() + size(); }
  int64_t size() const { return held.numel(); }
  int64_t operator[](int64_t i) const { return begin()[i]; }
};
// Checks against [0, size): negative indices are invalid here. In the error message, {0} is the element, {1} the size, {2} the dimension.
Positions index_positions(const Tensor& index, int64_t size, const char* text = "index out of range in self");
Positions index_positions(const Tensor& index, int64_t size, int64_t dim, const char* text);
// Refuses a source whose number of slices along `dim` differs from the number of indices, with the error message of `name`_().
void check_slice_count(const char* name, const Tensor& index, const Tensor& source, int64_t dim);
// Refuses a source whose sizes differ from those of `self`, apart from those along `dim`.
void check_same_slices(const Tensor& self, const Tensor& source, int64_t dim);
// The view of one index of a dimension, without that dimension; a 0-dim tensor is its own slice.
Tensor slice_at(const Tensor& t, int64_t dim, int64_t index);
// result[...] = self[indices], or self[indices] (+)= values.
Tensor index_get(const AdvancedIndex& index);
void index_put(const AdvancedIndex& index, const Tensor& values, bool accumulate);

}  // namespace mt
