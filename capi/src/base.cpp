// Dtypes, devices, boxed values, the library's version, warnings.
#include <dlfcn.h>

#include <cstring>

#include "convert.h"
#include "core/device_text.h"

using namespace mt;
using namespace mt::capi;

const char* mt_dtype_name(int32_t dtype) { return is_known_dtype(dtype) ? name_of(Dtype(dtype)) : nullptr; }
int32_t mt_dtype_size(int32_t dtype) { return is_known_dtype(dtype) ? int32_t(element_size(Dtype(dtype))) : 0; }

mt_status* mt_dtype_promote(int32_t a, int32_t b, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = int32_t(promote(dtype_of(a), dtype_of(b)));
  });
}

const char* mt_device_type_name(int32_t type) { return type >= 0 && type <= INT8_MAX ? name_of(DeviceType(type)) : nullptr; }

mt_status* mt_device_parse(const char* text, mt_device* out) {
  return guard([&] {
    require_not_null(text, "text");
    require_not_null(out, "out");
    const Device device = parse_device(text);
    *out = {int32_t(device.type), device.index};
  });
}

void mt_value_clear(mt_value* value) {
  if (value) clear(*value);
}

mt_status* mt_value_copy(const mt_value* value, mt_value* out) {
  return guard([&] {
    require_not_null(value, "value");
    require_not_null(out, "out");
    check(has_valid_contents(*value), ErrorKind::type, "a value with the tag {} refers to nothing, or to something else", value->tag);
    *out = own(*value);
  });
}

mt_status* mt_init(void) {
  return guard([] { ensure_registry(); });
}
const char* mt_version(void) { return MT_VERSION_STRING; }
int32_t mt_abi_version(void) { return MT_ABI_VERSION; }

namespace {

// Looks functions up in the library's own symbol table, so that no list of them is needed.
void* find_exported_symbol(const char* name) {
  static void* const library = [] {
    Dl_info info;
    return dladdr(reinterpret_cast<void*>(&find_exported_symbol), &info) ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  }();
  return library && name && std::strncmp(name, "mt_", 3) == 0 ? dlsym(library, name) : nullptr;
}

}  // namespace

mt_status* mt_get_api(int32_t min, int32_t max, int32_t* got, const mt_api** out) {
  return guard([&] {
    require_not_null(out, "out");
    check(min <= MT_ABI_VERSION && MT_ABI_VERSION <= max, "this library has ABI version {}, the plugin wants {} to {}", MT_ABI_VERSION, min,
          max);
    static const mt_api api{sizeof(mt_api), MT_ABI_VERSION, find_exported_symbol};
    if (got) *got = MT_ABI_VERSION;
    *out = &api;
  });
}

mt_status* mt_warning_handler_set(mt_warning_fn handler, void* user, mt_warning_fn* old_handler, void** old_user) {
  if (old_handler) *old_handler = thread_state.warning_handler;
  if (old_user) *old_user = thread_state.warning_user;
  thread_state.warning_handler = handler;
  thread_state.warning_user = user;
  return nullptr;
}

mt_status* mt_warn(const char* category, const char* message) {
  return guard([&] {
    require_not_null(message, "message");
    mt_warning_fn handler = thread_state.warning_handler;
    if (handler) rethrow_status(handler(thread_state.warning_user, category ? category : "UserWarning", message));
  });
}
