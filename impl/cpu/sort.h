// Stable sorting and selection along rows, in torch's order: NaN is the largest number, and -0 equals 0.
#pragma once

#include <cstdint>

namespace mt::cpu {

// `rows` rows of n elements with a stride between neighbours; each array of a call has its own strides.
template <class T>
struct Rows {
  T* data;
  int64_t row_stride;
  int64_t stride;
};

// Sorts each row of `in` in ascending or descending order, stably: the elements into `values` and their indices
// into `indices`. Either output may have null data. `values` may be `in`. T: every real dtype, bool, Half and
// BFloat16.
template <class T>
void sort_rows(int64_t rows, int64_t n, Rows<const T> in, bool descending, Rows<T> values, Rows<int64_t> indices);

// The first k of that order, sorted; among equal elements those that torch picks, in its order.
template <class T>
void select_top_of_rows(int64_t rows, int64_t n, int64_t k, Rows<const T> in, bool largest, Rows<T> values, Rows<int64_t> indices);

// The element at rank k (from 0) in ascending order, and its index: among equal elements the one that torch picks.
template <class T>
void select_kth_of_rows(int64_t rows, int64_t n, int64_t k, Rows<const T> in, Rows<T> values, Rows<int64_t> indices);

}  // namespace mt::cpu
