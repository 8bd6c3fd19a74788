// Runs of equal elements or slices; unique and similar operators keep the first of each.
#pragma once

#include <vector>
#include "rules/form/rule.h"

namespace mt {

struct Runs {
  Tensor first;   // indices where runs begin
  Tensor run_of;  // the run of each element; undefined if not requested
};
Runs runs_of(const Tensor& flat, bool with_run_of);
// The length of each run, of `n` elements in all.
Tensor count_runs(const Runs& runs, int64_t n);

// The distinct slices along `dim`, the index of each original slice among them, and how often each occurs (empty if not requested).
enum class SliceOrder { sorted, as_given };  // as_given: one of each run of equal neighbours
Tensors<3> unique_slices(const Tensor& self, int64_t dim, SliceOrder slice_order, bool inverse, bool counts);

Tensor make_int64_tensor(const std::vector<int64_t>& values);
inline Tensor empty_int64() { return make_int64_tensor({}); }

}  // namespace mt
