// Copies between tensors of one shape and any strides and dtypes: runs, short rows, transposes; filling.
#pragma once

#include "core/dtype.h"
#include "cpu/copy/nest.h"

namespace mt::cpu {

// Operand 0 of the finished nest = operand 1, with torch's dtype conversion. Parallel.
void copy_nest(const Nest& nest, Dtype to, Dtype from);
// Fills `bytes` bytes with copies of one element of `size` bytes, 1 to 16 and a power of two. Parallel.
void fill_dense(char* to, int64_t bytes, const char* element, int64_t size);
// Rows of `width` bytes, `to_step` and `from_step` bytes apart.
void move_rows(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows, int64_t width);
// Transposes a tile: row r, column c of the target is the element at from + c * from_column + r * size. `to_row` and `from_column` are in
// bytes; size is 1, 2, 4, 8 or 16.
void transpose_tile(char* to, int64_t to_row, const char* from, int64_t from_column, int64_t rows, int64_t columns, int64_t size);
// Gathers rows of `width` bytes: row i is from + index[i] * width. `result_bytes` is the size of the whole result: see
// streams_past_caches().
void gather_rows(char* to, const char* from, const int64_t* index, int64_t rows, int64_t width, int64_t result_bytes);

}  // namespace mt::cpu
