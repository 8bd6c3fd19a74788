// How a transform of one length is done: its passes, twiddles, and the plans of shorter transforms that it needs.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "fft.h"

namespace mt::cpu::detail {

// exp(-2 pi i k / n) for 0 <= k < n to the last bits of double: a table of all, or products from two shorter tables.
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
    int64_t m;         // transforms of `radix` numbers per earlier one
    size_t twiddles;   // where its twiddles begin
  };
  int64_t n = 1;
  int64_t work = 1;  // elements a lane's buffer must hold

  std::vector<Pass> passes;
  std::vector<T> twiddles;
  std::vector<T> first_twiddles;  // of the first pass, turned for one lane

  // A length with a prime factor above 13: a convolution with a chirp; or, of a prime n whose n - 1 has none, a cyclic one of the elements
  // but the first in the order of a generator's powers g^q, which gives those at g^-q.
  std::shared_ptr<const Plan> convolution;
  std::vector<T> chirp, kernel;
  std::vector<int32_t> order;

  // A long row: n = rows * columns, transformed along each in turn.
  std::shared_ptr<const Plan> rows, columns;
  Roots roots;

  // exp(-2 pi i k / (2 n)) for k < n: for the transform of 2 n reals as n pairs.
  std::vector<T> real;

  int64_t bytes() const;
};

// n complex numbers; n pairs of reals; n complex numbers by passes alone, however long, as a step of another plan.
enum class PlanKind : int8_t { complex, real, step };

// From the cache where it is there.
template <class T>
std::shared_ptr<const Plan<T>> plan_of(int64_t n, PlanKind kind);

}  // namespace mt::cpu::detail
