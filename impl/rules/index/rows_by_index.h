// Rows of a table by index: embeddings and their gradient.
#pragma once

#include "rules/pointwise/pointwise.h"
#include "rules/reduction/rows.h"

namespace mt {

// Refuses indices that are not int64 or int32, with torch's error message for argument number `position` of `function`.
void check_is_index(const Tensor& indices, int position, const char* function);

// Whether all values are in [low, high); high - low must not overflow.
bool are_all_within(const int64_t* values, int64_t n, int64_t low, int64_t high);
// out[i] = table[indices[i]]; all contiguous, indices int64. IndexError for indices out of range.
void gather_rows(const Tensor& table, const Tensor& indices, const Tensor& out);
// How add_rows adds rows to rows of a table, in the order of `at`: table[at[i]] += rows[i] * scale, `width` elements each, in each of
// `blocks` blocks of `count` table rows and `n` source rows.
struct RowSums {
  int64_t blocks, count, width;
  const int64_t* at;
  int64_t n;
  int64_t skip = -1;             // rows with this index are skipped
  bool divide_by_count = false;  // divides by how often their index occurs
};
void add_rows(const RowSums& sums, const Tensor& table, const Tensor& rows, const Scalar& scale, const char* kernel);
// Computes table[at[i]] = step(table[at[i]], rows[i]) in order, with a pointwise loop; `sums` has one block and skips nothing. `row_step`:
// elements from one source row to the next, 0 if all use the same row.
void fold_rows(const RowSums& sums, const Tensor& table, const Tensor& rows, int64_t row_step, PointwiseLoop step);

}  // namespace mt
