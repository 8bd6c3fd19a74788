// Compressed checkpoints, a format of this library (docs/files.md): blocks of elements in zstd frames, and an index at the end.
#pragma once

#include "io/new_file.h"
#include "io/tensor_dict.h"

namespace mt::io {

// Levels are zstd's 1 to 22; values of `metadata` are strings.
void write_compressed(NewFile& file, const TensorDict& tensors, const std::vector<std::pair<std::string, std::string>>& metadata, int level,
                      const Progress& progress);

}  // namespace mt::io
