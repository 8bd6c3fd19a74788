// Selection by a mask: counts first, then writes without a branch for each element.
#pragma once

#include <algorithm>
#include <cstring>

#include "cpu/threads/parallel.h"

namespace mt {

// Counts the true elements of a mask, in pieces of a fixed size. Any non-zero byte is true, since the mask may be a view of other memory.
struct MaskSelection {
  static constexpr int64_t grain = 32768;
  const uint8_t* mask;
  int64_t n;
  cpu::Chunks chunks;
  int64_t starts[65] = {};  // start of each piece's elements in the result; chunks_of makes at most 64 pieces

  MaskSelection(const bool* given, int64_t count)
      : mask(reinterpret_cast<const uint8_t*>(given)), n(count), chunks(cpu::chunks_of(count, grain)) {
    cpu::parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
      int64_t found = 0;
      for (int64_t i = begin; i < end; ++i) found += mask[i] != 0;
      starts[begin / chunks.size + 1] = found;
    });
    for (int64_t c = 0; c < chunks.count; ++c) starts[c + 1] += starts[c];
  }
  int64_t count() const { return starts[chunks.count]; }
  // Calls f(begin, end, index of the first selected element in the result) for every piece.
  template <class F>
  void for_pieces(F&& f) const {
    cpu::parallel_for(0, n, grain, [&](int64_t begin, int64_t end) { f(begin, end, starts[begin / chunks.size]); });
  }
};

// to[0], to[1], ... = value(i) for those i in [begin, end) where the mask is true. Returns the end of what was written.
template <class T, class F>
T* write_selected(const uint8_t* mask, int64_t begin, int64_t end, T* to, F&& value) {
  constexpr int64_t block = 512;
  T found[block + 1];  // one element more than counted may be written
  while (begin < end) {
    const int64_t stop = std::min(end, begin + block);
    int64_t n = 0;
    for (; begin + 8 <= stop; begin += 8) {
      uint64_t any;
      std::memcpy(&any, mask + begin, 8);
      if (any == 0) continue;
      for (int64_t i = begin; i < begin + 8; ++i) {
        found[n] = value(i);
        n += mask[i] != 0;
      }
    }
    for (; begin < stop; ++begin) {
      found[n] = value(begin);
      n += mask[begin] != 0;
    }
    if (n) std::memcpy(static_cast<void*>(to), found, size_t(n) * sizeof(T));  // if nothing is selected there may be no memory
    to += n;
  }
  return to;
}

}  // namespace mt
