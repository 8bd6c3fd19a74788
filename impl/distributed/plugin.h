// What the backends' libraries share: clients of the C ABI that report errors by exceptions within, and by statuses to the outside.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "mindtorch/distributed.h"

namespace mt::plugin {

struct Failure {
  std::string kind, text;
};

// Throws the error of a status, if it has one, as a Failure.
inline void need_ok(mt_status* status) {
  if (!status) return;
  Failure failure{mt_status_kind(status), mt_status_message(status)};
  mt_status_release(status);
  throw failure;
}

// Runs body() and returns its error as a status.
template <class F>
mt_status* guard(F&& body) {
  try {
    body();
    return nullptr;
  } catch (const Failure& failure) {
    return mt_status_create(failure.kind.c_str(), failure.text.c_str());
  } catch (const std::bad_alloc&) {
    return mt_status_create("MemoryError", "out of memory");
  } catch (const std::exception& error) {
    return mt_status_create("RuntimeError", error.what());
  }
}

// A value that a store returned; cleared at the end of the scope.
struct StoredValue {
  mt_value value{};
  ~StoredValue() { mt_value_clear(&value); }
  std::string text() const { return {value.as.string.data, size_t(value.as.string.size)}; }
};

}  // namespace mt::plugin
