// Dtypes: their numbers, names and C++ types.
#pragma once

#include <cstdint>

#include <torch/headeronly/util/complex.h>

// Calls _(C++ type, name) for each dtype with a C++ type.
#define AT_FORALL_INT_TYPES(_) _(uint8_t, Byte) _(int8_t, Char) _(int16_t, Short) _(int, Int) _(int64_t, Long)
#define AT_FORALL_SCALAR_TYPES(_) AT_FORALL_INT_TYPES(_) _(float, Float) _(double, Double)
#define AT_FORALL_COMPLEX_TYPES(_) _(c10::complex<float>, ComplexFloat) _(c10::complex<double>, ComplexDouble)
#define AT_FORALL_FLOAT8_TYPES(_)  \
  _(c10::Float8_e5m2, Float8_e5m2) \
  _(c10::Float8_e4m3fn, Float8_e4m3fn) _(c10::Float8_e5m2fnuz, Float8_e5m2fnuz) _(c10::Float8_e4m3fnuz, Float8_e4m3fnuz)
// clang-format off
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(_)                                                              \
  AT_FORALL_SCALAR_TYPES(_)                                                                                 \
  _(c10::Half, Half)                                                                                        \
  _(c10::complex<c10::Half>, ComplexHalf)                                                                   \
  AT_FORALL_COMPLEX_TYPES(_)                                                                                \
  _(bool, Bool) _(c10::BFloat16, BFloat16) AT_FORALL_FLOAT8_TYPES(_) _(c10::Float8_e8m0fnu, Float8_e8m0fnu) \
      _(c10::Float4_e2m1fn_x2, Float4_e2m1fn_x2)
// clang-format on
#define MT_FORALL_UNSIGNED(_) _(uint16_t, UInt16) _(uint32_t, UInt32) _(uint64_t, UInt64)

namespace torch::headeronly {

enum class ScalarType : int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  QInt8,
  QUInt8,
  QInt32,
  BFloat16,
  QUInt4x2,
  QUInt2x4,
  Bits1x8,
  Bits2x4,
  Bits4x2,
  Bits8,
  Bits16,
  Float8_e5m2,
  Float8_e4m3fn,
  Float8_e5m2fnuz,
  Float8_e4m3fnuz,
  UInt16,
  UInt32,
  UInt64,
  UInt1,
  UInt2,
  UInt3,
  UInt4,
  UInt5,
  UInt6,
  UInt7,
  Int1,
  Int2,
  Int3,
  Int4,
  Int5,
  Int6,
  Int7,
  Float8_e8m0fnu,
  Float4_e2m1fn_x2,
  Undefined,
  NumOptions
};

inline const char* toString(ScalarType type) {
#define MT_NAME(_, name) \
  case ScalarType::name: return #name;
  switch (type) {
    AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(MT_NAME)
    MT_FORALL_UNSIGNED(MT_NAME)
    default: return type == ScalarType::Undefined ? "Undefined" : "UNKNOWN_SCALAR";
  }
#undef MT_NAME
}

namespace detail {
template <ScalarType>
struct CppTypeOf;
template <class T>
struct ScalarTypeOf;
#define MT_TYPES(cpp, name)                               \
  template <>                                             \
  struct CppTypeOf<ScalarType::name> {                    \
    using type = cpp;                                     \
  };                                                      \
  template <>                                             \
  struct ScalarTypeOf<cpp> {                              \
    static constexpr ScalarType value = ScalarType::name; \
  };
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(MT_TYPES)
MT_FORALL_UNSIGNED(MT_TYPES)
#undef MT_TYPES
}  // namespace detail

template <class T>
using CppTypeToScalarType = detail::ScalarTypeOf<T>;
template <ScalarType S>
using ScalarTypeToCPPType = detail::CppTypeOf<S>;
template <ScalarType S>
using ScalarTypeToCPPTypeT = typename detail::CppTypeOf<S>::type;

}  // namespace torch::headeronly

namespace c10 {
using torch::headeronly::CppTypeToScalarType;
using torch::headeronly::ScalarType;
using torch::headeronly::toString;
namespace impl {
using torch::headeronly::ScalarTypeToCPPType;
using torch::headeronly::ScalarTypeToCPPTypeT;
}  // namespace impl
}  // namespace c10
namespace at {
using torch::headeronly::ScalarType;
}
