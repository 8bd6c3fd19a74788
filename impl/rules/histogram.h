// The histogram family: checks, bin edges, and counting in any number of dimensions.
#pragma once

#include "rules/rows.h"

namespace mt {

using RealList = List<double>;

// torch's texts for a (points, dims) input, its weights and what bins are given for it.
void check_histogram_input(const Tensor& self, const Tensor& weight);
void check_bin_edges(const Tensor& self, TensorList edges);
// Edges of equal bins between a range's ends (2 numbers per dimension), or those of the data.
std::vector<Tensor> equal_edges(const Tensor& self, IntList bins, std::optional<RealList> range, const Tensor& weight);
// The number (or the weight) of points in each bin; a point on the last edge counts, one outside or NaN does not. With `density` divided by
// the total and by the bins' volumes.
Tensor count_in_bins(const Tensor& self, TensorList edges, const Tensor& weight, bool density);
// The last dimension as D, all others as points.
Tensor as_points(const Tensor& self);

}  // namespace mt
