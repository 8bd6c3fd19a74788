// Places of tensors of coordinates, looked up in other tensors.
#pragma once

#include "rules/sparse.h"

namespace mt {

// The values of a dense tensor at coordinates: elements x dense dimensions. IndexError for coordinates outside.
Tensor gather_values_at(const Tensor& dense, const Tensor& indices);
// For each of the coordinates where they are among the `stored` ones, which are in order and differ, or -1.
Tensor find_positions_in(const Tensor& wanted, const Tensor& stored, IntList sizes);
// The pairs of equal flat places: for each the number in `source` and that in `sorted`, which has each place once and in order.
struct Pairs {
  Tensor of_source, of_sorted;
};
Pairs match_indices(const Tensor& source, const Tensor& sorted);
// The elements of `self`, those whose places are not in `mask` as zeros; each as often as its place is in `mask` where `by_count` is set.
Tensor keep_where(const Tensor& self, const Tensor& mask, bool by_count);

}  // namespace mt
