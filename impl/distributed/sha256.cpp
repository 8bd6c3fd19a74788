// SHA-256 and HMAC.
#include "distributed/sha256.h"

#include <sys/random.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "core/error.h"

namespace mt::dist {
namespace {

// The first 32 bits of the fractional parts of the roots of the first primes: cube roots of 64, square roots of 8.
struct Constants {
  uint32_t round[64], start[8];
  Constants() {
    int found = 0;
    for (int n = 2; found < 64; ++n) {
      bool is_prime = true;
      for (int d = 2; d * d <= n; ++d) is_prime &= n % d != 0;
      if (!is_prime) continue;
      const auto fraction = [](long double root) { return uint32_t((root - std::floor(root)) * 0x1p32L); };
      round[found] = fraction(std::cbrt((long double)n));
      if (found < 8) start[found] = fraction(std::sqrt((long double)n));
      ++found;
    }
  }
};

void digest_block(const Constants& constants, const uint8_t* block, uint32_t* state) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = uint32_t(block[4 * i]) << 24 | uint32_t(block[4 * i + 1]) << 16 | uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  uint32_t v[8];
  std::memcpy(v, state, sizeof v);
  for (int i = 0; i < 64; ++i) {
    const uint32_t mixed = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
    const uint32_t first = v[7] + mixed + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants.round[i] + w[i];
    const uint32_t turned = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
    const uint32_t second = turned + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    std::memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first;
    v[0] = first + second;
  }
  for (int i = 0; i < 8; ++i) state[i] += v[i];
}

}  // namespace

std::array<uint8_t, 32> sha256(std::string_view data) {
  static const Constants constants;
  std::string padded(data);
  padded += char(0x80);
  padded.resize((padded.size() + 8 + 63) / 64 * 64);
  for (int i = 0; i < 8; ++i) padded[padded.size() - 1 - size_t(i)] = char(uint64_t(data.size()) * 8 >> (8 * i));
  uint32_t state[8];
  std::memcpy(state, constants.start, sizeof state);
  for (size_t at = 0; at < padded.size(); at += 64) digest_block(constants, reinterpret_cast<const uint8_t*>(padded.data()) + at, state);
  std::array<uint8_t, 32> out;
  for (size_t i = 0; i < 32; ++i) out[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  const auto text = [](const std::array<uint8_t, 32>& digest) { return std::string(digest.begin(), digest.end()); };
  std::string block = key.size() > 64 ? text(sha256(key)) : std::string(key);
  block.resize(64);
  std::string inner = block, outer = block;
  for (char& c : inner) c ^= 0x36;
  for (char& c : outer) c ^= 0x5c;
  return text(sha256(outer + text(sha256(inner.append(message)))));
}

bool is_same_in_constant_time(std::string_view a, std::string_view b) {
  uint8_t difference = a.size() != b.size();
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) difference |= uint8_t(a[i] ^ b[i]);
  return difference == 0;
}

std::string random_bytes(size_t count) {
  std::string out(count, '\0');
  size_t filled = 0;
  while (filled < count) {
    const ssize_t got = getrandom(out.data() + filled, count - filled, 0);
    if (got > 0) filled += size_t(got);
  }
  return out;
}

}  // namespace mt::dist
