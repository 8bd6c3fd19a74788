// Copies between tensors of one shape and any strides and dtypes: runs, short rows, transposes; filling.
#pragma once

#include "core/dtype.h"
#include "cpu/nest.h"

namespace mt::cpu {

// Operand 0 of the finished nest = operand 1, with torch's conversion between the dtypes. Parallel.
void copy_nest(const Nest& nest, Dtype to, Dtype from);
// `bytes` bytes become elements that are equal to the one of `size` bytes, 1 to 16 and a power of two. Parallel.
void fill_dense(char* to, int64_t bytes, const char* element, int64_t size);
// Rows of `width` bytes, `to_step` and `from_step` bytes apart.
void move_rows(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows, int64_t width);
// Row r, column c of the target is the element at from + c * from_column + r * size: what lies across, turned. `to_row` and `from_column`
// in bytes; size 1, 2, 4, 8 or 16.
void transpose_tile(char* to, int64_t to_row, const char* from, int64_t from_column, int64_t rows, int64_t columns, int64_t size);
// Row after row of `width` bytes: row i is that at from + index[i] * width. `result_bytes` is the size of what they are a part of: see
// streams_past_caches().
void gather_rows(char* to, const char* from, const int64_t* index, int64_t rows, int64_t width, int64_t result_bytes);

}  // namespace mt::cpu
