// TORCH_ERROR_CODE_CHECK(call): throws if a function of the C ABI returns an error code.
#pragma once

#include <torch/headeronly/macros/Macros.h>

#include <stdexcept>
#include <string>

#define TORCH_SUCCESS 0
#define TORCH_FAILURE 1

HIDDEN_NAMESPACE_BEGIN(torch, headeronly, detail)
[[noreturn]] C10_NOINLINE inline void fail_call(const char* call, const char* file, int line) {
  throw std::runtime_error(std::string(call) + " API call failed at " + file + ", line " + std::to_string(line));
}
HIDDEN_NAMESPACE_END(torch, headeronly, detail)

#define TORCH_ERROR_CODE_CHECK(call) \
  if ((call) != TORCH_SUCCESS) ::torch::headeronly::detail::fail_call(#call, __FILE__, __LINE__)
