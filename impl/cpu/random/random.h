// torch's CPU random streams, bit for bit: functions that fill memory from a generator's engine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/half.h"
#include "core/random_engine.h"

namespace mt::cpu {

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
