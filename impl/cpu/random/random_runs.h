// Reads the engine's random words in contiguous runs, so that the inner loops of fills vectorise.
#pragma once

#include "cpu/random/random.h"

namespace mt::cpu {

// Calls f(words, index of the first element, count) for runs of 32-bit draws until `n` are used.
template <class F>
inline void for_each_run32(RandomEngine& engine, int64_t n, F&& f) {
  for (int64_t done = 0; done < n;) {
    int64_t got;
    const uint32_t* words = engine.take(n - done, &got);
    f(words, done, got);
    done += got;
  }
}

// Calls f(words, index of the first element, count) for runs of 64-bit draws: element i is words[2i] (high half), words[2i + 1].
template <class F>
inline void for_each_run64(RandomEngine& engine, int64_t n, F&& f) {
  for (int64_t done = 0; done < n;) {
    int64_t got;
    const uint32_t* words = engine.take(2 * (n - done), &got);
    if (got >= 2) f(words, done, got / 2);
    done += got / 2;
    if (got % 2 != 0) {  // a pair that spans two blocks
      const uint32_t pair[2] = {words[got - 1], engine.next32()};
      f(static_cast<const uint32_t*>(pair), done, int64_t{1});
      ++done;
    }
  }
}

constexpr uint64_t low_53_bits = (uint64_t{1} << 53) - 1;

inline uint64_t join64(const uint32_t* pair) { return static_cast<uint64_t>(pair[0]) << 32 | pair[1]; }
inline double uniform53(const uint32_t* pair) { return static_cast<double>(static_cast<int64_t>(join64(pair) & low_53_bits)) * 0x1p-53; }
inline float uniform24(uint32_t word) { return static_cast<float>(static_cast<int32_t>(word & 0xffffffu)) * 0x1p-24f; }

}  // namespace mt::cpu
