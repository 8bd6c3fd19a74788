// The exception type behind fail(), for the few files that catch it.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "core/error.h"

namespace mt {

class Error : public std::exception {
 public:
  Error(std::string kind, std::string message) : kind_(std::move(kind)), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& kind() const { return kind_; }  // "RuntimeError"
  const std::string& message() const { return message_; }

  // A status that a foreign callback returned; the C ABI returns this same object.
  std::shared_ptr<mt_status> foreign;

 private:
  std::string kind_, message_;
};

const char* name_of(ErrorKind kind);
std::string format_text(const char* format, const FormatArg* args, int count);
template <class... Args>
std::string text(const char* format, const Args&... args) {
  const FormatArg list[sizeof...(args) + 1] = {FormatArg(args)..., FormatArg(0)};
  return format_text(format, list, int(sizeof...(args)));
}

// Whether body() ends without an error. For calls whose failure is reported elsewhere.
template <class Body>
bool succeeds(Body&& body) {
  try {
    body();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Throws what a foreign callback reported; does nothing for nullptr. Takes ownership of the status.
void rethrow_status(mt_status* status);
// Converts the exception being handled to a status (call it inside a catch block).
mt_status* status_of_current_exception() noexcept;

}  // namespace mt
