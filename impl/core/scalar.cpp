// Conversions of numbers to and from boxed values and elements of any dtype.
#include "core/scalar.h"

#include <cmath>
#include <limits>

#include "core/dispatch_dtype.h"
#include "core/error.h"
#include "core/messages.h"

namespace mt {

Scalar Scalar::of_value(const mt_value& v) {
  switch (v.tag) {
    case MT_TAG_BOOL: return Scalar(v.as.i != 0);
    case MT_TAG_INT: return v.flags & MT_FLAG_UNSIGNED ? Scalar(uint64_t(v.as.i)) : Scalar(v.as.i);
    case MT_TAG_DOUBLE: return Scalar(v.as.d);
    case MT_TAG_COMPLEX: return Scalar(Complex<double>(v.as.c[0], v.as.c[1]));
    default: fail(ErrorKind::type, "a number was expected");
  }
}

mt_value Scalar::to_value() const {
  mt_value v{};
  switch (tag_) {
    case Tag::boolean: v.tag = MT_TAG_BOOL, v.as.i = i_; break;
    case Tag::integer: v.tag = MT_TAG_INT, v.as.i = i_; break;
    case Tag::uinteger: v.tag = MT_TAG_INT, v.flags = MT_FLAG_UNSIGNED, v.as.i = i_; break;
    case Tag::real: v.tag = MT_TAG_DOUBLE, v.as.d = d_; break;
    case Tag::complex: v.tag = MT_TAG_COMPLEX, v.as.c[0] = c_.re, v.as.c[1] = c_.im; break;
  }
  return v;
}

double Scalar::to_double() const {
  switch (tag_) {
    case Tag::real: return d_;
    case Tag::complex: return c_.re;
    case Tag::uinteger: return double(uint64_t(i_));
    default: return double(i_);
  }
}
int64_t Scalar::to_int() const {
  if (tag_ == Tag::real || tag_ == Tag::complex) {
    double d = to_double();
    // Out of int64's range the conversion is undefined in C++; returns the smallest int64, as x86 does.
    if (!(d >= -0x1p63 && d < 0x1p63)) return std::numeric_limits<int64_t>::min();
    return int64_t(d);
  }
  return i_;
}
bool Scalar::to_bool() const {
  switch (tag_) {
    case Tag::real: return d_ != 0;
    case Tag::complex: return c_.re != 0 || c_.im != 0;
    default: return i_ != 0;
  }
}
Complex<double> Scalar::to_complex() const { return tag_ == Tag::complex ? c_ : Complex<double>(to_double()); }

Dtype Scalar::natural_dtype() const {
  switch (tag_) {
    case Tag::boolean: return Dtype::boolean;
    case Tag::integer: return Dtype::int64;
    case Tag::uinteger: return Dtype::uint64;
    case Tag::real: return default_dtype();
    default: return complex_of(default_dtype());
  }
}

namespace {

template <class T>
bool real_fits(double d) {
  return !std::isnan(d) && d >= double(std::numeric_limits<T>::lowest()) && d <= double(std::numeric_limits<T>::max());
}

// Whether torch lets an integer be converted to T: unsigned types also accept negative numbers down to -max, which wrap around.
template <class T>
bool integer_fits(int64_t i) {
  if constexpr (std::is_unsigned_v<T>)
    return i >= 0 ? uint64_t(i) <= uint64_t(std::numeric_limits<T>::max())
                  : (sizeof(T) == 8 || uint64_t(-(i + 1)) < uint64_t(std::numeric_limits<T>::max()));
  else
    return i >= std::numeric_limits<T>::min() && i <= std::numeric_limits<T>::max();
}

bool fits_floating(double d, Dtype dtype) {
  if (is_float8(dtype)) return true;
  // float16 is the only dtype too small for every int64.
  double largest = dtype == Dtype::float32    ? double(std::numeric_limits<float>::max())
                   : dtype == Dtype::float16  ? 65504.0
                   : dtype == Dtype::bfloat16 ? 3.3895313892515355e38
                                              : std::numeric_limits<double>::max();
  return !std::isfinite(d) || (d >= -largest && d <= largest);
}

// The C++ name of an integer type in torch's overflow error; NULL for other dtypes, for which the error has another message.
const char* overflow_name_of(Dtype dtype) {
  return dtype == Dtype::uint8    ? "uint8_t"
         : dtype == Dtype::int8   ? "int8_t"
         : dtype == Dtype::int16  ? "int16_t"
         : dtype == Dtype::int64  ? "int64_t"
         : dtype == Dtype::uint16 ? "uint16_t"
         : dtype == Dtype::uint32 ? "uint32_t"
         : dtype == Dtype::uint64 ? "uint64_t"
                                  : nullptr;
}

}  // namespace

void Scalar::check_fits(Dtype dtype) const {
  if (mt::is_complex(dtype) || dtype == Dtype::boolean) return;
  bool fits = tag_ != Tag::complex || c_.im == 0;
  if (fits && mt::is_integral(dtype)) {
    visit_all(dtype, [&]<class T>(Type<T>) {
      if constexpr (std::is_integral_v<T>) {
        if (tag_ == Tag::real || tag_ == Tag::complex)
          fits = real_fits<T>(to_double());
        else if (tag_ == Tag::uinteger)
          fits = uint64_t(i_) <= uint64_t(std::numeric_limits<T>::max());
        else if (tag_ == Tag::integer)
          fits = integer_fits<T>(i_);
      }
    });
  } else if (fits) {
    fits = fits_floating(to_double(), dtype);
  }
  if (fits) return;
  if (const char* name = overflow_name_of(dtype)) fail(messages::value_overflows_type, name);
  fail(messages::value_overflows_type, ScalarName(dtype));
}

void Scalar::store(Dtype dtype, void* out) const {
  visit_all(dtype, [&]<class T>(Type<T>) {
    T& target = *static_cast<T*>(out);
    if constexpr (is_complex_type<T>) {
      auto c = to_complex();
      target = T(decltype(T::re)(c.re), decltype(T::re)(c.im));
    } else if constexpr (std::is_same_v<T, bool>) {
      target = to_bool();
    } else if constexpr (std::is_integral_v<T>) {
      target = T(to_int());
    } else if constexpr (std::is_same_v<T, double>) {
      target = to_double();
    } else {
      target = T(float(to_double()));
    }
  });
}

Scalar Scalar::load(Dtype dtype, const void* element) {
  Scalar result;
  visit_all(dtype, [&]<class T>(Type<T>) {
    const T& v = *static_cast<const T*>(element);
    if constexpr (is_complex_type<T>)
      result = Scalar(Complex<double>(double(v.re), double(v.im)));
    else if constexpr (std::is_same_v<T, bool>)
      result = Scalar(v);
    else if constexpr (std::is_same_v<T, uint64_t>)
      result = Scalar(v);
    else if constexpr (std::is_integral_v<T>)
      result = Scalar(int64_t(v));
    else if constexpr (std::is_same_v<T, double>)
      result = Scalar(v);
    else
      result = Scalar(double(float(v)));
  });
  return result;
}

}  // namespace mt
