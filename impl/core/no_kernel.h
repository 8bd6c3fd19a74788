// Raises torch's error for a call that no kernel supports. torch's message then lists where each kernel was registered, which this one
// omits.
#pragma once

#include <string>

#include "core/error.h"

namespace mt {

[[noreturn]] [[gnu::cold]] inline void fail_without_kernel(const std::string& name, const std::string& backend,
                                                           const std::string& available) {
  fail(ErrorKind::not_implemented,
       "Could not run '{0}' with arguments from the '{1}' backend. This could be because the operator doesn't exist for this backend, or "
       "was "
       "omitted during the selective/custom build process (if using custom build). If you are a Facebook employee using PyTorch on mobile, "
       "please visit https://fburl.com/ptmfixes for possible resolutions. '{0}' is only available for these backends: [{2}].",
       name, backend, available);
}

}  // namespace mt
