// From a dtype at run time to a C++ type: visit_all(dtype, []<class T>(Type<T>) { ... }).
#pragma once

#include <type_traits>

#include "core/complex.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/half.h"
#include "core/messages.h"

namespace mt {

template <class T>
struct Type {
  using type = T;
};

// The reverse mapping: the dtype of a C++ element type.
template <class T>
inline constexpr Dtype dtype_of = Dtype::none;
template <> inline constexpr Dtype dtype_of<uint8_t> = Dtype::uint8;
template <> inline constexpr Dtype dtype_of<int8_t> = Dtype::int8;
template <> inline constexpr Dtype dtype_of<int16_t> = Dtype::int16;
template <> inline constexpr Dtype dtype_of<int32_t> = Dtype::int32;
template <> inline constexpr Dtype dtype_of<int64_t> = Dtype::int64;
template <> inline constexpr Dtype dtype_of<uint16_t> = Dtype::uint16;
template <> inline constexpr Dtype dtype_of<uint32_t> = Dtype::uint32;
template <> inline constexpr Dtype dtype_of<uint64_t> = Dtype::uint64;
template <> inline constexpr Dtype dtype_of<float> = Dtype::float32;
template <> inline constexpr Dtype dtype_of<double> = Dtype::float64;
template <> inline constexpr Dtype dtype_of<Complex<float>> = Dtype::complex64;
template <> inline constexpr Dtype dtype_of<Complex<double>> = Dtype::complex128;
template <> inline constexpr Dtype dtype_of<bool> = Dtype::boolean;

// Calls f for the integer types that every kernel supports; returns false for other dtypes.
template <class F>
bool visit_integral(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::uint8: f(Type<uint8_t>()); return true;
    case Dtype::int8: f(Type<int8_t>()); return true;
    case Dtype::int16: f(Type<int16_t>()); return true;
    case Dtype::int32: f(Type<int32_t>()); return true;
    case Dtype::int64: f(Type<int64_t>()); return true;
    default: return false;
  }
}
// Calls f for the unsigned integers that torch can store, but supports in few operators; returns false for other dtypes.
template <class F>
bool visit_barebones_unsigned(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::uint16: f(Type<uint16_t>()); return true;
    case Dtype::uint32: f(Type<uint32_t>()); return true;
    case Dtype::uint64: f(Type<uint64_t>()); return true;
    default: return false;
  }
}
// Calls f for float16, bfloat16, float32 and float64; returns false for other dtypes.
template <class F>
bool visit_floating(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::float32: f(Type<float>()); return true;
    case Dtype::float64: f(Type<double>()); return true;
    case Dtype::float16: f(Type<Half>()); return true;
    case Dtype::bfloat16: f(Type<BFloat16>()); return true;
    default: return false;
  }
}
template <class F>
bool visit_complex(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::complex64: f(Type<Complex<float>>()); return true;
    case Dtype::complex128: f(Type<Complex<double>>()); return true;
    default: return false;
  }
}
// Calls f for every dtype that torch can store, float8 and complex32 included. For moving data, not for arithmetic.
template <class F>
void visit_all(Dtype dtype, F&& f) {
  if (visit_floating(dtype, f) || visit_integral(dtype, f) || visit_barebones_unsigned(dtype, f) || visit_complex(dtype, f)) return;
  switch (dtype) {
    case Dtype::boolean: f(Type<bool>()); return;
    case Dtype::complex32: f(Type<Complex<Half>>()); return;
    case Dtype::float8_e5m2: f(Type<Float8_e5m2>()); return;
    case Dtype::float8_e4m3fn: f(Type<Float8_e4m3fn>()); return;
    case Dtype::float8_e5m2fnuz: f(Type<Float8_e5m2fnuz>()); return;
    case Dtype::float8_e4m3fnuz: f(Type<Float8_e4m3fnuz>()); return;
    case Dtype::float8_e8m0fnu: f(Type<Float8_e8m0fnu>()); return;
    default: fail("unknown dtype");
  }
}

[[noreturn]] [[gnu::cold]] inline void not_implemented_for(const char* kernel, Dtype dtype) {
  fail(ErrorKind::not_implemented, messages::kernel_not_implemented_for, kernel, dtype);
}
// Call f for a set of dtypes that kernels support; for others they raise an error that names `kernel`.
template <class F>
void dispatch_floating(Dtype dtype, const char* kernel, F&& f) {
  if (!visit_floating(dtype, f)) not_implemented_for(kernel, dtype);
}
template <class F>
void dispatch_numbers(Dtype dtype, const char* kernel, F&& f) {  // all except bool
  if (!visit_floating(dtype, f) && !visit_integral(dtype, f) && !visit_complex(dtype, f)) not_implemented_for(kernel, dtype);
}
template <class F>
void dispatch_real(Dtype dtype, const char* kernel, F&& f) {  // integers and floats
  if (!visit_floating(dtype, f) && !visit_integral(dtype, f)) not_implemented_for(kernel, dtype);
}
template <class F>
void dispatch_floating_and_complex(Dtype dtype, const char* kernel, F&& f) {
  if (!visit_floating(dtype, f) && !visit_complex(dtype, f)) not_implemented_for(kernel, dtype);
}
template <class F>
void dispatch_all(Dtype dtype, const char* kernel, F&& f) {  // bool included
  if (dtype == Dtype::boolean)
    f(Type<bool>());
  else
    dispatch_numbers(dtype, kernel, f);
}
// As dispatch_all, with uint16, uint32 and uint64 as well.
template <class F>
void dispatch_real_and_unsigned(Dtype dtype, const char* kernel, F&& f) {
  if (!visit_barebones_unsigned(dtype, f)) dispatch_real(dtype, kernel, f);
}
template <class F>
void dispatch_numbers_and_unsigned(Dtype dtype, const char* kernel, F&& f) {
  if (!visit_barebones_unsigned(dtype, f)) dispatch_numbers(dtype, kernel, f);
}
template <class F>
void dispatch_all_and_unsigned(Dtype dtype, const char* kernel, F&& f) {
  if (!visit_barebones_unsigned(dtype, f)) dispatch_all(dtype, kernel, f);
}
// Dispatches on the element size only, for moving elements: uint8_t, uint16_t, uint32_t, uint64_t or Complex<double>.
template <class F>
void dispatch_by_size(int64_t itemsize, F&& f) {
  switch (itemsize) {
    case 1: return f(Type<uint8_t>());
    case 2: return f(Type<uint16_t>());
    case 4: return f(Type<uint32_t>());
    case 8: return f(Type<uint64_t>());
    default: return f(Type<Complex<double>>());
  }
}
// The type in which kernels compute with half types.
template <class T>
using ComputeType = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

// Signed integers are added and multiplied as unsigned ones: same bits, and overflow is defined.
template <class T>
struct WrappingOf {
  using type = T;
};
template <class T>
  requires std::is_integral_v<T>
struct WrappingOf<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
using Wrapping = typename WrappingOf<T>::type;

}  // namespace mt
