// STD_TORCH_CHECK(condition, parts...): throws std::runtime_error; the operator's caller gets a RuntimeError.
#pragma once

#include <torch/headeronly/macros/Macros.h>

#include <sstream>
#include <stdexcept>
#include <string>

HIDDEN_NAMESPACE_BEGIN(torch, headeronly, detail)
template <class... Parts>
[[noreturn]] C10_NOINLINE void fail_check(const char* function, const char* file, int line, const Parts&... parts) {
  std::ostringstream text;
  text << function << ", " << file << ':' << line << ", ";
  (text << ... << parts);
  throw std::runtime_error(text.str());
}
HIDDEN_NAMESPACE_END(torch, headeronly, detail)

#define STD_TORCH_CHECK(condition, ...)                                                                                   \
  do {                                                                                                                    \
    if (C10_UNLIKELY(!(condition))) ::torch::headeronly::detail::fail_check(__func__, __FILE__, __LINE__, ##__VA_ARGS__); \
  } while (false)
