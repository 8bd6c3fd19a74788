// The histogram family: checks, bin edges, and counting in any number of dimensions.
#pragma once

#include "rules/reduction/rows.h"

namespace mt {

using RealList = List<double>;

// Raise torch's errors for a (points, dims) input, its weights and the given bins.
void check_histogram_input(const Tensor& self, const Tensor& weight);
void check_bin_edges(const Tensor& self, TensorList edges);
// Equally spaced edges between the ends of a range (2 numbers per dimension), or of the data.
std::vector<Tensor> equal_edges(const Tensor& self, IntList bins, std::optional<RealList> range, const Tensor& weight);
// The number (or weight) of points in each bin; a point on the last edge counts, one outside or NaN does not. With `density`, divided by
// the total and by the bins' volumes.
Tensor count_in_bins(const Tensor& self, TensorList edges, const Tensor& weight, bool density);
// Reshapes to (points, D), where D is the last dimension.
Tensor reshape_to_points(const Tensor& self);

}  // namespace mt
