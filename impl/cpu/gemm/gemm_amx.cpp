// The tile unit of processors with AMX (Sapphire Rapids), and the product kernels that use it.
#include "cpu/gemm/gemm_amx.h"

#include "core/capability.h"
#include "cpu/copy/words_avx512.h"

#if MT_HAS_X86_TARGETS
#include <cpuid.h>
#include <immintrin.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace mt::cpu::detail {

void pack_amx_rows(const BFloat16* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, float* out) {
  constexpr int64_t steps = 2 * amx_depth;  // of k in a block
  for (int64_t p = 0; p < k; p += steps) {
    const int64_t count = std::min(steps, k - p), pairs = (count + 1) / 2;
    char* const to = reinterpret_cast<char*>(out + p / 2 * amx_rows);
    const BFloat16* const from = source + p * k_stride;
    std::memset(to, 0, static_cast<size_t>(amx_rows * pairs) * 4);
    if (k_stride == 1) {
      for (int i = 0; i < lanes; ++i) std::memcpy(to + i * pairs * 4, from + i * lane_stride, static_cast<size_t>(count) * 2);
      continue;
    }
    alignas(64) float pairs_first[amx_depth * amx_rows],
        rows_first[amx_depth * 16];  // a row of pairs for each pair; then a row of pairs for each row
    kernels_avx512_bf16().pack_cols(from, lane_stride, k_stride, lanes, count, pairs_first);
    for (int half = 0; half * 16 < lanes; ++half) {
      transpose_words(pairs_first + half * 16, amx_rows * 4, pairs, 64, 16, rows_first);
      for (int i = 0; i < 16; ++i) std::memcpy(to + (half * 16 + i) * pairs * 4, rows_first + i * 16, static_cast<size_t>(pairs) * 4);
    }
  }
}

void pack_amx_few(const BFloat16* source, int64_t row_stride, int64_t k_stride, int rows, int64_t k, bool pairs_first, float* out) {
  constexpr int64_t steps = 2 * amx_depth;
  std::memset(out, 0, static_cast<size_t>(amx_few_words(rows, k)) * sizeof(float));
  for (int64_t p = 0; p < k; p += steps) {
    const int64_t count = std::min(steps, k - p);
    for (int first = 0; first < rows; first += 16, out += 256) {
      const BFloat16* from = source + first * row_stride + p * k_stride;
      const int lanes = std::min(16, rows - first);
      auto* const halves = reinterpret_cast<BFloat16*>(out);
      if (pairs_first && k_stride == 1) {
        transpose_words(from, 2 * row_stride, lanes, 2 * count, 16, out);
        continue;
      }
      for (int r = 0; r < lanes; ++r, from += row_stride) {
        if (k_stride == 1)
          std::memcpy(halves + r * steps, from, static_cast<size_t>(count) * 2);
        else
          for (int64_t i = 0; i < count; ++i) halves[pairs_first ? (i / 2 * 16 + r) * 2 + i % 2 : r * steps + i] = from[i * k_stride];
      }
    }
  }
}

MT_TARGET_BF16 void interleave_amx_rows(const BFloat16* b, int64_t stride, int64_t steps, int64_t cols, float* out) {
  const __mmask32 low = first_lanes(cols), high = first_lanes(cols - 32);
  const BFloat16* row = b;
  for (int64_t p = 0; p < 2 * amx_depth; p += 2, row += 2 * stride, out += amx_few_cols) {
    const auto join = [&](int64_t at, __mmask32 kept) MT_TARGET_BF16 {
      const __m512i even = p < steps ? _mm512_maskz_loadu_epi16(kept, row + at) : _mm512_setzero_si512();
      const __m512i odd = p + 1 < steps ? _mm512_maskz_loadu_epi16(kept, row + stride + at) : _mm512_setzero_si512();
      _mm512_store_si512(out + at, _mm512_unpacklo_epi16(even, odd));
      _mm512_store_si512(out + at + 16, _mm512_unpackhi_epi16(even, odd));
    };
    join(0, low);
    if (high) join(32, high);
  }
}

namespace {

// Tile registers are template parameters, since their numbers are encoded in the instructions.
struct Hardware {
  template <int T>
  static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(T));
  }
  template <int T>
  static void load(const void* data, int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(data), "r"(stride), "i"(T) : "memory");
  }
  template <int T>
  static void store(void* data, int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(data), "r"(stride), "i"(T) : "memory");
  }
  template <int C, int A, int B>
  static void dot() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }
};

