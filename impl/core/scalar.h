// A number of any dtype category, as torch's Scalar.
#pragma once

#include <cstdint>

#include "core/complex.h"
#include "core/dtype.h"

namespace mt {

class Scalar {
 public:
  enum class Tag : int8_t { boolean, integer, uinteger, real, complex };

  Scalar() : Scalar(int64_t(0)) {}
  Scalar(int v) : tag_(Tag::integer), i_(v) {}
  Scalar(int64_t v) : tag_(Tag::integer), i_(v) {}
  Scalar(uint64_t v) : tag_(v >> 63 ? Tag::uinteger : Tag::integer), i_(int64_t(v)) {}
  Scalar(double v) : tag_(Tag::real), d_(v) {}
  Scalar(bool v) : tag_(Tag::boolean), i_(v) {}
  Scalar(Complex<double> v) : tag_(Tag::complex), c_(v) {}
  static Scalar of_value(const mt_value& value);  // `value` must be a number
  mt_value to_value() const;

  Tag tag() const { return tag_; }
  bool is_bool() const { return tag_ == Tag::boolean; }
  bool is_integral() const { return tag_ == Tag::integer || tag_ == Tag::uinteger; }
  bool is_real() const { return tag_ == Tag::real; }
  bool is_complex() const { return tag_ == Tag::complex; }

  // Unchecked conversions with C's rules.
  double to_double() const;
  int64_t to_int() const;
  bool to_bool() const;
  Complex<double> to_complex() const;
  // torch's checked conversion: RuntimeError "value cannot be converted to type T without overflow".
  void check_fits(Dtype dtype) const;
  // The dtype of a 0-dim tensor made from it: bool, int64, the default float dtype, or the matching complex dtype.
  Dtype natural_dtype() const;
  // Stores the number as one element of `dtype`.
  void store(Dtype dtype, void* out) const;
  static Scalar load(Dtype dtype, const void* element);

  bool equals(double v) const { return tag_ == Tag::complex ? c_.re == v && c_.im == 0 : to_double() == v; }

 private:
  Tag tag_;
  union {
    int64_t i_;
    double d_;
    Complex<double> c_;
  };
};

}  // namespace mt
