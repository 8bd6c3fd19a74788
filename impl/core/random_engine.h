// The engine of a generator: one Mersenne Twister with the bits and the state of torch's CPU generator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt::cpu {

// MT19937 with torch's bookkeeping. Not thread-safe: the generator that owns it holds a lock while a tensor is filled.
class RandomEngine {
 public:
  static constexpr uint64_t default_seed = 67280421310721;
  static constexpr size_t state_bytes = 5056;

  explicit RandomEngine(uint64_t seed = default_seed) { set_seed(seed); }

  void set_seed(uint64_t seed);  // drops the cached normal numbers
  uint64_t seed() const { return seed_; }

  uint32_t next32() {
    if (position_ == words) refill();
    return tempered_[position_++];
  }
  // Returns two 32-bit draws as one number; the first is the high half.
  uint64_t next64() {
    const uint64_t high = next32();
    return high << 32 | next32();
  }
  double next_uniform53() { return static_cast<double>(next64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53; }
  // The next normal number of the scalar stream: float64 Box-Muller; the second of a pair is cached.
  double next_normal();

  // Returns a run of ready draws, at least one and at most `wanted`; they count as used.
  const uint32_t* take(int64_t wanted, int64_t* got) {
    if (position_ == words) refill();
    const int64_t left = words - position_;
    *got = wanted < left ? wanted : left;
    const uint32_t* run = tempered_ + position_;
    position_ += static_cast<int>(*got);
    return run;
  }

  // The state in torch's layout: what get_rng_state() returns.
  void get_state(uint8_t* out) const;
  // Returns false and changes nothing if torch would not accept the engine part.
  bool set_state(const uint8_t* in, size_t bytes);

  // Advances as if `count` 32-bit draws had been made.
  void discard(int64_t count);

 private:
  static constexpr int words = 624;
  void refill();
  void temper();

  uint64_t seed_ = 0;
  int position_ = words;
  bool fresh_ = true;  // seeded, and no block generated yet: torch's state differs then
  bool has_normal_ = false;
  bool has_float_normal_ = false;
  double normal_ = 0;
  float float_normal_ = 0;
  alignas(64) uint32_t state_[words];
  alignas(64) uint32_t tempered_[words];
};

}  // namespace mt::cpu
