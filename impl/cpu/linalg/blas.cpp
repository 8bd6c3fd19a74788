// Finds and loads a BLAS privately, selects its kernels, and hides its symbol naming.
#include "cpu/linalg/blas.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/capability.h"
#include "core/environment.h"
#include "core/library_folder.h"
#include "cpu/linalg/lapack.h"

namespace mt::cpu {
namespace {

std::string& search_path() {
  static std::string* path = new std::string;
  return *path;
}

// Where pip installs the required BLAS, relative to <site-packages>/mindtorch/lib/libmindtorch.so.0.
std::string folder_beside_package() {
  const std::string folder = library_folder();
  return folder.empty() ? "" : folder + "/../../scipy_openblas32";
}

struct Blas {
  void* handle = nullptr;
  std::string prefix;
  std::string suffix = "_";
  std::string description = "none (own kernels only)";

  Blas() {
    const char* wish = secure_getenv("MINDTORCH_BLAS");
    if (wish != nullptr && std::strcmp(wish, "none") == 0) return;
    for (const std::string& file : list_candidates(wish)) {
      if (open_library(file)) return;
    }
  }

  void* find_fortran_function(const char* name) const {
    return handle == nullptr ? nullptr : dlsym(handle, (prefix + name + suffix).c_str());
  }

 private:
  static std::vector<std::string> list_candidates(const char* wish) {
    std::vector<std::string> files;
    if (wish != nullptr && *wish != 0) files.emplace_back(wish);
    const std::string path = search_path() + ":" + folder_beside_package();
    for (size_t start = 0; start < path.size();) {
      size_t end = path.find(':', start);
      if (end == std::string::npos) end = path.size();
      const std::string folder = path.substr(start, end - start);
      for (const char* name : {"/libscipy_openblas.so", "/lib/libscipy_openblas.so", "/libopenblas.so.0"}) {
        if (!folder.empty()) files.push_back(folder + name);
      }
      start = end + 1;
    }
    files.emplace_back("libopenblas.so.0");
    files.emplace_back("libopenblas.so");
    return files;
  }

  void* find_library_function(const char* name) const { return dlsym(handle, (prefix + name).c_str()); }

  bool open_library(const std::string& file) {
    const bool loaded_before = is_loaded(file);
    // DEEPBIND: torch in the same process exports sgemm_ and other BLAS symbols, which our BLAS must not resolve to.
    int flags = RTLD_NOW | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    flags |= RTLD_DEEPBIND;
#endif
    const bool steer = !loaded_before && wants_skylakex();
    {
      // OpenBLAS would start one thread per core while it loads; we never use that pool. getenv, since that is what OpenBLAS calls.
      std::optional<TemporaryVariable> quiet;
      if (!loaded_before && std::getenv("OPENBLAS_NUM_THREADS") == nullptr) quiet.emplace("OPENBLAS_NUM_THREADS=1");
      handle = dlopen(file.c_str(), flags);
    }
    if (handle == nullptr) return false;
    if (!find_name_prefix()) {
      dlclose(handle);
      handle = nullptr;
      return false;
    }
    if (steer) restart_with_skylakex_kernels();
    if (auto* set_threads = reinterpret_cast<void (*)(int)>(find_library_function("openblas_set_num_threads"))) set_threads(1);
    set_description(file);
    return true;
  }

  static bool is_loaded(const std::string& file) {
    void* existing = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (existing != nullptr) dlclose(existing);
    return existing != nullptr;
  }

  bool find_name_prefix() {
    for (const char* candidate : {"", "scipy_"}) {
      prefix = candidate;
      if (dlsym(handle, (prefix + "sgemm" + suffix).c_str()) != nullptr) return true;
    }
    return false;
  }

  std::string core_name() const {
    auto* core = reinterpret_cast<char* (*)()>(find_library_function("openblas_get_corename"));
    return core != nullptr ? core() : "";
  }

  // OpenBLAS 0.3.21 does not recognise AMD's AVX-512 cores and uses Haswell kernels there, at half the speed.
  static bool wants_skylakex() { return cpu_capability() == Capability::avx512 && std::getenv("OPENBLAS_CORETYPE") == nullptr; }

  // OpenBLAS reads OPENBLAS_CORETYPE in its initialiser, which may run a second time as long as nothing was computed.
  void restart_with_skylakex_kernels() {
    if (core_name() != "Haswell" && core_name() != "Zen") return;
    auto* quit = reinterpret_cast<void (*)()>(dlsym(handle, "gotoblas_dynamic_quit"));
    auto* init = reinterpret_cast<void (*)()>(dlsym(handle, "gotoblas_dynamic_init"));
    if (quit == nullptr || init == nullptr) return;
    const TemporaryVariable core("OPENBLAS_CORETYPE=SkylakeX");
    quit();
    init();
  }

  void set_description(const std::string& file) {
    std::string version;
    if (auto* config = reinterpret_cast<char* (*)()>(find_library_function("openblas_get_config"))) {
      version = config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
      const size_t first = version.find(' ');
      const size_t second = first == std::string::npos ? first : version.find(' ', first + 1);
      version = version.substr(0, second);
    }
    std::string where = file;
    Dl_info info;
    if (dladdr(find_fortran_function("sgemm"), &info) != 0 && info.dli_fname != nullptr) {
      char* resolved = realpath(info.dli_fname, nullptr);
      where = resolved != nullptr ? resolved : info.dli_fname;
      std::free(resolved);
    }
    description = (version.empty() ? "BLAS" : version) + (core_name().empty() ? "" : ", " + core_name() + " kernels") + ", " + where;
  }
};

const Blas& blas() {
  static const Blas* loaded = new Blas;  // the library stays loaded until the process ends
  return *loaded;
}

}  // namespace

void set_blas_search_path(const char* folders) { search_path() = folders != nullptr ? folders : ""; }
const char* blas_description() { return blas().description.c_str(); }
bool has_blas() { return blas().handle != nullptr; }
void* blas_symbol(const char* name) { return blas().find_fortran_function(name); }

void* lapack::find(const char* name) {
  void* found = blas_symbol(name);
  if (found == nullptr) {
    throw std::runtime_error(std::string("LAPACK routine '") + name +
                             "' is not available: no LAPACK library was found. Install the package scipy-openblas32 "
                             "(pip) or libopenblas0 (Debian), or name a library in MINDTORCH_BLAS.");
  }
  return found;
}

}  // namespace mt::cpu
