// Pooling of planar images, transposed so that planes become channels: vectors run over planes, however short the lines are.
#include <algorithm>
#include <cstring>

#include "core/half.h"
#include "cpu/buffer.h"
#include "cpu/copy/copy.h"
#include "cpu/pool/pool.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

constexpr int64_t cache_bytes = int64_t{1} << 17;  // of the transposed image at a time
constexpr int64_t min_planes = 8, preferred_planes = 16, max_planes = 64;

// Transposes [rows][columns] to [columns][rows], a few cache lines of each row at a time; both have the given pitch.
[[gnu::noinline]] void transpose_lines(const void* from, int64_t pitch, int64_t rows, int64_t columns, int64_t size, void* to,
                                       int64_t to_pitch) {
  constexpr int64_t at_once = 64;
  for (int64_t c = 0; c < columns; c += at_once)
    transpose_tile(static_cast<char*>(to) + c * to_pitch * size, to_pitch * size, static_cast<const char*>(from) + c * size, pitch * size,
                   std::min(at_once, columns - c), rows, size);
}

using Pool = void(const PoolWindows& windows, const void* from, void* to, int64_t* place);

// Runs `pool` on transposed copies of a few planes at a time. A plane has `read` input and `written` output elements and, if requested, an
// index for each output.
[[gnu::noinline]] void run_transposed(const PoolWindows& windows, int64_t planes, int64_t size, int64_t read, int64_t written,
                                      const void* from, void* to, int64_t* place, Pool* pool) {
  const int64_t in = windows.in_size(), fit = cache_bytes / std::max<int64_t>(1, in * size);
  // Fewer planes if they are large, so that the copy takes little memory.
  const int64_t block = fit == 0 ? min_planes : std::clamp(fit / preferred_planes * preferred_planes, preferred_planes, max_planes);
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, block * (read + written)));
  parallel_for(0, (planes + block - 1) / block, grain, [&](int64_t begin, int64_t end) {
    PoolWindows some = windows;
    some.images = 1;
    for (int64_t first = begin * block; first < std::min(planes, end * block); first += block) {
      // Pads the channels to a whole vector with zeros.
      const int64_t count = std::min(block, planes - first), pitch = some.channels = std::max(count, min_planes);
      Buffer<char> source(read * pitch * size), target(written * pitch * size);
      Buffer<int64_t> places(place ? written * pitch : 0);
      if (pitch != count) std::memset(source.data(), 0, size_t(read * pitch * size));
      transpose_lines(static_cast<const char*>(from) + first * read * size, read, count, read, size, source.data(), pitch);
      pool(some, source.data(), target.data(), places.data());
      transpose_lines(target.data(), pitch, written, count, size, static_cast<char*>(to) + first * written * size, written);
      if (place) transpose_lines(places.data(), pitch, written, count, sizeof(int64_t), place + first * written, written);
    }
  });
}

}  // namespace

template <class T>
void max_pool_transposed(const PoolWindows& windows, int64_t planes, const T* x, T* y, int64_t* place) {
  run_transposed(windows, planes, sizeof(T), windows.in_size(), windows.out_size(), x, y, place,
                 [](const PoolWindows& some, const void* from, void* to, int64_t* places) {
                   max_pool_channels_last(some, static_cast<const T*>(from), static_cast<T*>(to), places);
                 });
}
template <class T>
void avg_pool_transposed(const PoolWindows& windows, int64_t planes, const T* x, T* y) {
  run_transposed(windows, planes, sizeof(T), windows.in_size(), windows.out_size(), x, y, nullptr,
                 [](const PoolWindows& some, const void* from, void* to, int64_t*) {
                   avg_pool_channels_last(some, static_cast<const T*>(from), static_cast<T*>(to));
                 });
}
template <class T>
void avg_pool_backward_transposed(const PoolWindows& windows, int64_t planes, const T* y, T* x) {
  run_transposed(windows, planes, sizeof(T), windows.out_size(), windows.in_size(), y, x, nullptr,
                 [](const PoolWindows& some, const void* from, void* to, int64_t*) {
                   avg_pool_backward_channels_last(some, static_cast<const T*>(from), static_cast<T*>(to));
                 });
}

#define MT_INSTANTIATE(T) template void max_pool_transposed<T>(const PoolWindows&, int64_t, const T*, T*, int64_t*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int8_t)
MT_INSTANTIATE(int16_t)
MT_INSTANTIATE(int32_t)
MT_INSTANTIATE(int64_t)
MT_INSTANTIATE(uint8_t)
#undef MT_INSTANTIATE
#define MT_INSTANTIATE(T)                                                          \
  template void avg_pool_transposed<T>(const PoolWindows&, int64_t, const T*, T*); \
  template void avg_pool_backward_transposed<T>(const PoolWindows&, int64_t, const T*, T*);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int64_t)
#undef MT_INSTANTIATE

}  // namespace mt::cpu
