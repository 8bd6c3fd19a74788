// Errors of this thread: the message that torch_exception_get_what returns.
#include "support.h"

namespace mt::stable {
namespace {

std::string& text_of_thread() {
  thread_local std::string text;
  return text;
}

}  // namespace

void fail(const std::string& text) { throw Failure(text); }

void throw_on_error(mt_status* status) {
  if (!status) return;
  std::string text = mt_status_message(status);
  mt_status_release(status);
  throw Failure(text);
}

void set_last_error(const char* text) noexcept {
  try {
    text_of_thread() = text;
  } catch (const std::exception&) {
    text_of_thread().clear();  // out of memory for the message: an empty one still reports a failure
  }
}

const char* last_error() noexcept { return text_of_thread().c_str(); }

}  // namespace mt::stable

STABLE_ABI const char* torch_exception_get_what() { return mt::stable::last_error(); }
// The same message: this library's errors have no stack traces to omit.
STABLE_ABI const char* torch_exception_get_what_without_backtrace() { return mt::stable::last_error(); }
// Records a failure in libtorch_cuda.so, and returns its code.
STABLE_ABI int32_t mindtorch_extension_fail(const char* text) {
  mt::stable::set_last_error(text);
  return 1;
}
