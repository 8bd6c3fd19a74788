// The BLAS library of this process: found at run time, loaded privately, serial. Only lapack.h calls it.
#pragma once

namespace mt::cpu {

// Folders to look in for libscipy_openblas.so or libopenblas.so.0; separated by ':'. They serve until a library was loaded.
// MINDTORCH_BLAS=<file>|none goes before them, the package scipy_openblas32 beside ours and then the system's own after them.
void set_blas_search_path(const char* folders);

// For people: "OpenBLAS 0.3.21, SkylakeX kernels, /usr/lib/.../libopenblas.so.0" or "none (own kernels only)".
const char* blas_description();
bool has_blas();

// The address of a Fortran routine such as "dgesdd", with whatever prefix or suffix the library has; nullptr if absent.
void* blas_symbol(const char* name);

}  // namespace mt::cpu
