#include "cpu/copy/short_rows.h"

#include <cstring>

#include "core/dispatch_dtype.h"
#include "cpu/clones.h"
#include "cpu/copy/copy.h"

namespace mt::cpu {
namespace {

// Writes rows that each repeat one element, in whole vectors: the surplus bytes are overwritten by the next row, or are spare at the end.
template <class T>
struct RepeatRows {
  MT_INLINE static void run(char* to, const char* from, int64_t row_stride, int64_t bytes, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r, to += bytes, from += row_stride) {
      constexpr int lanes = 32 / sizeof(T);
      T value, block[lanes];
      std::memcpy(&value, from, sizeof(T));
      for (int j = 0; j < lanes; ++j) block[j] = value;
      for (int64_t b = 0; b < bytes; b += 32) std::memcpy(to + b, block, 32);
    }
  }
};
template <class T>
struct MoveRows {
  MT_INLINE static void run(char* to, int64_t to_stride, int64_t to_row, const char* from, int64_t from_stride, int64_t from_row,
                            int64_t width, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r, to += to_row, from += from_row)
      for (int64_t j = 0; j < width; ++j) std::memcpy(to + j * to_stride, from + j * from_stride, sizeof(T));
  }
};

// Copies every other element, as in slices with step 2: with a constant stride the compiler vectorises.
template <class T>
struct HalveRows {
  MT_INLINE static void run(T* to, const T* from, int64_t row_step, int64_t width, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r, to += width, from += row_step)
      for (int64_t j = 0; j < width; ++j) to[j] = from[2 * j];
  }
};

template <class F, class... A>
void run_best_clone(A... args) {
  static const auto clone = detail::choose_clone<F>(F::run);
  clone(args...);
}

}  // namespace

void gather_rows(char* tile, const char* from, const ShortRows& s) {
  const int64_t bytes = s.width * s.size;
  if (s.stride == s.size || s.width == 1) return move_rows(tile, bytes, from, s.row_stride, s.rows, bytes);
  dispatch_by_size(s.size, [&]<class T>(Type<T>) {
    if (s.stride == 0) return run_best_clone<RepeatRows<T>>(tile, from, s.row_stride, bytes, s.rows);
    if (s.stride == 2 * s.size)
      return run_best_clone<HalveRows<T>>(reinterpret_cast<T*>(tile), reinterpret_cast<const T*>(from), s.row_stride / s.size, s.width,
                                          s.rows);
    run_best_clone<MoveRows<T>>(tile, s.size, bytes, from, s.stride, s.row_stride, s.width, s.rows);
  });
}

void scatter_rows(char* to, const ShortRows& s, const char* tile) {
  const int64_t bytes = s.width * s.size;
  if (s.stride == s.size || s.width == 1) return move_rows(to, s.row_stride, tile, bytes, s.rows, bytes);
  dispatch_by_size(s.size, [&]<class T>(Type<T>) {
    run_best_clone<MoveRows<T>>(to, s.stride, s.row_stride, tile, s.size, bytes, s.width, s.rows);
  });
}

}  // namespace mt::cpu
