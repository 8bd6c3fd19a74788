// Tiles of orthogonal polynomials: each step of the recurrence runs on all elements, and each element keeps the value of its own degree.
#include "rules/special/polynomial.h"

#include "cpu/clones.h"

namespace mt::detail {
namespace {

template <class T>
struct LockstepRecurrence {
  // Computes r(k + 1) from q = r(k) and p = r(k - 1).
  static MT_INLINE void step(const ThreeTerms& terms, int64_t k, const T* __restrict y, T* __restrict p, const T* __restrict q,
                             const T* __restrict degree, T* __restrict out, int64_t n) {
    const T slope = terms.coefficient_at<T>(terms.slope, k), shift = terms.coefficient_at<T>(terms.shift, k),
            back = terms.coefficient_at<T>(terms.back, k);
    const T next = T(k + 1);
    const bool divides = terms.divides;
    for (int64_t i = 0; i < n; ++i) {
      T r = cpu::vec::fused(cpu::vec::fused(slope, y[i], shift), q[i], -(back * p[i]));
      if (divides) r /= next;
      p[i] = r;
      out[i] = degree[i] == next ? r : out[i];
    }
  }
  static MT_INLINE void run(const ThreeTerms* terms, const T* x, const T* degrees, T* __restrict out, int32_t* __restrict left, int64_t n) {
    T y[polynomial_tile], degree[polynomial_tile], even[polynomial_tile], odd[polynomial_tile];
    const T per_x = T(terms->y.per), at_x = T(terms->y.at), per_y = T(terms->first.per), at_y = T(terms->first.at);
    const T oscillates_from = T(terms->oscillates_from), beyond = T(highest_together + 1);
    int32_t highest = 0;
    for (int64_t i = 0; i < n; ++i) {
      y[i] = cpu::vec::fused(per_x, x[i], at_x);
      const bool oscillates = (degrees[i] >= oscillates_from) & (cpu::vec::detail::magnitude(y[i]) < 1);
      left[i] = oscillates | (x[i] != x[i]) | (degrees[i] >= beyond);
      const int32_t whole = int32_t((left[i] == 0) & (degrees[i] > T(-1)) ? degrees[i] : T(-1));
      degree[i] = T(whole);
      highest = highest < whole ? whole : highest;
    }
    for (int64_t i = 0; i < n; ++i) {
      even[i] = 1;
      odd[i] = cpu::vec::fused(per_y, y[i], at_y);
      const T low = degree[i] == 0 ? T(1) : T(0);
      out[i] = degree[i] == 1 ? odd[i] : low;
    }
    T *p = even, *q = odd;
    for (int64_t k = 1; k < highest; ++k, std::swap(p, q)) step(*terms, k, y, p, q, degree, out, n);
  }
};

}  // namespace

template <class T>
bool evaluate_in_lockstep(const ThreeTerms& terms, const T* x, const T* degrees, T* out, int32_t* left, int64_t n) {
  static const auto kernel = cpu::detail::choose_clone<LockstepRecurrence<T>>(LockstepRecurrence<T>::run);
  kernel(&terms, x, degrees, out, left, n);
  int32_t any = 0;
  for (int64_t i = 0; i < n; ++i) any |= left[i];
  return any != 0;
}
template bool evaluate_in_lockstep(const ThreeTerms&, const float*, const float*, float*, int32_t*, int64_t);
template bool evaluate_in_lockstep(const ThreeTerms&, const double*, const double*, double*, int32_t*, int64_t);

}  // namespace mt::detail
