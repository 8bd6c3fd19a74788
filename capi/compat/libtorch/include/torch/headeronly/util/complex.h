// c10::complex<T>: real and imaginary part, as tensors store them. It converts to and from std::complex, which has the functions.
#pragma once

#include <complex>
#include <type_traits>

#include <torch/headeronly/util/SmallFloat.h>

namespace c10 {

template <class T>
struct alignas(sizeof(T) * 2) complex {
  using value_type = T;
  T real_{}, imag_{};

  constexpr complex() = default;
  constexpr complex(T re, T im = T()) : real_(re), imag_(im) {}
  constexpr complex(const std::complex<T>& other) : real_(other.real()), imag_(other.imag()) {}
  template <class U, std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
  constexpr explicit complex(const complex<U>& other) : real_(T(other.real_)), imag_(T(other.imag_)) {}

  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  constexpr operator std::complex<T>() const { return {real_, imag_}; }

  friend constexpr complex operator+(complex a, complex b) { return {a.real_ + b.real_, a.imag_ + b.imag_}; }
  friend constexpr complex operator-(complex a, complex b) { return {a.real_ - b.real_, a.imag_ - b.imag_}; }
  friend constexpr complex operator-(complex a) { return {-a.real_, -a.imag_}; }
  friend complex operator*(complex a, complex b) { return std::complex<T>(a) * std::complex<T>(b); }
  friend complex operator/(complex a, complex b) { return std::complex<T>(a) / std::complex<T>(b); }
  friend constexpr bool operator==(complex a, complex b) { return a.real_ == b.real_ && a.imag_ == b.imag_; }
  friend constexpr bool operator!=(complex a, complex b) { return !(a == b); }
  complex& operator+=(complex other) { return *this = *this + other; }
  complex& operator-=(complex other) { return *this = *this - other; }
  complex& operator*=(complex other) { return *this = *this * other; }
  complex& operator/=(complex other) { return *this = *this / other; }
};
// Stores two halves; arithmetic converts them to complex<float>.
template <>
struct alignas(4) complex<Half> {
  using value_type = Half;
  Half real_, imag_;

  complex() = default;
  complex(Half re, Half im) : real_(re), imag_(im) {}
  Half real() const { return real_; }
  Half imag() const { return imag_; }
  operator complex<float>() const { return {float(real_), float(imag_)}; }
};

}  // namespace c10

namespace torch::headeronly {
using c10::complex;
}  // namespace torch::headeronly
