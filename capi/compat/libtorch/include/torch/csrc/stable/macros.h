// STABLE_TORCH_ERROR_CODE_CHECK(call): throws std::runtime_error with the error message if a function of the C ABI fails.
#pragma once

#include <torch/csrc/stable/c/shim.h>
#include <torch/headeronly/util/shim_utils.h>

HIDDEN_NAMESPACE_BEGIN(torch, stable, detail)
[[noreturn]] C10_NOINLINE inline void fail_call(const char* call, const char* file, int line) {
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
  throw std::runtime_error(std::string(torch_exception_get_what_without_backtrace()) + " (originally from " + call +
                           " API call failed at " + file + ", line " + std::to_string(line) + ")");
#else
  ::torch::headeronly::detail::fail_call(call, file, line);
#endif
}
HIDDEN_NAMESPACE_END(torch, stable, detail)

#define STABLE_TORCH_ERROR_CODE_CHECK(call) \
  if ((call) != TORCH_SUCCESS) ::torch::stable::detail::fail_call(#call, __FILE__, __LINE__)
