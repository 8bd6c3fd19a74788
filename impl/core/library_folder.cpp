// Asks the dynamic loader where it found this code.
#include "core/library_folder.h"

#include <dlfcn.h>

namespace mt {

std::string library_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&library_folder), &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string file = info.dli_fname;
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash);
}

}  // namespace mt
