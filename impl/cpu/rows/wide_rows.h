// Rows of half types as float rows, converted a row at a time by vectors: kernels that convert element by element are many times slower.
#pragma once

#include <algorithm>

#include "core/dispatch_dtype.h"
#include "cpu/buffer.h"
#include "cpu/copy/convert.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {

// Converts rows of n elements of T to float and back, for one thread. Float and double rows are read and written in place.
template <class T>
class ConvertedRows {
 public:
  using C = ComputeType<T>;
  static constexpr bool converts = !std::is_same_v<T, C>;

  // `dtype` is T's; at most `slots` rows are held at a time.
  ConvertedRows(Dtype dtype, int64_t n, int slots)
      : n_(n), buffer_(converts ? n * slots : 0), to_wide_(compute_dtype(dtype), dtype), to_narrow_(dtype, compute_dtype(dtype)) {}

  const C* read(const T* row, int slot) {
    if constexpr (!converts) {
      return row;
    } else {
      to_wide_(buffer(slot), sizeof(C), row, sizeof(T), n_);
      return buffer(slot);
    }
  }
  // Returns where to compute the result of `row`: a buffer that write() then converts and stores, or `row` itself. The slot may be that of
  // a row that was read.
  C* result(T* row, int slot) {
    if constexpr (converts)
      return buffer(slot);
    else
      return row;
  }
  void write(T* row, int slot) {
    if constexpr (converts) to_narrow_(row, sizeof(T), buffer(slot), sizeof(C), n_);
  }

 private:
  C* buffer(int slot) { return buffer_.data() + slot * n_; }

  int64_t n_;
  Buffer<C> buffer_;
  Conversion to_wide_, to_narrow_;
};

// Runs f(begin, end) on the thread pool over pieces of rows, each of at least about 16K elements.
template <class F>
void for_row_pieces(int64_t rows, int64_t width, F&& f) {
  parallel_for(0, rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width)), f);
}

}  // namespace mt::cpu
