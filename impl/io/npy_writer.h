// Writes NumPy's arrays: .npy files, and .npz archives of them.
#pragma once

#include "io/new_file.h"
#include "io/tensor_dict.h"

namespace mt::io {

// One tensor, as numpy.save writes it. ValueError if NumPy has no such dtype, or the dict has another number of tensors.
void write_npy(NewFile& file, const TensorDict& tensors, const Progress& progress);
// Tensors under their names, for numpy.load. ValueError as above.
void write_npz(NewFile& file, const TensorDict& tensors, const Progress& progress);

}  // namespace mt::io
