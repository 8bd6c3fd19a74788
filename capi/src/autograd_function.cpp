// Custom functions and saved tensors.
#include "autograd/function.h"
#include "autograd_support.h"
#include "dispatch/invoke.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

mt_status* mt_node_create(const char* name, const mt_function_vtable* vtable, void* user, mt_tensor* const* inputs, int64_t n,
                          mt_node** out, int32_t* needed) {
  return guard([&] {
    require_not_null(name, "name");
    const mt_function_vtable functions = read_struct(vtable, "vtable");
    check(functions.apply != nullptr, ErrorKind::value, "a custom function needs an apply");
    require_not_null(out, "out");
    require_count(n, inputs, "inputs");
    std::vector<Edge> edges{size_t(n)};
    bool any = false;
    for (int64_t i = 0; i < n; ++i) {
      Tensor input = optional_tensor_of(inputs[i], "inputs");
      if (!input.defined() || !requires_grad(input)) continue;
      any = true;
      edges[size_t(i)] = gradient_edge(input);
    }
    auto node = NodeMaker::make<FunctionNode>(int(n), 0, 0, name, functions, user);
    const bool record = any && thread_state.grad_mode;
    for (int64_t i = 0; i < n && record; ++i) node->edges[i] = std::move(edges[size_t(i)]);
    if (needed) *needed = record;
    *out = node_handle(node.detach());
  });
}

mt_status* mt_node_wrap_outputs(mt_node* node, int32_t needed, mt_tensor* const* inputs, int64_t n_inputs, mt_tensor** outputs,
                                const int32_t* output_flags, int64_t n_outputs) {
  return guard([&] {
    require_count(n_inputs, inputs, "inputs");
    require_count(n_outputs, outputs, "outputs");
    std::vector<Tensor> given, results;
    std::vector<OutputFlags> flags;
    for (int64_t i = 0; i < n_inputs; ++i) given.push_back(optional_tensor_of(inputs[i], "inputs"));
    for (int64_t i = 0; i < n_outputs; ++i) {
      results.push_back(optional_tensor_of(outputs[i], "outputs"));
      const int32_t bits = output_flags ? output_flags[i] : 0;
      flags.push_back({(bits & MT_OUTPUT_DIRTY) != 0, (bits & MT_OUTPUT_NON_DIFFERENTIABLE) != 0});
    }
    wrap_outputs(Ref<Node>::share(&node_of(node)), needed != 0, given.data(), n_inputs, results.data(), flags.data(), n_outputs);
    for (int64_t i = 0; i < n_outputs; ++i) outputs[i] = return_handle(std::move(results[size_t(i)]));
  });
}

mt_status* mt_node_input_zeros(const mt_node* node, int64_t index, mt_tensor** out) {
  return guard([&] {
    require_not_null(out, "out");
    const Node& n = node_of(node);
    check(index >= 0 && index < n.n_inputs && n.inputs[index].defined, ErrorKind::index, "node {} has no input {}", n.name, index);
    const InputMeta& meta = n.inputs[index];
    *out = return_handle(op<"zeros">(meta.sizes, meta.dtype, nullptr, meta.device));
  });
}

mt_status* mt_saved_create(mt_tensor* tensor, int32_t is_output, mt_saved** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = new mt_saved(optional_tensor_of(tensor, "tensor"), is_output != 0);
  });
}
namespace {
mt_saved& saved_of(mt_saved* saved) {
  require_not_null(saved, "saved");
  if (saved->kind != Kind::saved) fail_kind("saved", Kind::saved, saved->kind);
  return *saved;
}
}  // namespace
mt_status* mt_saved_unpack(mt_saved* saved, mt_node* node, mt_tensor** out) {
  return guard([&] {
    require_not_null(out, "out");
    mt_saved& s = saved_of(saved);
    SavedTensor copy;
    {
      std::lock_guard lock(s.lock);
      copy = s.tensor;
    }
    *out = return_handle(copy.unpack(node ? &node_of(node) : nullptr));
  });
}
mt_status* mt_saved_held(mt_saved* saved, mt_tensor** tensor, void** user, void** packed) {
  return guard([&] {
    mt_saved& s = saved_of(saved);
    std::lock_guard lock(s.lock);
    return_saved_contents(s.tensor, tensor, user, packed);
  });
}
mt_status* mt_saved_register_hooks(mt_saved* saved, const mt_saved_hooks* hooks, void* user) {
  return guard([&] { saved_of(saved).tensor.register_hooks(read_struct(hooks, "hooks"), user); });
}
void mt_saved_release(mt_saved* saved) { delete saved; }

mt_status* mt_saved_hooks_push(const mt_saved_hooks* hooks, void* user) {
  return guard([&] { push_saved_hooks(read_struct(hooks, "hooks"), user); });
}
mt_status* mt_saved_hooks_pop(void) {
  return guard([] { pop_saved_hooks(); });
}
mt_status* mt_saved_hooks_top_borrow(void** user) {
  return guard([&] {
    require_not_null(user, "user");
    *user = top_saved_hooks_user();
  });
}
mt_status* mt_saved_hooks_disable(const char* message, const char** old) {
  return guard([&] {
    const char* former = disable_saved_hooks(message);
    if (old) *old = former;
  });
}
