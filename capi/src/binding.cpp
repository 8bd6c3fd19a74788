// Binds objects of other languages to handles.
#include <atomic>

#include "binding.h"

using namespace mt;
using namespace mt::capi;

int64_t mt_binding_id_new(void) {
  static std::atomic<int64_t> last{0};
  return ++last;
}

mt_status* mt_tensor_binding_set(mt_tensor* tensor, int64_t id, void* object, const mt_binding_vtable* vtable) {
  return guard([&] { set_binding(impl_even_if_pending(tensor).binding, id, object, vtable); });
}
mt_status* mt_tensor_binding_get(const mt_tensor* tensor, int64_t id, void** object, int32_t* owned) {
  return guard([&] { get_binding(impl_even_if_pending(tensor).binding, id, object, owned); });
}
mt_status* mt_tensor_binding_own(mt_tensor* tensor, int64_t id, int32_t owned) {
  return guard([&] { own_binding(impl_even_if_pending(tensor).binding, id, owned); });
}
mt_status* mt_storage_binding_set(mt_storage* storage, int64_t id, void* object, const mt_binding_vtable* vtable) {
  return guard([&] { set_binding(storage_of(storage).binding, id, object, vtable); });
}
mt_status* mt_storage_binding_get(const mt_storage* storage, int64_t id, void** object, int32_t* owned) {
  return guard([&] { get_binding(storage_of(storage).binding, id, object, owned); });
}
mt_status* mt_storage_binding_own(mt_storage* storage, int64_t id, int32_t owned) {
  return guard([&] { own_binding(storage_of(storage).binding, id, owned); });
}
