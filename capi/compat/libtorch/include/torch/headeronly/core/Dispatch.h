// Selects code by a dtype at run time: THO_DISPATCH_SWITCH(type, "name", THO_DISPATCH_CASE(ScalarType::Float, lambda) ...), where each
// lambda sees its C++ type as scalar_t.
#pragma once

#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

#define THO_DISPATCH_CASE(enum_type, ...)                                                   \
  case static_cast<int8_t>(enum_type): {                                                    \
    using scalar_t [[maybe_unused]] = ::torch::headeronly::ScalarTypeToCPPTypeT<enum_type>; \
    return __VA_ARGS__();                                                                   \
  }
#define THO_DISPATCH_SWITCH(TYPE, NAME, ...)                                                                                       \
  [&] {                                                                                                                            \
    const ::torch::headeronly::ScalarType dispatched_type = TYPE;                                                                  \
    switch (static_cast<int8_t>(dispatched_type)) {                                                                                \
      __VA_ARGS__                                                                                                                  \
      default: STD_TORCH_CHECK(false, '"', NAME, "\" not implemented for '", ::torch::headeronly::toString(dispatched_type), "'"); \
    }                                                                                                                              \
    __builtin_unreachable();                                                                                                       \
  }()
