// Runs of equal elements or slices, which unique and its kin keep the first of.
#pragma once

#include <vector>
#include "rules/rule.h"

namespace mt {

struct Runs {
  Tensor first;   // positions where runs begin
  Tensor run_of;  // which run each position belongs to; undefined where not asked for
};
Runs runs_of(const Tensor& flat, bool with_run_of);
// How many positions each run has, of `n` in all.
Tensor count_runs(const Runs& runs, int64_t n);

// The different slices along `dim`, each compared as a whole, where each went and how often each occurs (empty where not asked for).
enum class SliceOrder { sorted, as_given };  // as_given: one of each run of equal neighbours
Tensors<3> unique_slices(const Tensor& self, int64_t dim, SliceOrder order_of_slices, bool inverse, bool counts);

Tensor int64_tensor(const std::vector<int64_t>& values);
inline Tensor empty_int64() { return int64_tensor({}); }

}  // namespace mt
