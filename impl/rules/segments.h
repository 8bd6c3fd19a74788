// Segments of a dimension, given by their lengths or by where they begin and end.
#pragma once

#include <vector>
#include "rules/rule.h"

namespace mt {

// Where the segments of each line begin and end, a row of pairs per line of the dimensions before `axis`.
struct Segments {
  int64_t axis, lines, per_line, length, inner;
  std::vector<int64_t> ends;  // begin and end of each
};
// After torch's checks; `unsafe` leaves out those that read the lengths.
Segments segments_of(const Tensor& data, int64_t dim, const Tensor& lengths, const Tensor& offsets, bool unsafe);

}  // namespace mt
