// Sets, returns and takes over a binding, for tensors, storages and nodes.
#pragma once

#include "core/foreign.h"
#include "structs.h"

namespace mt::capi {

inline void set_binding(Binding& binding, int64_t id, void* object, const mt_binding_vtable* vtable) {
  if (!object) {
    if (binding.id != id) return;
    if (binding.owned) count_foreign(-1);
    binding = Binding{};
    return;
  }
  const mt_binding_vtable own = read_struct(vtable, "vtable");
  check(!binding.object || (binding.id == id && binding.object == object), "another object is bound to this handle already");
  if (binding.owned) count_foreign(-1);
  binding = Binding{id, object, own.release, false};
}

inline void get_binding(const Binding& binding, int64_t id, void** object, int32_t* owned) {
  require_not_null(object, "object");
  const bool bound = binding.id == id;
  *object = bound ? binding.object : nullptr;
  if (owned) *owned = bound && binding.owned;
}

inline void own_binding(Binding& binding, int64_t id, int32_t owned) {
  check(binding.object && binding.id == id, "no object is bound to this handle under the id {}", id);
  count_foreign(int64_t(owned != 0) - int64_t(binding.owned));
  binding.owned = owned != 0;
}

}  // namespace mt::capi
