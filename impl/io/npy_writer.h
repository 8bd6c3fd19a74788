// Writes NumPy's arrays: .npy files, and .npz archives of them.
#pragma once

#include "io/new_file.h"
#include "io/tensor_dict.h"

namespace mt::io {

// Writes one tensor as numpy.save does. ValueError if NumPy has no such dtype, or the dict does not have exactly one tensor.
void write_npy(NewFile& file, const TensorDict& tensors, const Progress& progress);
// Writes an archive of named tensors that numpy.load reads. ValueError if NumPy has no such dtype.
void write_npz(NewFile& file, const TensorDict& tensors, const Progress& progress);

}  // namespace mt::io
