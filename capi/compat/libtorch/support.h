// Shared by all functions of this library: error codes, the thread's last error, and typed handles.
#pragma once

#include <mindtorch/box.h>
#include <mindtorch/library.h>
#include <mindtorch/mindtorch.h>

#include <stdexcept>
#include <string>
#include <utility>

// Declares an exported function of the ABI; an `int32_t` result is 0 for success and 1 for failure.
#define STABLE_ABI extern "C" __attribute__((visibility("default")))

namespace mt::stable {

// The release whose ABI this is, encoded as in its headers: major, minor and patch in the three highest bytes.
constexpr uint64_t abi_version = uint64_t{2} << 56 | uint64_t{13} << 48;

// An argument or result in LibTorch's ABI: 64 bits whose meaning depends on the schema's type.
using Word = uint64_t;

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(const std::string& text);
// Throws the error of a status, and frees the status.
void throw_on_error(mt_status* status);

// Stores and returns the message of this thread's last failure.
void set_last_error(const char* text) noexcept;
const char* last_error() noexcept;

template <class F>
inline int32_t guarded(F&& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    set_last_error(error.what());
  } catch (...) {
    set_last_error("an exception that is no std::exception");
  }
  return 1;
}

inline void require_not_null(const void* pointer, const char* what) {
  if (!pointer) fail(std::string(what) + " is NULL");
}

// ---- handles of this library, which begin with a word for their type ------------------------------------------------------------

enum class Mark : uint64_t {
  freed = 0x6d742d6672656564,
  list = 0x6d742d6c69737400,
  string = 0x6d742d7374720000,
  library = 0x6d742d6c69620000,
  value = 0x6d742d76616c0000,
  guard = 0x6d742d6775610000,
  stream = 0x6d742d7374726d00,
  record = 0x6d742d7265630000
};
template <Mark M>
struct Marked {
  static constexpr Mark kind = M;
  Marked() = default;
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;
  ~Marked() { *const_cast<volatile Mark*>(&mark) = Mark::freed; }
  Mark mark = M;
};

// Checks a handle and returns its object; raises for NULL and for handles of other kinds.
template <class T>
inline T& checked_object_of(T* handle, const char* what) {
  require_not_null(handle, what);
  if (handle->mark != T::kind) fail(std::string(what) + " is no handle of that kind, or was deleted");
  return *handle;
}

}  // namespace mt::stable
