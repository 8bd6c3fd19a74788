// Where the library itself is, for what is installed beside it.
#pragma once

#include <string>

namespace mt {

// The folder of the file that holds this code, without a slash at its end; "" if the loader does not know it.
std::string library_folder();

}  // namespace mt
