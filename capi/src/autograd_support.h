// Handles of nodes and saved tensors, shared by the files of autograd's C ABI.
#pragma once

#include "autograd/node.h"
#include "autograd/saved.h"
#include "convert.h"

// The object behind an mt_saved handle.
struct mt_saved : mt::Object {
  mt_saved(const mt::Tensor& t, bool is_output) : Object(mt::Kind::saved), tensor(t, is_output) {}
  mt::SpinLock lock;
  mt::SavedTensor tensor;
};

namespace mt::capi {

// Returns the contents of a saved tensor through the out parameters of a C function.
inline void return_saved_contents(const SavedTensor& saved, mt_tensor** tensor, void** user, void** packed) {
  require_not_null(tensor, "tensor");
  require_not_null(user, "user");
  require_not_null(packed, "packed");
  *packed = saved.packed(user);
  *tensor = saved.data().defined() ? return_handle(Tensor(saved.data())) : nullptr;
}

// A node's handle points to its reference-counted base, which is not its first byte.
inline Node& node_of(const mt_node* handle, const char* what = "node") {
  require_not_null(handle, what);
  const Kind got = *reinterpret_cast<const Kind*>(handle);
  if (__builtin_expect(got != Kind::node, 0)) fail_kind(what, Kind::node, got);
  return *static_cast<Node*>(reinterpret_cast<Object*>(const_cast<mt_node*>(handle)));
}
inline mt_node* return_handle(Ref<Node> node) { return node ? node_handle(node.detach()) : nullptr; }

inline Tensor optional_tensor_of(const mt_tensor* handle, const char* what) { return handle ? tensor_of(handle, what) : Tensor(); }
inline void require_count(int64_t n, const void* data, const char* what) {
  check(n >= 0 && n < (int64_t(1) << 31), ErrorKind::value, "{}: the count {} is out of range", what, n);
  if (n > 0) require_not_null(data, what);
}

}  // namespace mt::capi
