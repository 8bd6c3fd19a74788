// CRC-32, by carry-less multiplication if the processor has it.
#include "io/crc32.h"

#include <zlib.h>

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mt::io {

namespace {

#if defined(__x86_64__)
#define MT_FOLDING __attribute__((target("pclmul,sse4.1")))

MT_FOLDING inline __m128i load(const uint8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }
MT_FOLDING inline __m128i fold_block(__m128i block, __m128i powers, __m128i next) {
  return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(block, powers, 0x00), _mm_clmulepi64_si128(block, powers, 0x11)), next);
}

// Folds the data: multiplies a block by powers of x modulo the polynomial and adds the product to the next block. The last block then has
// the checksum of all (Gopal et al., "Fast CRC computation using PCLMULQDQ", 2009).
MT_FOLDING uint32_t crc_by_folding(uint32_t before, const uint8_t* data, size_t count) {
  constexpr int lanes = 4;
  const __m128i by_four = _mm_set_epi64x(0x1c6e41596, 0x154442bd4), by_one = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  __m128i block[lanes];
  for (int i = 0; i < lanes; ++i) block[i] = load(data + 16 * i);
  block[0] = _mm_xor_si128(block[0], _mm_cvtsi32_si128(int(~before)));
  const uint8_t* const end = data + count;
  for (data += 64; end - data >= 64; data += 64)
    for (int i = 0; i < lanes; ++i) block[i] = fold_block(block[i], by_four, load(data + 16 * i));
  for (int i = 1; i < lanes; ++i) block[i] = fold_block(block[i - 1], by_one, block[i]);
  __m128i last = block[lanes - 1];
  for (; end - data >= 16; data += 16) last = fold_block(last, by_one, load(data));
  uint8_t bytes[16];
  std::memcpy(bytes, &last, 16);
  // zlib inverts the checksum before and after.
  uint32_t state = ~uint32_t(::crc32(0xffffffffu, bytes, 16));
  return uint32_t(::crc32(~state, data, uInt(end - data)));
}
bool has_carryless_multiplication() {
  static const bool found = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return found;
}
#endif

}  // namespace

uint32_t crc32(uint32_t before, Bytes bytes) {
#if defined(__x86_64__)
  if (bytes.size() >= 64 && has_carryless_multiplication()) return crc_by_folding(before, bytes.data(), bytes.size());
#endif
  return uint32_t(::crc32_z(before, bytes.data(), bytes.size()));
}

}  // namespace mt::io
