// Complex numbers with the textbook product, so that loops vectorise (std::complex checks for NaN).
#pragma once

namespace mt {

template <class T>
struct Complex {
  T re, im;
  constexpr Complex() : re(0), im(0) {}
  constexpr Complex(T r, T i = 0) : re(r), im(i) {}
  template <class U>
  explicit constexpr Complex(const Complex<U>& o) : re(T(o.re)), im(T(o.im)) {}
  constexpr bool operator==(const Complex&) const = default;
};

template <class T> constexpr Complex<T> operator+(Complex<T> a, Complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T> constexpr Complex<T> operator-(Complex<T> a, Complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <class T> constexpr Complex<T> operator-(Complex<T> a) { return {-a.re, -a.im}; }
template <class T> constexpr Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// Scales by the larger component of the divisor, so that squares of large numbers do not overflow (Smith, 1962).
template <class T> constexpr Complex<T> operator/(Complex<T> a, Complex<T> b) {
  T br = b.re < 0 ? -b.re : b.re, bi = b.im < 0 ? -b.im : b.im;
  if (br >= bi) {
    if (br == 0 && bi == 0) return {a.re / br, a.im / bi};
    T ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  T ratio = b.re / b.im, scale = T(1) / (b.re * ratio + b.im);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
template <class T> constexpr Complex<T>& operator+=(Complex<T>& a, Complex<T> b) { return a = a + b; }
template <class T> constexpr Complex<T>& operator-=(Complex<T>& a, Complex<T> b) { return a = a - b; }
template <class T> constexpr Complex<T>& operator*=(Complex<T>& a, Complex<T> b) { return a = a * b; }
template <class T> constexpr Complex<T> conj_(Complex<T> a) { return {a.re, -a.im}; }

template <class T> inline constexpr bool is_complex_type = false;
template <class T> inline constexpr bool is_complex_type<Complex<T>> = true;

}  // namespace mt