// Loading a tile configuration takes as long as some products: load it once for a batch of them. Released tiles need not be saved on a
// thread switch.
thread_local int tile_users = 0;
void configure_tiles() {
  static constexpr TileConfig config;
  if (tile_users++ == 0) asm volatile("ldtilecfg %0" : : "m"(config));
}
void release_tiles() {
  if (--tile_users == 0) asm volatile("tilerelease");
}

void multiply_with_pieces(int64_t count, const float* packed, const BFloat16* unpacked, int64_t stride, const float* b, float* tile,
                          bool accumulate, int rows, const Pieces& work) {
  const AmxLeft a = packed ? amx_packed(count, packed) : amx_in_place(unpacked, stride, rows);
  multiply_amx(Hardware(), count, a, b, tile, accumulate, rows, work);
}
void multiply_panel(int64_t count, const float* a, const float* b, float* tile, bool accumulate, int rows, int) {
  multiply_with_pieces(count, a, nullptr, 0, b, tile, accumulate, rows, {});
}
void multiply_unpacked(int64_t count, const BFloat16* a, int64_t stride, const float* b, float* tile, bool accumulate, int rows, int) {
  multiply_with_pieces(count, nullptr, a, stride, b, tile, accumulate, rows, {});
}

void few_by_dots(int64_t k, int rows, const float* a, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  (rows > 16 ? few_by_dots_amx<2, Hardware> : few_by_dots_amx<1, Hardware>)(Hardware(), k, rows, a, b, stride, cols, sums);
}
void few_by_rows(int64_t k, int rows, const float* a, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  (rows > 16 ? few_by_rows_amx<2, Hardware> : few_by_rows_amx<1, Hardware>)(Hardware(), k, rows, a, b, stride, cols, sums);
}

// Whether the processor has bfloat16 tiles, the operating system saves them, and this process may use them.
bool may_use_tiles() {
#if defined(__linux__) && defined(SYS_arch_prctl)
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, in asm/prctl.h since Linux 5.16
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!has_avx512_bf16() || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 22 & 1) || !(d >> 24 & 1)) return false;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low >> 17 & 3) == 3 && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

// Checks an exact product of small integers: some hypervisors report tiles that do not multiply.
bool can_multiply() {
  constexpr int rows = 29, k = 74;
  BFloat16 left[rows * k], right[k * amx_cols];
  for (int i = 0; i < rows * k; ++i) left[i] = BFloat16(static_cast<float>(i * 7 % 11 - 5));
  for (int i = 0; i < k * amx_cols; ++i) right[i] = BFloat16(static_cast<float>(i * 5 % 13 - 6));
  alignas(64) float a[k / 2 * amx_rows], b[k / 2 * amx_cols], packed[amx_rows * amx_cols], unpacked[amx_rows * amx_cols];
  pack_amx_rows(left, k, 1, rows, k, a);
  kernels_avx512_bf16().pack_cols(right, 1, amx_cols, amx_cols, k, b);
  configure_tiles();
  multiply_panel(k / 2, a, b, packed, false, rows, amx_cols);
  multiply_unpacked(k / 2, left, k, b, unpacked, false, rows, 0);
  release_tiles();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < amx_cols; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += static_cast<float>(left[i * k + p]) * static_cast<float>(right[p * amx_cols + j]);
      if (packed[i * amx_cols + j] != sum || unpacked[i * amx_cols + j] != sum) return false;
    }
  }
  return true;
}

}  // namespace

bool has_amx_bf16() { return may_use_tiles() && can_multiply(); }

const GemmKernels<BFloat16>& kernels_amx() {
  static const GemmKernels<BFloat16> table = [] {
    GemmKernels<BFloat16> made = kernels_avx512_bf16();
    made.tile_rows = amx_rows;
    made.tile_cols = amx_cols;
    made.depth_step = amx_depth;
    made.block_bytes = 3 << 19;  // of the 2 MB L2 cache of processors with AMX
    made.pack_rows = pack_amx_rows;
    made.begin = configure_tiles;
    made.end = release_tiles;
    made.multiply = multiply_panel;
    made.multiply_unpacked = multiply_unpacked;
    made.multiply_with_pieces = multiply_with_pieces;
    made.multiply_into = nullptr;
    made.few_least = 2;
    made.few_most = amx_few;
    made.few_words = amx_few_words;
    made.pack_few = pack_amx_few;
    made.few_by_dots = few_by_dots;
    made.few_by_rows = few_by_rows;
    return made;
  }();
  return table;
}

}  // namespace mt::cpu::detail
#endif
