// Stable sorting and selection along rows, in torch's order: NaN is the largest number, and -0 equals 0.
#pragma once

#include <cstdint>

namespace mt::cpu {

// `rows` rows of n elements with a stride between neighbours; the arrays of a call may have strides of their own.
template <class T>
struct Rows {
  T* data;
  int64_t row_stride;
  int64_t stride;
};

// Each row of `in` in ascending or descending order, equal elements in their first order: the elements in `values` and
// their positions in `indices`. Either output may have null data. `values` may be `in`.
// T: every real dtype, bool, Half and BFloat16.
template <class T>
void sort_rows(int64_t rows, int64_t n, Rows<const T> in, bool descending, Rows<T> values, Rows<int64_t> indices);

// The k first of the same order, sorted; of equal elements those that torch picks, in its order.
template <class T>
void top_rows(int64_t rows, int64_t n, int64_t k, Rows<const T> in, bool largest, Rows<T> values, Rows<int64_t> indices);

// The element at position k (from 0) of the ascending order, and where it is: of equal elements the one that torch picks.
template <class T>
void kth_of_rows(int64_t rows, int64_t n, int64_t k, Rows<const T> in, Rows<T> values, Rows<int64_t> indices);

}  // namespace mt::cpu
