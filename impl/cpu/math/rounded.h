// Rounded<H>: a half-type number whose every operation rounds to that type, as in torch's kernels that do not accumulate in float.
#pragma once

#include <cmath>

#include "core/half.h"

namespace mt::cpu {

template <class H>
struct Rounded {
  float value;
  Rounded() = default;
  template <class N>
    requires std::is_arithmetic_v<N>
  Rounded(N n) : value(float(H(float(n)))) {}
  explicit operator double() const { return double(value); }
  friend Rounded operator+(Rounded a, Rounded b) { return a.value + b.value; }
  friend Rounded operator-(Rounded a, Rounded b) { return a.value - b.value; }
  friend Rounded operator*(Rounded a, Rounded b) { return a.value * b.value; }
  friend Rounded operator/(Rounded a, Rounded b) { return a.value / b.value; }
  Rounded operator-() const { return -value; }
  Rounded& operator+=(Rounded b) { return *this = *this + b; }
  Rounded& operator-=(Rounded b) { return *this = *this - b; }
  Rounded& operator*=(Rounded b) { return *this = *this * b; }
  friend bool operator<(Rounded a, Rounded b) { return a.value < b.value; }
  friend bool operator>(Rounded a, Rounded b) { return a.value > b.value; }
  friend bool operator>=(Rounded a, Rounded b) { return a.value >= b.value; }
  friend bool operator==(Rounded a, Rounded b) { return a.value == b.value; }
  friend Rounded floor(Rounded x) { return std::floor(x.value); }
  friend Rounded fmod(Rounded a, Rounded b) { return std::fmod(a.value, b.value); }
  friend Rounded nearbyint(Rounded x) { return std::nearbyint(x.value); }
};

template <class T>
inline constexpr bool is_rounded = false;
template <class H>
inline constexpr bool is_rounded<Rounded<H>> = true;

}  // namespace mt::cpu
