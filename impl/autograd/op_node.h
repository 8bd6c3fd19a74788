// The node of an operator with formulas, and what the registry precomputes for such nodes.
#pragma once

#include "autograd/saved.h"
#include "dispatch/operator.h"

namespace mt {

// A tensor argument that can receive a gradient.
struct TargetArg {
  int8_t arg;
  bool is_list;
  uint64_t slots = 0;  // bits of the slots that this argument's formulas use
};
// A value that formulas use; saved at most once per call.
struct SavedPlan {
  const char* name;
  SavedItem::Source source;
  int8_t index;  // index of the argument or result
  bool is_tensor, is_list;
  std::string public_name;  // "self", "self_sym_sizes"
};
struct FormulaPlan {
  const Formula* formula;
  Small<int8_t, 8> targets;  // one per target of the formula: index into OpAutograd::targets; -1 if it is no tensor in this overload
  Small<int8_t, 8> slots;  // one per item: index into OpAutograd::slots
};
struct OpAutograd {
  const Operator* op = nullptr;
  std::string node_name;
  std::vector<TargetArg> targets;
  std::vector<FormulaPlan> formulas;
  std::vector<SavedPlan> slots;
  std::vector<int8_t> plain_tensors;  // tensor arguments without a formula
  const Formula* jvp = nullptr;       // forward mode's own formula, and the items that it reads
  std::vector<SavedPlan> jvp_items;
  uint64_t argument_slots = 0;        // bits of the slots that are filled before the call
  uint32_t differentiable_results = 0;
  bool not_implemented = false;  // there is no formula
  bool list_result = false;
  Slot body;  // for a composite out= form: the body that runs after gradients were refused
  // ---- for operators that return views
  int8_t viewed = -1;  // the argument of which the results are views
  bool differentiable_view = true;
  // ---- for derivatives registered through the C ABI
  const OpAutograd* before = nullptr;  // the entry that this one replaced
  mt_derivative_fn foreign = nullptr;
  void* user = nullptr;
  void (*destroy)(void*) = nullptr;

  // The results that are outputs of the node, in their order; the others have no gradients.
  uint32_t recorded_results() const { return differentiable_results & uint32_t((uint64_t(1) << op->n_rets) - 1); }
};

struct SavedSlot {
  SavedTensor tensor;
  std::vector<SavedTensor>* tensors = nullptr;  // owned
  Value value = none_value();                   // owned
  std::vector<TensorMeta>* metas = nullptr;     // owned
  SavedSlot() = default;
  SavedSlot(const SavedSlot&) = delete;
  SavedSlot& operator=(const SavedSlot&) = delete;
  ~SavedSlot();
};

struct OpNode : Node {
  OpNode(const OpAutograd& op_info, char* memory);
  ~OpNode() override;
  static Ref<OpNode> make(const OpAutograd& info, int n_edges, int n_inputs);

  void run(Tensor* grads, Tensor* out) override;
  void release_saved() override;
  int64_t saved_count() const override { return int64_t(info.slots.size()); }
  const char* saved_name(int64_t i) const override { return info.slots[size_t(i)].public_name.c_str(); }
  Value saved_value(int64_t i) override;
  SavedTensor* saved_tensor(int64_t i) override;
  int32_t traverse(VisitFn visit, void* argument, Reachable& next) const override;

  void save(int slot, const Value& value, bool is_output);

  const OpAutograd& info;
  SavedSlot* slots;
  Small<int32_t, 6> first_edge;  // one per target, and one past the last
  uint64_t complex_edges = 0;    // bits for the first 64 edges
  uint64_t saved_mask = 0;       // bits of the filled slots
  Node* copy_slices = nullptr;   // the node that wraps this one, for writes to a view
};

TensorMeta make_tensor_meta(const Tensor& tensor);

// A saved value in the form that formulas read; `value` may point into the other fields.
struct FormulaItem {
  Value value = none_value();
  Tensor tensor;
  std::vector<Tensor> tensors;
  List<TensorMeta> metas;
  std::vector<TensorMeta> own_metas;
};
// Runs the formulas of the targets that need a gradient: a bit each in wanted_targets. items: one per slot; first_edge: one per target, and
// one past the last; out: one per edge.
void run_formulas(const OpAutograd& info, const FormulaItem* items, uint64_t wanted_targets, const Small<int32_t, 6>& first_edge,
                  const Tensor* grads, int n_grads, Tensor* out);

}  // namespace mt
