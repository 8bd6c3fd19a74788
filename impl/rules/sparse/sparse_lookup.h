// Looks up the indices of sparse_coo tensors in other tensors.
#pragma once

#include "rules/sparse/sparse.h"

namespace mt {

// The values of a dense tensor at indices: elements x dense dimensions. IndexError for indices out of range.
Tensor gather_values_at(const Tensor& dense, const Tensor& indices);
// For each index its position among the `stored` ones, which are sorted and unique, or -1.
Tensor find_positions_in(const Tensor& wanted, const Tensor& stored, IntList sizes);
// Pairs of equal linear indices: the positions in `source` and in `sorted`, which is sorted and unique.
struct Pairs {
  Tensor of_source, of_sorted;
};
Pairs match_indices(const Tensor& source, const Tensor& sorted);
// `self` with zeros for elements whose indices are not in `mask`; with `by_count` each is repeated as often as its index occurs in `mask`.
Tensor select_by_mask_indices(const Tensor& self, const Tensor& mask, bool by_count);

}  // namespace mt
