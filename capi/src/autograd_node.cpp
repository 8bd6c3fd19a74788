// Graph nodes for C callers: names, edges, saved values, hooks, bound objects.
#include "autograd_support.h"
#include "binding.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

void mt_node_retain(mt_node* node) { retain(node); }
void mt_node_release(mt_node* node) { release<Node>(node); }
mt_status* mt_node_use_count(const mt_node* node, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = node_of(node).use_count();
  });
}
mt_status* mt_node_name_borrow(const mt_node* node, const char** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = node_of(node).name;
  });
}
mt_status* mt_node_sequence_nr(const mt_node* node, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = int64_t(node_of(node).sequence_nr);
  });
}
mt_status* mt_node_set_sequence_nr(mt_node* node, int64_t nr) {
  return guard([&] { node_of(node).sequence_nr = uint64_t(nr); });
}
mt_status* mt_node_apply(mt_node* node, mt_tensor* const* grads, int64_t n, mt_tensor** out, int64_t n_out) {
  return guard([&] {
    Node& target = node_of(node);
    check(n == target.n_inputs, ErrorKind::type, "expected {} arguments, got {} instead", target.n_inputs, n);
    check(n_out == target.n_edges, ErrorKind::value, "node {} has {} edges, got room for {}", target.name, target.n_edges, n_out);
    Ref<Node> alive = Ref<Node>::share(&target);
    TensorArray in(n), results(n_out);
    for (int64_t i = 0; i < n; ++i) in[i] = optional_tensor_of(grads[i], "grads");
    target.run(in.data(), results.data());
    for (int64_t i = 0; i < n_out; ++i) out[i] = results[i].defined() ? return_handle(std::move(results[i])) : nullptr;
  });
}
mt_status* mt_node_input_count(const mt_node* node, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = node_of(node).n_inputs;
  });
}
mt_status* mt_node_edge_count(const mt_node* node, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = node_of(node).n_edges;
  });
}
mt_status* mt_node_edge(const mt_node* node, int64_t index, mt_node** out, int64_t* nr) {
  return guard([&] {
    require_not_null(out, "out");
    const Node& n = node_of(node);
    check(index >= 0 && index < n.n_edges, ErrorKind::index, "node {} has no edge {}", n.name, index);
    if (nr) *nr = n.edges[index].nr;
    *out = return_handle(Ref<Node>(n.edges[index].node));
  });
}
mt_status* mt_node_variable(const mt_node* node, mt_tensor** out) {
  return guard([&] {
    require_not_null(out, "out");
    const Tensor* leaf = node_of(node).variable();
    *out = leaf ? return_handle(Tensor(*leaf)) : nullptr;
  });
}

mt_status* mt_node_saved_count(const mt_node* node, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = node_of(node).saved_count();
  });
}
mt_status* mt_node_saved(const mt_node* node, int64_t index, const char** name, mt_value* out) {
  return guard([&] {
    Node& n = node_of(node);
    check(index >= 0 && index < n.saved_count(), ErrorKind::index, "node {} saved no value {}", n.name, index);
    if (out) *out = n.saved_value(index);
    if (name) *name = n.saved_name(index);
  });
}
namespace {
SavedTensor& saved_tensor_of(mt_node* node, int64_t index) {
  Node& n = node_of(node);
  SavedTensor* saved = index >= 0 && index < n.saved_count() ? n.saved_tensor(index) : nullptr;
  check(saved != nullptr, ErrorKind::index, "node {} saved no tensor {}", n.name, index);
  return *saved;
}
}  // namespace
mt_status* mt_node_saved_register_hooks(mt_node* node, int64_t index, const mt_saved_hooks* hooks, void* user) {
  return guard([&] { saved_tensor_of(node, index).register_hooks(read_struct(hooks, "hooks"), user); });
}
mt_status* mt_node_saved_held(mt_node* node, int64_t index, mt_tensor** tensor, void** user, void** packed) {
  return guard([&] { return_saved_contents(saved_tensor_of(node, index), tensor, user, packed); });
}

mt_status* mt_node_add_hook(mt_node* node, int32_t pre, mt_node_hook_fn hook, void* user, void (*destroy)(void* user), int64_t* id) {
  return guard([&] {
    require_not_null(reinterpret_cast<void*>(hook), "hook");
    require_not_null(id, "id");
    Node& n = node_of(node);
    auto entry = std::make_shared<Foreign<mt_node_hook_fn>>(hook, user, destroy, new_hook_id());
    NodeHooks& hooks = n.ensure_hooks();
    std::lock_guard lock(n.lock);
    (pre ? hooks.pre : hooks.post).push_back(entry);
    *id = entry->id;
  });
}
mt_status* mt_node_remove_hook(mt_node* node, int64_t id) {
  return guard([&] {
    Node& n = node_of(node);
    NodeHook gone;  // destroyed after the lock is released
    TensorHook gone_tensor_hook;
    std::lock_guard lock(n.lock);
    if (!n.hooks || take_hook(n.hooks->pre, id, gone) || take_hook(n.hooks->post, id, gone)) return;
    auto& list = n.hooks->on_input;
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].hook->id != id) continue;
      list[i].hook->removed = true;
      gone_tensor_hook = std::move(list[i].hook);
      list.erase(list.begin() + int64_t(i));
      return;
    }
  });
}

mt_status* mt_node_set_metadata(mt_node* node, void* data, void (*destroy)(void* data)) {
  return guard([&] {
    Node& n = node_of(node);
    count_foreign(int64_t(data != nullptr) - int64_t(n.metadata != nullptr));
    void* old = std::exchange(n.metadata, data);
    auto old_destroy = std::exchange(n.metadata_destroy, destroy);
    if (old && old_destroy) old_destroy(old);
  });
}
mt_status* mt_node_metadata_borrow(const mt_node* node, void** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = node_of(node).metadata;
  });
}
mt_status* mt_node_binding_set(mt_node* node, int64_t id, void* object, const mt_binding_vtable* vtable) {
  return guard([&] { set_binding(node_of(node).binding, id, object, vtable); });
}
mt_status* mt_node_binding_get(const mt_node* node, int64_t id, void** object, int32_t* owned) {
  return guard([&] { get_binding(node_of(node).binding, id, object, owned); });
}
mt_status* mt_node_binding_own(mt_node* node, int64_t id, int32_t owned) {
  return guard([&] { own_binding(node_of(node).binding, id, owned); });
}
mt_status* mt_node_traverse(const mt_node* node, int32_t (*visit)(void* user, void* argument), void* argument, int32_t* result) {
  return guard([&] {
    require_not_null(reinterpret_cast<void*>(visit), "visit");
    require_not_null(result, "result");
    Node::Reachable next;
    next.nodes.push_back(&node_of(node));
    *result = traverse_reachable(visit, argument, next);
  });
}
