// Writes safetensors files.
#pragma once

#include "io/new_file.h"
#include "io/tensor_dict.h"

namespace mt::io {

// Sorts tensors as the format's own package does: by descending element size, then by name. Values of `metadata` are strings.
void write_safetensors(NewFile& file, const TensorDict& tensors, const std::vector<std::pair<std::string, std::string>>& metadata,
                       const Progress& progress);

}  // namespace mt::io
