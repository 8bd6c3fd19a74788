// THO_DISPATCH_V2(type, "name", AT_WRAP(lambda), dtypes...): calls the lambda for the dtype in the list; the macros below name groups of
// dtypes.
#pragma once

#include <torch/headeronly/core/Dispatch.h>

#define AT_WRAP(...) __VA_ARGS__
#define AT_EXPAND(...) __VA_ARGS__

#define MT_TYPE(name) ::torch::headeronly::ScalarType::name
#define AT_INTEGRAL_TYPES MT_TYPE(Byte), MT_TYPE(Char), MT_TYPE(Int), MT_TYPE(Long), MT_TYPE(Short)
#define AT_FLOATING_TYPES MT_TYPE(Double), MT_TYPE(Float)
#define AT_BAREBONES_UNSIGNED_TYPES MT_TYPE(UInt16), MT_TYPE(UInt32), MT_TYPE(UInt64)
#define AT_INTEGRAL_TYPES_V2 AT_INTEGRAL_TYPES, AT_BAREBONES_UNSIGNED_TYPES
#define AT_COMPLEX_TYPES MT_TYPE(ComplexDouble), MT_TYPE(ComplexFloat)
#define AT_FLOAT8_TYPES \
  MT_TYPE(Float8_e5m2), MT_TYPE(Float8_e5m2fnuz), MT_TYPE(Float8_e4m3fn), MT_TYPE(Float8_e4m3fnuz), MT_TYPE(Float8_e8m0fnu)
#define AT_ALL_TYPES AT_INTEGRAL_TYPES, AT_FLOATING_TYPES
#define AT_ALL_TYPES_AND_COMPLEX AT_ALL_TYPES, AT_COMPLEX_TYPES

HIDDEN_NAMESPACE_BEGIN(torch, headeronly, detail)
template <class T>
struct DispatchedType {
  using type = T;
};

[[noreturn]] inline void fail_dispatch(const char* name, ScalarType type) {
  throw std::runtime_error(std::string("\"") + name + "\" not implemented for '" + toString(type) + "'");
}

// Calls body(DispatchedType<T>()) with the C++ type T of the dtype `type`, one of `Types`.
template <ScalarType First, ScalarType... Rest, class Body>
decltype(auto) dispatch(ScalarType type, const char* name, Body& body) {
  if (type == First) return body(DispatchedType<ScalarTypeToCPPTypeT<First>>());
  if constexpr (sizeof...(Rest) > 0) return dispatch<Rest...>(type, name, body);
  fail_dispatch(name, type);
}
HIDDEN_NAMESPACE_END(torch, headeronly, detail)

#define THO_DISPATCH_V2(TYPE, NAME, BODY, ...)                                               \
  [&] {                                                                                      \
    auto body_of_dispatch = [&](auto dispatched) {                                           \
      using scalar_t [[maybe_unused]] = typename decltype(dispatched)::type;                 \
      return (BODY)();                                                                       \
    };                                                                                       \
    return ::torch::headeronly::detail::dispatch<__VA_ARGS__>(TYPE, NAME, body_of_dispatch); \
  }()
