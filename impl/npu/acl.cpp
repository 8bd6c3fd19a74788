// Finds and loads the vendor's libraries on the first call that needs a device.
#include "npu/acl.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/messages.h"
#include "npu/plugin.h"

namespace mt::npu {
namespace {

struct Library {
  Acl functions;
  std::vector<void*> handles;
  std::string path;
};
std::mutex mutex;
std::atomic<Library*> library = nullptr;  // never freed: devices are never released

bool is_folder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

void* symbol_of(const std::vector<void*>& handles, const char* name) {
  for (void* handle : handles)
    if (void* address = dlsym(handle, name)) return address;
  return nullptr;
}

// Opens one file, or the runtime and operator libraries of a folder. Returns nullptr if it is not there; `why` gets the reason.
Library* open_library(const std::string& place, std::string& why) {
  std::vector<std::string> files;
  if (is_folder(place))
    for (const char* name : {"/libascendcl.so", "/libnnopbase.so", "/libopapi.so"}) files.push_back(place + name);
  else
    files.push_back(place);
  auto found = std::make_unique<Library>();
  found->path = files[0];
  for (const std::string& file : files) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      why = dlerror();
      return nullptr;
    }
    found->handles.push_back(handle);
  }
  const char* missing = nullptr;
  auto read = [&](auto& field, const char* name, bool needed) {
    void* address = symbol_of(found->handles, name);
    if (!address && needed) missing = name;
    field = reinterpret_cast<std::remove_reference_t<decltype(field)>>(address);
  };
#define MT_ACL_READ(name, result, parameters) read(found->functions.name, #name, true);
#define MT_ACL_READ_OPTIONAL(name, result, parameters) read(found->functions.name, #name, false);
  MT_ACL_FUNCTIONS(MT_ACL_READ)
  MT_ACL_OPTIONAL_FUNCTIONS(MT_ACL_READ_OPTIONAL)
#undef MT_ACL_READ
#undef MT_ACL_READ_OPTIONAL
  if (missing) {
    why = place + " has no " + missing;
    return nullptr;
  }
  const aclError code = found->functions.aclInit(nullptr);
  if (code != acl::success && code != acl::error_repeat_initialize) {
    why = "aclInit gave " + std::to_string(code);
    return nullptr;
  }
  return found.release();
}

// Where CANN's environment scripts and installers put the libraries.
std::vector<std::string> list_default_paths() {
  std::vector<std::string> places;
  for (const char* name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"})
    if (const char* home = secure_getenv(name)) places.push_back(std::string(home) + "/lib64");
  places.push_back("/usr/local/Ascend/ascend-toolkit/latest/lib64");
  places.push_back("/usr/local/Ascend/latest/lib64");
  return places;
}

Library* find_library(std::string& why) {
  if (plugin()) return nullptr;  // the plugin serves NPUs
  if (const char* path = secure_getenv("MINDTORCH_ACL_PATH"); path && *path) return open_library(path, why);
  for (const std::string& place : list_default_paths())
    if (is_folder(place))
      if (Library* found = open_library(place, why)) return found;
  return nullptr;
}

}  // namespace

const Acl* loaded_acl() noexcept {
  Library* found = library.load(std::memory_order_acquire);
  return found ? &found->functions : nullptr;
}
const char* library_path() noexcept {
  Library* found = library.load(std::memory_order_acquire);
  return found ? found->path.c_str() : nullptr;
}

bool try_load_acl_library() {
  if (library.load(std::memory_order_acquire)) return true;
  std::lock_guard lock(mutex);
  if (library.load(std::memory_order_relaxed)) return true;
  std::string why;
  Library* found = find_library(why);
  // If MINDTORCH_ACL_PATH names a library, failing to load it is an error; without it, a machine without CANN is normal.
  if (const char* path = secure_getenv("MINDTORCH_ACL_PATH"); !found && path && *path) fail(messages::cannot_load_npu_library, path, why);
  library.store(found, std::memory_order_release);
  return found != nullptr;
}

void load(const char* path) {
  if (!path) {
    check(try_load_acl_library(), "no NPU library was found");
    return;
  }
  std::lock_guard lock(mutex);
  if (Library* there = library.load(std::memory_order_relaxed)) {
    check(there->path == path || there->path == std::string(path) + "/libascendcl.so", messages::npu_library_is_loaded_already,
          there->path);
    return;
  }
  std::string why;
  Library* found = open_library(path, why);
  check(found, messages::cannot_load_npu_library, path, why);
  library.store(found, std::memory_order_release);
}

const Acl& acl() {
  if (Library* found = library.load(std::memory_order_acquire)) return found->functions;
  check(try_load_acl_library(), ErrorKind::assertion, "Torch not compiled with NPU enabled");
  return library.load(std::memory_order_acquire)->functions;
}

void* find_symbol(const char* name) {
  acl();
  return symbol_of(library.load(std::memory_order_acquire)->handles, name);
}

void fail_call(const char* call, aclError code) {
  const Acl& functions = acl();
  const char* detail = functions.aclGetRecentErrMsg ? functions.aclGetRecentErrMsg() : nullptr;
  fail("NPU error: {} failed with code {}{}{}", call, int64_t(code), detail && *detail ? ": " : "", detail ? detail : "");
}
void check_call(const char* call, aclError code) {
  if (__builtin_expect(code != acl::success, 0)) fail_call(call, code);
}

}  // namespace mt::npu
