// Segments of a dimension, given by their lengths or by where they begin and end.
#pragma once

#include <vector>
#include "rules/form/rule.h"

namespace mt {

// Start and end of the segments of each line, a row of pairs per line of the dimensions before `axis`.
struct Segments {
  int64_t axis, lines, per_line, length, inner;
  std::vector<int64_t> ends;  // start and end of each
};
// Makes torch's checks; `unsafe` skips those that read the lengths.
Segments segments_of(const Tensor& data, int64_t dim, const Tensor& lengths, const Tensor& offsets, bool unsafe);

}  // namespace mt
