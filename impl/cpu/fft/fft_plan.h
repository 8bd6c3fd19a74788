// The plan of a transform of one length: its passes, twiddles, and the plans of shorter transforms that it uses.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/fft/fft.h"

namespace mt::cpu::detail {

// exp(-2 pi i k / n) for 0 <= k < n, correctly rounded up to the last bits: one full table, or products from two shorter tables.
class Roots {
 public:
  Roots() = default;
  explicit Roots(int64_t n);
  std::complex<double> operator[](int64_t k) const {
    return high_.empty() ? low_[size_t(k)] : low_[size_t(k % step_)] * high_[size_t(k / step_)];
  }
  int64_t bytes() const { return int64_t((low_.size() + high_.size()) * sizeof(std::complex<double>)); }

 private:
  int64_t step_ = 1;
  std::vector<std::complex<double>> low_, high_;
};

template <class T>
struct Plan {
  struct Pass {
    int radix;
    int64_t m;         // number of transforms of size `radix`, per earlier one
    size_t twiddles;   // offset of its twiddles
  };
  int64_t n = 1;
  int64_t work = 1;  // buffer size per lane, in elements

  std::vector<Pass> passes;
  std::vector<T> twiddles;
  std::vector<T> first_twiddles;  // of the first pass, transposed for a single lane

  // For a length with a prime factor above 13: a convolution with a chirp. For a prime n whose n - 1 has no such factor: a cyclic
  // convolution over all elements but the first, in the order of a generator's powers g^q, which gives the results in the order g^-q.
  std::shared_ptr<const Plan> convolution;
  std::vector<T> chirp, kernel;
  std::vector<int32_t> order;

  // For a long row of n = rows * columns elements, a matrix that is transformed along columns, then rows.
  std::shared_ptr<const Plan> rows, columns;
  Roots roots;

  // exp(-2 pi i k / (2 n)) for k < n, to transform 2 n reals as n pairs.
  std::vector<T> real;

  int64_t bytes() const;
};

// What is transformed: complex: n complex numbers; real: n pairs of reals; step: n complex numbers by passes alone, for use inside another
// plan.
enum class PlanKind : int8_t { complex, real, step };

// Looks the plan up in the cache, or makes it.
template <class T>
std::shared_ptr<const Plan<T>> plan_of(int64_t n, PlanKind kind);

}  // namespace mt::cpu::detail
