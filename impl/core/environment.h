// Variables for libraries that can only be configured through the environment, without setenv: that may move the list of variables
// while other threads read it.
#pragma once

namespace mt {

// While this object exists, getenv finds the variable. It must not be in the environment already. Other threads may read variables at the
// same time: the lists that they may be reading are never freed.
class TemporaryVariable {
 public:
  // `assignment`: "NAME=value", which must never be freed.
  explicit TemporaryVariable(const char* assignment);
  ~TemporaryVariable();
  TemporaryVariable(const TemporaryVariable&) = delete;
  TemporaryVariable& operator=(const TemporaryVariable&) = delete;

 private:
  const char* assignment_;
};

}  // namespace mt
