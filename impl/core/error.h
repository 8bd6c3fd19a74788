// Errors and warnings: exceptions inside the library, statuses outside.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "core/list.h"

namespace mt {

enum class ErrorKind : int8_t {
  runtime,
  type,
  index,
  value,
  not_implemented,
  out_of_memory,
  attribute,
  linalg,
  overflow,
  zero_division,
  import,
  assertion,
  dispatch_key
};

// One argument of a formatted message.
struct FormatArg {
  enum class Tag : int8_t { integer, uinteger, real, text, chars, dtype, scalar_name, list, device, boolean } tag;
  union {
    int64_t i;
    double d;
    const char* text;
    Dtype dtype;
    Device device;
  };
  IntList list;
  int64_t length = 0;

  template <class T>
    requires(__is_same(T, int) || __is_same(T, long) || __is_same(T, long long))
  FormatArg(T v) : tag(Tag::integer), i(v) {}
  FormatArg(uint64_t v) : tag(Tag::uinteger), i(int64_t(v)) {}
  FormatArg(bool v) : tag(Tag::boolean), i(v) {}
  FormatArg(double v) : tag(Tag::real), d(v) {}
  FormatArg(const char* v) : tag(Tag::text), text(v) {}
  FormatArg(Dtype v) : tag(Tag::dtype), dtype(v) {}  // prints "Float", as messages from C++ do; messages from Python print "torch.float32"
  FormatArg(IntList v) : tag(Tag::list), i(0), list(v) {}  // "[2, 3]"
  FormatArg(const Dims& v) : FormatArg(IntList(v)) {}
  FormatArg(Device v) : tag(Tag::device), device(v) {}  // "cpu", "npu:0"
  template <class S>
    requires requires(const S& s) {
      s.c_str();
      s.size();
    }
  FormatArg(const S& s) : tag(Tag::chars), text(s.c_str()), length(int64_t(s.size())) {}
};
// A dtype printed as "float" instead of "Float".
struct ScalarName : FormatArg {
  explicit ScalarName(Dtype d) : FormatArg(d) { tag = Tag::scalar_name; }
};

// Throws; each "{}" of the format takes the next argument.
[[noreturn]] void raise(ErrorKind kind, const char* format, const FormatArg* args, int count);

template <class... Args>
[[noreturn]] [[gnu::cold]] void fail(ErrorKind kind, const char* format, const Args&... args) {
  const FormatArg list[sizeof...(args) + 1] = {FormatArg(args)..., FormatArg(0)};
  raise(kind, format, list, int(sizeof...(args)));
}
template <class... Args>
[[noreturn]] [[gnu::cold]] void fail(const char* format, const Args&... args) {
  fail(ErrorKind::runtime, format, args...);
}
template <class... Args>
inline void check(bool condition, ErrorKind kind, const char* format, const Args&... args) {
  if (__builtin_expect(!condition, 0)) fail(kind, format, args...);
}
template <class... Args>
inline void check(bool condition, const char* format, const Args&... args) {
  if (__builtin_expect(!condition, 0)) fail(ErrorKind::runtime, format, args...);
}
// Sends a UserWarning (or another category) to the thread's warning handler.
void emit_warning(const char* category, const char* format, const FormatArg* args, int count);
template <class... Args>
void warn(const char* format, const Args&... args) {
  const FormatArg list[sizeof...(args) + 1] = {FormatArg(args)..., FormatArg(0)};
  emit_warning("UserWarning", format, list, int(sizeof...(args)));
}

}  // namespace mt
