// Dictionaries of tensors.
#include "core/messages.h"
#include "io_handles.h"

using namespace mt;
using namespace mt::capi;

mt_status* mt_tensor_dict_create(mt_tensor_dict** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = reinterpret_cast<mt_tensor_dict*>(new io::TensorDict());
  });
}
void mt_tensor_dict_retain(mt_tensor_dict* dict) { retain(dict); }
void mt_tensor_dict_release(mt_tensor_dict* dict) { release<io::TensorDict>(dict); }
mt_status* mt_tensor_dict_size(const mt_tensor_dict* dict, int64_t* out) {
  return guard([&] {
    const io::TensorDict& d = dict_of(dict);
    require_not_null(out, "out");
    *out = int64_t(d.items().size());
  });
}
mt_status* mt_tensor_dict_set(mt_tensor_dict* dict, const char* name, mt_tensor* tensor) {
  return guard([&] {
    io::TensorDict& d = dict_of(dict);
    require_not_null(name, "name");
    d.set(name, tensor_of(tensor));
  });
}
mt_status* mt_tensor_dict_remove(mt_tensor_dict* dict, const char* name) {
  return guard([&] {
    io::TensorDict& d = dict_of(dict);
    require_not_null(name, "name");
    d.remove(name);
  });
}
mt_status* mt_tensor_dict_get(const mt_tensor_dict* dict, const char* name, mt_tensor** out) {
  return guard([&] {
    const io::TensorDict& d = dict_of(dict);
    require_not_null(name, "name");
    require_not_null(out, "out");
    const Tensor* found = d.find(name);
    *out = found ? return_handle(*found) : nullptr;
  });
}
mt_status* mt_tensor_dict_at(const mt_tensor_dict* dict, int64_t index, const char** name, mt_tensor** tensor) {
  return guard([&] {
    const auto& items = dict_of(dict).items();
    check(index >= 0 && size_t(index) < items.size(), ErrorKind::index, messages::no_such_tensor_index, index, uint64_t(items.size()));
    if (name) *name = items[size_t(index)].first.c_str();
    if (tensor) *tensor = return_handle(items[size_t(index)].second);
  });
}
