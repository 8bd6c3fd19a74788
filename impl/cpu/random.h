// torch's CPU random streams, bit for bit: one Mersenne Twister, and functions that fill tensors from it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/half.h"

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

// All fills write n contiguous elements and leave the engine in the same state as torch's generator. torch fills a non-contiguous
// tensor in iteration order (memory order if it is dense): fill a buffer and copy it in that order. T is float, double, Half or
// BFloat16 unless stated. Complex tensors are 2n reals: rand and uniform unchanged, normal with std / sqrt(2) and the mean added to
// both components.

// [from, to).
template <class T>
void fill_uniform(RandomEngine& engine, T* out, int64_t n, double from, double to);

// Fills as normal_ fills a contiguous tensor.
template <class T>
void fill_normal(RandomEngine& engine, T* out, int64_t n, double mean, double std);
// Fills as normal_ fills a non-contiguous tensor, which uses other draws, in iteration order.
template <class T>
void fill_normal_one_by_one(RandomEngine& engine, T* out, int64_t n, double mean, double std);

template <class T>
void fill_exponential(RandomEngine& engine, T* out, int64_t n, double lambda);
template <class T>
void fill_cauchy(RandomEngine& engine, T* out, int64_t n, double median, double sigma);
template <class T>
void fill_log_normal(RandomEngine& engine, T* out, int64_t n, double mean, double std);
// T also any integer type.
template <class T>
void fill_geometric(RandomEngine& engine, T* out, int64_t n, double p);

// Fills as bernoulli_(p) and dropout do: one 64-bit draw per element. T is any type that can represent 0 and 1.
template <class T>
void fill_bernoulli(RandomEngine& engine, T* out, int64_t n, double p);
// bernoulli(p): one probability per element; for P float a 24-bit, for double a 53-bit random number is compared with it.
template <class T, class P>
void fill_bernoulli(RandomEngine& engine, T* out, const P* p, int64_t n);

// random_(from, to): integers in [base, base + range); range 0 means all 64 bits, without base. T is any dtype, including bool and
// floats. The caller narrows bounds that a float type cannot represent, as torch does.
template <class T>
void fill_random_range(RandomEngine& engine, T* out, int64_t n, uint64_t range, int64_t base);
// random_() without bounds: [0, largest] for integers, [0, 2^digits] for floating types, 0 or 1 for bool.
template <class T>
void fill_random(RandomEngine& engine, T* out, int64_t n);

// Fills as randperm does; T is any integer or floating type.
template <class T>
void fill_randperm(RandomEngine& engine, T* out, int64_t n);

}  // namespace mt::cpu
