// Parallel running totals: they vectorise where a single total would not, and keep float sums accurate.
#pragma once

#include <cstdint>

namespace mt::cpu {

// Calls f(j) for each of `Lanes` lanes, 64 bytes of A (the narrowest type that the loop reads) at a time, each in a loop of its own: of
// one or two vectors, which gcc unrolls completely at -O2, so that the totals stay in registers. gcc does not unroll a loop of four
// vectors, nor one of two with a large body, and then goes through memory each time: such callers request 32 bytes, one AVX2 vector.
template <class A, int Lanes, int Bytes = 64, int First = 0, class F>
[[gnu::always_inline]] inline void for_lanes(F&& f) {
  constexpr int most = sizeof(A) < Bytes ? Bytes / sizeof(A) : 1, last = Lanes - First < most ? Lanes : First + most;
  for (int j = First; j < last; ++j) f(j);
  if constexpr (last < Lanes) for_lanes<A, Lanes, Bytes, last>(f);
}
// Calls step(lane, i) for each i of [0, n), with lanes 0, 1, ..., Lanes - 1 in order, again and again.
template <class A, int Lanes, int Bytes = 64, class F>
[[gnu::always_inline]] inline void walk_lanes(int64_t n, F&& step) {
  int64_t i = 0;
  for (; i + Lanes <= n; i += Lanes) for_lanes<A, Lanes, Bytes>([&](int j) { step(j, i + j); });
  for (int j = 0; i < n; ++i, ++j) step(j, i);
}
// Merges the totals of 2 * `Width` lanes into one by halving, each step in a loop of constant count, which becomes whole
// vectors.
template <int Width, class A, class F>
[[gnu::always_inline]] inline A merge_lanes(A* acc, F&& merge) {
  for (int j = 0; j < Width; ++j) acc[j] = merge(acc[j], acc[j + Width]);
  if constexpr (Width > 1) return merge_lanes<Width / 2>(acc, merge);
  return acc[0];
}

}  // namespace mt::cpu
