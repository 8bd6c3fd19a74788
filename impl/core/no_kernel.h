// torch's text for a call that no kernel supports; torch goes on to list the keys that have a kernel.
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
