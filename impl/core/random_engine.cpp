// The MT19937 engine (Matsumoto and Nishimura, 1998) and torch's layout of its state.
#include "core/random_engine.h"

#include <cmath>
#include <cstring>

#include "core/capability.h"

namespace mt::cpu {
namespace {

constexpr int state_words = 624;
constexpr int twist_offset = 397;

__attribute__((always_inline)) inline uint32_t twist_words(uint32_t high, uint32_t low, uint32_t far) {
  const uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
  return far ^ (mixed >> 1) ^ (-(mixed & 1u) & 0x9908b0dfu);
}

// Each loop reads at least 227 words ahead of or behind what it writes, so it vectorises at any width.
__attribute__((always_inline)) inline void next_block(uint32_t* state, uint32_t* out) {
  for (int i = 0; i < state_words - twist_offset; ++i) state[i] = twist_words(state[i], state[i + 1], state[i + twist_offset]);
  for (int i = state_words - twist_offset; i < 2 * (state_words - twist_offset); ++i) {
    state[i] = twist_words(state[i], state[i + 1], state[i + twist_offset - state_words]);
  }
  for (int i = 2 * (state_words - twist_offset); i < state_words - 1; ++i) {
    state[i] = twist_words(state[i], state[i + 1], state[i + twist_offset - state_words]);
  }
  state[state_words - 1] = twist_words(state[state_words - 1], state[0], state[twist_offset - 1]);
  for (int i = 0; i < state_words; ++i) {
    uint32_t word = state[i];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    out[i] = word ^ (word >> 18);
  }
}

MT_TARGET_BASELINE void next_block_baseline(uint32_t* state, uint32_t* out) { next_block(state, out); }
MT_TARGET_AVX2 void next_block_avx2(uint32_t* state, uint32_t* out) { next_block(state, out); }
MT_TARGET_AVX512 void next_block_avx512(uint32_t* state, uint32_t* out) { next_block(state, out); }

// What get_rng_state() returns; the first two doubles and the integer after them are from torch's older layout.
struct SerializedState {
  uint64_t seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  uint64_t state[state_words];
  double unused_x;
  double normal;
  double unused_rho;
  int32_t has_normal;
  int32_t padding;
  float float_normal;
  uint8_t has_float_normal;
  uint8_t padding_too[3];
};
static_assert(sizeof(SerializedState) == RandomEngine::state_bytes);

}  // namespace

void RandomEngine::set_seed(uint64_t seed) {
  seed_ = seed;
  uint32_t word = static_cast<uint32_t>(seed);
  state_[0] = word;
  for (uint32_t i = 1; i < words; ++i) {
    word = 1812433253u * (word ^ (word >> 30)) + i;
    state_[i] = word;
  }
  position_ = words;
  fresh_ = true;
  has_normal_ = false;
  has_float_normal_ = false;
}

void RandomEngine::refill() {
  switch (cpu_capability()) {
    case Capability::avx512: next_block_avx512(state_, tempered_); break;
    case Capability::avx2: next_block_avx2(state_, tempered_); break;
    case Capability::baseline: next_block_baseline(state_, tempered_); break;
  }
  position_ = 0;
  fresh_ = false;
}

void RandomEngine::temper() {
  for (int i = 0; i < words; ++i) {
    uint32_t word = state_[i];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    tempered_[i] = word ^ (word >> 18);
  }
}

double RandomEngine::next_normal() {
  if (has_normal_) {
    has_normal_ = false;
    return normal_;
  }
  const double angle = 2.0 * 3.14159265358979323846 * next_uniform53();
  const double radius = std::sqrt(-2.0 * std::log1p(-next_uniform53()));
  normal_ = radius * std::sin(angle);
  has_normal_ = true;
  return radius * std::cos(angle);
}

void RandomEngine::discard(int64_t count) {
  while (count > 0) {
    int64_t got;
    take(count, &got);
    count -= got;
  }
}

void RandomEngine::get_state(uint8_t* out) const {
  SerializedState blob = {};
  blob.seed = seed_;
  blob.seeded = 1;
  blob.left = fresh_ ? 1 : words + 1 - position_;
  blob.next = fresh_ ? 0 : static_cast<uint64_t>(position_);
  for (int i = 0; i < words; ++i) blob.state[i] = state_[i];
  blob.has_normal = has_normal_ ? 1 : 0;
  blob.normal = has_normal_ ? normal_ : 0.0;
  blob.has_float_normal = has_float_normal_ ? 1 : 0;
  blob.float_normal = has_float_normal_ ? float_normal_ : 0.0f;
  std::memcpy(out, &blob, sizeof(blob));
}

bool RandomEngine::set_state(const uint8_t* in, size_t bytes) {
  if (bytes != state_bytes) return false;
  SerializedState blob;
  std::memcpy(&blob, in, sizeof(blob));
  if (blob.seeded != 1 || blob.left < 1 || blob.left > words || blob.next > words) return false;
  seed_ = blob.seed;
  for (int i = 0; i < words; ++i) state_[i] = static_cast<uint32_t>(blob.state[i]);
  fresh_ = blob.left == 1 && blob.next == 0;
  position_ = blob.left == 1 ? words : static_cast<int>(blob.next);
  has_normal_ = blob.has_normal != 0;
  normal_ = has_normal_ ? blob.normal : 0.0;
  has_float_normal_ = blob.has_float_normal != 0;
  float_normal_ = has_float_normal_ ? blob.float_normal : 0.0f;
  temper();
  return true;
}

}  // namespace mt::cpu
