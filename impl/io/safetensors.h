// Writing safetensors files.
#pragma once

#include "io/new_file.h"
#include "io/tensor_dict.h"

namespace mt::io {

// Tensors sorted as the format's own package sorts them: by falling size of their elements, then by name. Values of `metadata` are text.
void write_safetensors(NewFile& file, const TensorDict& tensors, const std::vector<std::pair<std::string, std::string>>& metadata,
                       const Progress& progress);

}  // namespace mt::io
