// Formats error messages and converts between exceptions and statuses.
#include "core/exception.h"

#include <cstdio>
#include <new>

#include "core/allocator.h"
#include "core/keys.h"

namespace mt {

constinit thread_local ThreadState thread_state;

const char* name_of(ErrorKind kind) {
  static constexpr const char* names[] = {"RuntimeError",     "TypeError",      "IndexError",      "ValueError",    "NotImplementedError",
                                          "OutOfMemoryError", "AttributeError", "LinAlgError",     "OverflowError", "ZeroDivisionError",
                                          "ImportError",      "AssertionError", "DispatchKeyError"};
  return names[int(kind)];
}

const char* name_of(Key key) {
  static constexpr const char* names[] = {"CPU",
                                          "NPU",
                                          "Meta",
                                          "SparseCPU",
                                          "SparseCsrCPU",
                                          "Negative",
                                          "Conjugate",
                                          "Python",
                                          "ADInplaceOrView",
                                          "Autograd",
                                          "Autocast",
                                          "FuncTorchBatched",
                                          "PythonTLSSnapshot",
                                          "Pipeline"};
  return names[int(key)];
}

namespace {

void append_argument(std::string& out, const FormatArg& arg) {
  char buffer[40];
  switch (arg.tag) {
    case FormatArg::Tag::integer: out += std::to_string(arg.i); break;
    case FormatArg::Tag::uinteger: out += std::to_string(uint64_t(arg.i)); break;
    case FormatArg::Tag::real:  // as an ostream prints a double
      std::snprintf(buffer, sizeof buffer, "%g", arg.d);
      out += buffer;
      break;
    case FormatArg::Tag::text: out += arg.text; break;
    case FormatArg::Tag::chars: out.append(arg.text, size_t(arg.length)); break;
    case FormatArg::Tag::dtype: out += cpp_name_of(arg.dtype); break;
    case FormatArg::Tag::scalar_name: out += scalar_name_of(arg.dtype); break;
    case FormatArg::Tag::boolean: out += arg.i ? "true" : "false"; break;
    case FormatArg::Tag::list:
      out += '[';
      for (int64_t i = 0; i < arg.list.size(); ++i) {
        if (i) out += ", ";
        out += std::to_string(arg.list[i]);
      }
      out += ']';
      break;
    case FormatArg::Tag::device:
      out += name_of(arg.device.type);
      if (arg.device.index >= 0) out += ':' + std::to_string(arg.device.index);
      break;
  }
}

}  // namespace

std::string format_text(const char* format, const FormatArg* args, int count) {
  std::string out;
  int next = 0;
  for (const char* c = format; *c; ++c) {
    if (c[0] == '{' && c[1] == '}' && next < count) {
      append_argument(out, args[next++]);
      ++c;
    } else if (c[0] == '{' && c[1] >= '0' && c[1] < '0' + count && c[2] == '}') {  // "{0}": an argument by position, which may repeat
      append_argument(out, args[c[1] - '0']);
      c += 2;
    } else {
      out += *c;
    }
  }
  return out;
}

void raise(ErrorKind kind, const char* format, const FormatArg* args, int count) {
  throw Error(name_of(kind), format_text(format, args, count));
}

void emit_warning(const char* category, const char* format, const FormatArg* args, int count) {
  mt_warning_fn handler = thread_state.warning_handler;
  if (!handler) return;
  rethrow_status(handler(thread_state.warning_user, category, format_text(format, args, count).c_str()));
}

}  // namespace mt
