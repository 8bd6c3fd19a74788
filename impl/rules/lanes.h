// Running totals side by side: they vectorise where a single total would not, and keep a sum of floats accurate.
#pragma once

#include <cstdint>

namespace mt {

// f(j) for each of `Lanes` lanes, 64 bytes of A (the narrowest type that the loop reads) at a time in a loop of their own: one or two
// vectors, which gcc unrolls whole at -O2, so that the totals stay in registers. A loop of four vectors it does not unroll, nor one of two
// that does much for each, and goes through memory each time: those ask for 32 bytes, which are one vector of AVX2.
template <class A, int Lanes, int Bytes = 64, int First = 0, class F>
[[gnu::always_inline]] inline void for_lanes(F&& f) {
  constexpr int most = sizeof(A) < Bytes ? Bytes / sizeof(A) : 1, last = Lanes - First < most ? Lanes : First + most;
  for (int j = First; j < last; ++j) f(j);
  if constexpr (last < Lanes) for_lanes<A, Lanes, Bytes, last>(f);
}
// step(lane, i) for each i of [0, n), in turn over the lanes.
template <class A, int Lanes, int Bytes = 64, class F>
[[gnu::always_inline]] inline void walk_lanes(int64_t n, F&& step) {
  int64_t i = 0;
  for (; i + Lanes <= n; i += Lanes) for_lanes<A, Lanes, Bytes>([&](int j) { step(j, i + j); });
  for (int j = 0; i < n; ++i, ++j) step(j, i);
}
// The totals of 2 * `Width` lanes as one: halves merged again and again, each step a loop of its own, whose constant count makes it whole
// vectors.
template <int Width, class A, class F>
[[gnu::always_inline]] inline A merge_lanes(A* acc, F&& merge) {
  for (int j = 0; j < Width; ++j) acc[j] = merge(acc[j], acc[j + Width]);
  if constexpr (Width > 1) return merge_lanes<Width / 2>(acc, merge);
  return acc[0];
}

}  // namespace mt
