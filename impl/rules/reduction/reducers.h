// Reducers shared by several operators: any, all, products, extremes with their index.
#pragma once

#include "rules/pointwise/scalar_math.h"
#include "rules/reduction/reduction.h"

namespace mt {

struct AnyReducer : PlainReducer<bool> {
  static bool init() { return false; }
  template <class In>
  static void step(bool& acc, const In& v, int64_t) {
    if constexpr (is_complex_type<In>)
      acc |= v.re != 0 || v.im != 0;
    else if constexpr (std::is_arithmetic_v<In>)
      acc |= v != In(0);
    else
      acc |= float(v) != 0;
  }
  static bool merge(bool a, bool b) { return a || b; }
  static bool merge_wide(bool a, bool b) { return a || b; }
  static bool finish(bool a, int64_t) { return a; }
};
struct AllReducer : PlainReducer<bool> {
  static bool init() { return true; }
  template <class In>
  static void step(bool& acc, const In& v, int64_t) {
    bool nonzero = false;
    AnyReducer::step(nonzero, v, 0);
    acc &= nonzero;
  }
  static bool merge(bool a, bool b) { return a && b; }
  static bool merge_wide(bool a, bool b) { return a && b; }
  static bool finish(bool a, int64_t) { return a; }
};
template <class A>
struct ProductReducer : PlainReducer<A, WideOf<A>> {
  using Wide = WideOf<A>;
  static A init() { return A(1); }
  template <class In>
  static void step(A& acc, const In& v, int64_t) {
    acc = acc * A(v);
  }
  // The components of complex numbers separately, which vectorises.
  template <class In>
    requires is_complex_type<A>
  [[gnu::always_inline]] static A fold(const In* data, int64_t n) {
    using T = decltype(A::re);
    constexpr int lanes = 16;
    T re[lanes], im[lanes];
    for (int j = 0; j < lanes; ++j) re[j] = 1, im[j] = 0;
    cpu::walk_lanes<T, lanes, 32>(n, [&](int j, int64_t i) {
      const T re_of = data[i].re, im_of = data[i].im, next = re[j] * re_of - im[j] * im_of;
      im[j] = re[j] * im_of + im[j] * re_of;
      re[j] = next;
    });
    A product = {re[0], im[0]};
    for (int j = 1; j < lanes; ++j) product = product * A{re[j], im[j]};
    return product;
  }
  static A merge(A a, A b) { return a * b; }
  static Wide merge_wide(Wide a, Wide b) { return a * b; }
  static Wide finish(Wide a, int64_t) { return a; }
};
// Reduces to the largest (or smallest) element; NaN is returned if there is one.
template <class A, bool Largest>
struct ExtremeReducer : PlainReducer<A> {
  static constexpr bool starts_infinite = std::is_floating_point_v<A>;
  static A init() {
    if constexpr (starts_infinite)
      return Largest ? -A(__builtin_inf()) : A(__builtin_inf());
    else
      return Largest ? std::numeric_limits<A>::lowest() : std::numeric_limits<A>::max();
  }
  static A choose_extreme(A a, A b) {
    const A extreme = (Largest ? a > b : a < b) ? a : b;  // one instruction, which returns b if either is NaN
    if constexpr (std::is_floating_point_v<A>)
      return a != a ? a : extreme;
    else
      return extreme;
  }
  template <class In>
  static void step(A& acc, const In& v, int64_t) {
    const A x = A(v);
    acc = choose_extreme(acc, x);
  }
  // Folds a contiguous run of floats: NaN wins at any position, so one comparison tests two elements for it.
  template <class In>
    requires std::is_same_v<A, float>
  [[gnu::always_inline]] static A fold(const In* data, int64_t n) {
    using Found = int32_t;
    constexpr int lanes = 32;
    if (n < 2 * lanes) return detail::fold_lanes<8>(data, n, ExtremeReducer());
    A best[lanes];
    Found unordered[lanes];
    for (int j = 0; j < lanes; ++j) best[j] = init(), unordered[j] = 0;
    auto both = [&](const In* a, const In* b) {
      cpu::for_lanes<A, lanes, 32>([&](int j) {
        unordered[j] |= __builtin_isunordered(a[j], b[j]) ? -1 : 0;
        const A one = (Largest ? best[j] > a[j] : best[j] < a[j]) ? best[j] : a[j];
        best[j] = (Largest ? one > b[j] : one < b[j]) ? one : b[j];
      });
    };
    for (int64_t i = 0; i + 2 * lanes <= n; i += 2 * lanes) both(data + i, data + i + lanes);
    both(data + n - 2 * lanes, data + n - lanes);  // the rest, overlapping what was processed
    const Found any = cpu::merge_lanes<lanes / 2>(unordered, [](Found a, Found b) { return a | b; });
    return any ? A(__builtin_nan("")) : cpu::merge_lanes<lanes / 2>(best, choose_extreme);
  }
  static A merge(A a, A b) { return choose_extreme(a, b); }
  static A merge_wide(A a, A b) { return choose_extreme(a, b); }
  static A finish(A a, int64_t) { return a; }
};
// The index of the largest (or smallest) element, the first of equals; the first NaN wins.
template <class A, bool Largest>
struct IndexedExtremeReducer {
  struct Acc {
    A value;
    int64_t index;
  };
  using Wide = Acc;
  static constexpr int lanes = 1;
  static Acc init() { return {A(), -1}; }
  static bool is_better(A a, A b) {
    if (isnan_(b)) return false;
    return isnan_(a) || (Largest ? a > b : a < b);
  }
  template <class In>
  static void step(Acc& acc, const In& v, int64_t index) {
    const A x = A(v);
    if (acc.index < 0 || is_better(x, acc.value)) acc = {x, index};
  }
  static Acc merge(Acc a, Acc b) {
    if (a.index < 0) return b;
    if (b.index < 0) return a;
    return is_better(b.value, a.value) ? b : a;
  }
  // Finds the extreme with all lanes, then the first element that equals it.
  template <class In>
  [[gnu::always_inline]] static Acc fold(const In* data, int64_t n) {
    using Extreme = ExtremeReducer<A, Largest>;
    constexpr int lanes = 32;
    const A value = detail::fold_dense<Extreme, In>(data, n, Extreme());
    const bool nan = isnan_(value);
    auto equal = [&](int64_t k) { return nan ? isnan_(A(data[k])) : A(data[k]) == value; };
    int64_t k = 0;
    for (; k + lanes <= n; k += lanes) {
      int found = 0;
      for (int j = 0; j < lanes; ++j) found |= equal(k + j);
      if (found) break;
    }
    while (!equal(k)) ++k;
    return {value, k};
  }
  // Along columns, with values and indices in separate arrays: loops over structs of both stay scalar.
  template <class In>
    requires(sizeof(A) >= 4)
  [[gnu::always_inline]] static void fold_columns(const char* data, int64_t rows, int64_t stride, int64_t columns, int64_t first,
                                                  Acc* acc) {
    using Place = std::conditional_t<sizeof(A) == 8, int64_t, int32_t>;
    A best[detail::fold_width];
    Place place[detail::fold_width];
    auto row = [&](int64_t i) { return reinterpret_cast<const In*>(data + i * stride); };
    for (int64_t j = 0; j < columns; ++j) best[j] = A(row(0)[j]), place[j] = 0;
    for (int64_t i = 1; i < rows; ++i) {  // one row at a time: a step over several rows does not vectorise
      const In* const next = row(i);
      for (int64_t j = 0; j < columns; ++j) {
        const A x = A(next[j]), value = best[j];
        bool better = Largest ? x > value : x < value;
        if constexpr (std::is_floating_point_v<A>) better = !(Largest ? x <= value : x >= value) & (value == value);
        best[j] = better ? x : value;
        place[j] = better ? Place(i) : place[j];
      }
    }
    for (int64_t j = 0; j < columns; ++j) acc[j] = merge(acc[j], {best[j], first + place[j]});
  }
  static void shift(Acc& acc, int64_t by) { acc.index += by; }
  static Acc widen(Acc a) { return a; }
  static Acc merge_wide(Acc a, Acc b) { return merge(a, b); }
  static int64_t finish(Acc a, int64_t) { return a.index; }
};

}  // namespace mt
