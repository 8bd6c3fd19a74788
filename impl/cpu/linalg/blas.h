// The BLAS library of this process: found at run time, loaded privately, single-threaded. Only lapack.h calls it.
#pragma once

namespace mt::cpu {

// Folders, separated by ':', to search for libscipy_openblas.so or libopenblas.so.0. They have no effect after a library was loaded.
// MINDTORCH_BLAS=<file>|none comes first; the package scipy_openblas32 beside ours and the system's library come last.
void set_blas_search_path(const char* folders);

// For display: "OpenBLAS 0.3.21, SkylakeX kernels, /usr/lib/.../libopenblas.so.0" or "none (own kernels only)".
const char* blas_description();
bool has_blas();

// The address of a Fortran routine such as "dgesdd", whatever prefix or suffix the library uses; nullptr if absent.
void* blas_symbol(const char* name);

}  // namespace mt::cpu
