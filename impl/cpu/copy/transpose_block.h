// Transposes square blocks in 16-byte registers, which every processor has.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mt::cpu {

// Registers of T and how two of them interleave.
template <class T>
struct Register {
  static constexpr int lanes = 16 / int(sizeof(T));
  using Narrow = std::conditional_t<sizeof(T) == 1, int8_t, int16_t>;
  using Bits = std::conditional_t<sizeof(T) <= 2, Narrow, std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  typedef Bits Vector __attribute__((vector_size(16)));
  [[gnu::always_inline]] static inline void interleave(Vector a, Vector b, Vector& first, Vector& second) {
    Vector low, high;
    for (int l = 0; l < lanes; ++l) {
      low[l] = Bits(l / 2 + l % 2 * lanes);
      high[l] = Bits(low[l] + lanes / 2);
    }
    first = __builtin_shuffle(a, b, low), second = __builtin_shuffle(a, b, high);
  }
};

// to[r][c] = from[c][r] for a square of 16 / sizeof(T) rows: interleaving the halves of the rows log2 times transposes it.
template <class T>
[[gnu::always_inline]] inline void transpose_block(const char* from, int64_t from_column, char* to, int64_t to_row) {
  constexpr int lanes = Register<T>::lanes;
  if constexpr (lanes == 1) {
    std::memcpy(to, from, 16);
  } else {
    typename Register<T>::Vector rows[lanes], next[lanes];
#pragma GCC unroll 16
    for (int c = 0; c < lanes; ++c) std::memcpy(&rows[c], from + c * from_column, 16);
#pragma GCC unroll 4
    for (int stage = 1; stage < lanes; stage *= 2) {
#pragma GCC unroll 8
      for (int c = 0; c < lanes / 2; ++c) Register<T>::interleave(rows[c], rows[c + lanes / 2], next[2 * c], next[2 * c + 1]);
#pragma GCC unroll 16
      for (int c = 0; c < lanes; ++c) rows[c] = next[c];
    }
#pragma GCC unroll 16
    for (int c = 0; c < lanes; ++c) std::memcpy(to + c * to_row, &rows[c], 16);
  }
}

}  // namespace mt::cpu
