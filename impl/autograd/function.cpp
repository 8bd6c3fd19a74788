// Processes a custom function's outputs as torch does: returned inputs, inputs written in place, views, and constants.
#include "autograd/function.h"

#include "autograd/saved.h"
#include "core/exception.h"

namespace mt {
namespace {

// Copies only the part of the table that the caller's version has.
mt_function_vtable copy_known_fields(const mt_function_vtable& given) {
  mt_function_vtable table{};
  std::memcpy(&table, &given, given.struct_size < sizeof(table) ? given.struct_size : sizeof(table));
  return table;
}

Tensor view_of_itself(const Tensor& t) {
  if ((t.keys() | thread_state.included) & ~thread_state.excluded & key_bit(Key::python)) {
    GradMode no_grad(false);
    return op<"view">(t, t.sizes());
  }
  Tensor view = alias(t, /*share_version=*/true);
  make_view(t, view, CreationMeta::no_grad_mode, {});
  return view;
}

void tie_output(const Ref<Node>& node, Tensor& var, uint32_t nr, bool is_input, const OutputFlags& flags, bool differentiable,
                int64_t n_outputs) {
  if (!differentiable) {
    if (!requires_grad(var)) {
      if (is_input && !flags.dirty) var = view_of_itself(var);
      return;
    }
    if (is_input)
      var = detached_alias(var);
    else if (!is_view(var))
      detach_inplace(var);
    return;
  }
  if (flags.dirty) {
    check(!(requires_grad(var) && is_leaf(var)), "a leaf Variable that requires grad has been used in an in-place operation.");
    check_inplace(var);
    var.bump_version();
    if (!is_input)
      warn(
          "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no need to "
          "pass it to mark_dirty().");
    check(!is_view(var) || n_outputs <= 1,
          "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
          "more than one Tensor. "
          "This is not supported by the current autograd engine. You should either make sure the input is not a view "
          "(using .clone() for "
          "example) or make your Function only return one Tensor (potentially splitting it into two Functions: one "
          "doing the inplace that "
          "returns a single Tensor and a second one that does the other operations). You can ask on the forum "
          "https://discuss.pytorch.org/ if you need help to do this change.");
    if (AutogradMeta* meta = meta_of(var)) meta->grad.reset();
    if (is_view(var))
      rebase_history(var, node, node->n_edges > 0);
    else
      set_history(var, node, nr);
    return;
  }
  if (is_input) var = view_of_itself(var);
  set_history(var, node, nr);
}

}  // namespace

FunctionNode::FunctionNode(const char* function_name, const mt_function_vtable& functions, void* function_user, char*)
    : Node(""), owned_name(function_name), vtable(copy_known_fields(functions)), user(function_user) {
  name = owned_name.c_str();
}
FunctionNode::~FunctionNode() {
  if (vtable.destroy) vtable.destroy(user);
}

void FunctionNode::run(Tensor* grads, Tensor* out) {
  // Lets the C function write owned handles to `out`: Ref and mt_tensor* have the same representation.
  rethrow_status(vtable.apply(user, node_handle(this), reinterpret_cast<mt_tensor* const*>(grads), n_inputs,
                              reinterpret_cast<mt_tensor**>(out), n_edges));
}
void FunctionNode::release_saved() {
  if (vtable.release_saved) vtable.release_saved(user);
}
int32_t FunctionNode::traverse(VisitFn visit, void* argument, Reachable&) const {
  return vtable.traverse ? vtable.traverse(user, visit, argument) : 0;
}

void wrap_outputs(const Ref<Node>& node, bool needed, const Tensor* inputs, int64_t n_inputs, Tensor* outputs, const OutputFlags* flags,
                  int64_t n_outputs) {
  if (needed) node->set_inputs(int(n_outputs));
  int64_t n_differentiable = 0;
  for (int64_t i = 0; i < n_outputs; ++i) {
    Tensor& var = outputs[i];
    if (!var.defined()) continue;
    bool is_input = false;
    for (int64_t k = 0; k < n_inputs && !is_input; ++k) is_input = inputs[k] == var;
    const bool differentiable = needed && !flags[i].non_differentiable && is_differentiable(var.dtype());
    n_differentiable += differentiable;
    if (needed) node->describe_input(int(i), var);
    tie_output(node, var, uint32_t(i), is_input, flags[i], differentiable, n_outputs);
    if (!(is_input && flags[i].dirty) && is_view(var)) meta_of(var)->view->creation = CreationMeta::in_custom_function;
  }
  if (n_differentiable <= 1) return;
  for (int64_t i = 0; i < n_outputs; ++i)
    if (outputs[i].defined() && is_view(outputs[i]) && !flags[i].dirty)
      meta_of(outputs[i])->view->creation = CreationMeta::multi_output_node;
}

}  // namespace mt
