// Runs formulas on the values that the forward call saved.
#include "autograd/op_node.h"

#include <algorithm>
#include <memory>

#include "autograd/engine.h"
#include "core/exception.h"
#include "core/sparse.h"
#include "dispatch/tensor_args.h"

namespace mt {
namespace {

template <class T, int Inline>
class Scratch {  // n default-constructed items; a few need no allocation
 public:
  explicit Scratch(size_t n) : heap_(n > Inline ? new T[n] : nullptr) {}
  T& operator[](size_t i) { return heap_ ? heap_[i] : inline_[i]; }
  T* data() { return heap_ ? heap_.get() : inline_; }

 private:
  T inline_[Inline];
  std::unique_ptr<T[]> heap_;
};

void unpack_saved_slot(OpNode& node, size_t i, FormulaItem& out) {
  const SavedPlan& plan = node.info.slots[i];
  SavedSlot& slot = node.slots[i];
  if (plan.source == SavedItem::Source::argument_meta) {
    if (slot.metas) out.metas = {slot.metas->data(), int64_t(slot.metas->size())};
    return;
  }
  if (!plan.is_tensor) {
    out.value = slot.value;
    return;
  }
  if (plan.is_list) {
    std::vector<SavedTensor> copies;
    {
      std::lock_guard guard(node.lock);
      if (slot.tensors) copies = *slot.tensors;
    }
    for (const SavedTensor& saved : copies) out.tensors.push_back(saved.unpack(&node, node.copy_slices));
    out.value = box_optional(out.tensors);
    return;
  }
  SavedTensor copy;
  {
    std::lock_guard guard(node.lock);
    copy = slot.tensor;
  }
  out.tensor = copy.unpack(&node, node.copy_slices);
  out.value = box(out.tensor);
}

bool edge_leads_to_complex(const OpNode& node, int e) {
  if (e < 64) return node.complex_edges >> e & 1;
  const Edge& edge = node.edges[e];
  return edge && is_complex(edge.node->inputs[edge.nr].dtype);
}

void run_foreign_derivative(OpNode& node, Tensor* grads, Tensor* out) {
  const OpAutograd& info = node.info;
  const size_t n_args = size_t(info.op->n_args), n_rets = size_t(info.op->n_rets);
  std::vector<FormulaItem> items(n_args + n_rets);
  std::vector<Value> values, grad_values, answers(n_args, none_value());
  for (size_t i = 0; i < items.size(); ++i) {
    unpack_saved_slot(node, i, items[i]);
    values.push_back(items[i].value);
  }
  for (int i = 0; i < node.n_inputs; ++i) grad_values.push_back(box(grads[i]));
  mt_status* status = info.foreign(info.user, reinterpret_cast<const mt_op*>(info.op), grad_values.data(), node.n_inputs, values.data(),
                                   int64_t(n_args), values.data() + n_args, int64_t(n_rets), answers.data());
  std::vector<std::vector<Tensor>> taken(n_args);
  for (size_t i = 0; i < n_args; ++i) {
    Value& answer = answers[i];
    if (answer.tag == MT_TAG_TENSOR && answer.as.tensor && reinterpret_cast<TensorImpl*>(answer.as.tensor)->kind == Kind::tensor)
      taken[i].push_back(Unbox<Tensor>::from(answer));
    if (holds_tensor_list(answer))
      for (const Tensor& t : Unbox<TensorList>::from(answer)) taken[i].push_back(t);
    if (answer.flags & MT_FLAG_OWNED) clear(answer);
  }
  rethrow_status(status);
  for (size_t t = 0; t < info.targets.size(); ++t) {
    const size_t arg = size_t(info.targets[t].arg);
    const int first = node.first_edge[int64_t(t)];
    for (size_t i = 0; i < taken[arg].size() && first + int(i) < node.first_edge[int64_t(t) + 1]; ++i) out[first + int(i)] = taken[arg][i];
  }
}

}  // namespace

SavedSlot::~SavedSlot() {
  delete tensors;
  delete metas;
  clear(value);
}

TensorMeta make_tensor_meta(const Tensor& tensor) {
  TensorMeta meta;
  if (!tensor.defined()) {
    meta.defined = false;
    return meta;
  }
  meta.sizes = tensor->sizes;
  meta.strides = tensor->strides;
  meta.layout = tensor.layout();
  if (has_blocks(meta.layout))
    if (const auto block = block_of(tensor)) std::copy(block->begin(), block->end(), meta.block);
  meta.storage_offset = tensor.storage_offset();
  meta.dtype = tensor.dtype();
  meta.device = tensor.device();
  return meta;
}

OpNode::OpNode(const OpAutograd& op_info, char* memory)
    : Node(op_info.node_name.c_str()), info(op_info), slots(reinterpret_cast<SavedSlot*>(memory)) {
  for (size_t i = 0; i < info.slots.size(); ++i) new (slots + i) SavedSlot();
}

OpNode::~OpNode() {
  for (size_t i = 0; i < info.slots.size(); ++i) slots[i].~SavedSlot();
}

Ref<OpNode> OpNode::make(const OpAutograd& info, int n_edges, int n_inputs) {
  return NodeMaker::make<OpNode>(n_edges, n_inputs, sizeof(SavedSlot) * info.slots.size(), info);
}

void OpNode::save(int index, const Value& value, bool is_output) {
  const SavedPlan& plan = info.slots[size_t(index)];
  SavedSlot& slot = slots[index];
  saved_mask |= uint64_t(1) << index;
  const bool is_list = holds_tensor_list(value);
  if (plan.source == SavedItem::Source::argument_meta) {
    slot.metas = new std::vector<TensorMeta>();
    if (is_list)
      for (const Tensor& t : Unbox<TensorList>::from(value)) slot.metas->push_back(make_tensor_meta(t));
    else
      slot.metas->push_back(make_tensor_meta(value.tag == MT_TAG_TENSOR ? Unbox<Tensor>::from(value) : Tensor()));
  } else if (!plan.is_tensor) {
    slot.value = own(value);
  } else if (is_list) {
    slot.tensors = new std::vector<SavedTensor>();
    for (const Tensor& t : Unbox<TensorList>::from(value)) slot.tensors->emplace_back(t, is_output);
  } else if (value.tag == MT_TAG_TENSOR) {
    slot.tensor = SavedTensor(Unbox<Tensor>::from(value), is_output);
  }
}

void run_formulas(const OpAutograd& info, const FormulaItem* items, uint64_t wanted_targets, const Small<int32_t, 6>& first_edge,
                  const Tensor* grads, int n_grads, Tensor* out) {
  std::vector<Tensor> results;
  for (const FormulaPlan& plan : info.formulas) {
    Wanted wanted;
    for (int64_t k = 0; k < plan.targets.size(); ++k)
      if (plan.targets[k] >= 0 && wanted_targets >> plan.targets[k] & 1) wanted.bits |= uint64_t(1) << k;
    if (!wanted.bits) continue;
    const size_t n = size_t(plan.slots.size());
    Scratch<const Value*, 12> values(n);
    Scratch<const List<TensorMeta>*, 12> metas(n);
    for (size_t k = 0; k < n; ++k) {
      const FormulaItem& item = items[size_t(plan.slots[int64_t(k)])];
      values[k] = &item.value;
      metas[k] = &item.metas;
    }
    results.clear();
    plan.formula->run({grads, n_grads, values.data(), metas.data(), wanted, info.op->form == Form::inplace}, &results);
    size_t at = 0;
    for (int64_t k = 0; k < plan.targets.size(); ++k) {
      const int t = plan.targets[k];
      const int first = t < 0 ? 0 : first_edge[t], last = t < 0 ? 1 : first_edge[t + 1];
      for (int e = first; e < last && at < results.size(); ++e, ++at)
        if (t >= 0) out[e] = std::move(results[at]);
    }
    check(at == results.size(), "{}: a formula gave {} gradients for other targets", info.node_name, int64_t(results.size()));
  }
}

void OpNode::run(Tensor* grads, Tensor* out) {
  bool any = false;
  for (int i = 0; i < n_inputs; ++i) any |= grads[i].defined();
  if (!any) return;
  if (info.foreign) {
    run_foreign_derivative(*this, grads, out);
  } else {
    uint64_t wanted_targets = 0, needed = 0;
    for (size_t t = 0; t < info.targets.size(); ++t) {
      bool wanted = false;
      for (int e = first_edge[int64_t(t)]; e < first_edge[int64_t(t) + 1] && !wanted; ++e) wanted = wants(e);
      if (!wanted) continue;
      wanted_targets |= uint64_t(1) << t;
      needed |= info.targets[t].slots;
    }
    Scratch<FormulaItem, 4> items(info.slots.size());
    for (uint64_t rest = needed; rest; rest &= rest - 1) {
      size_t i = size_t(__builtin_ctzll(rest));
      unpack_saved_slot(*this, i, items[i]);
    }
    const uint32_t recorded = info.recorded_results();
    const bool is_prefix = info.list_result || (recorded & (recorded + 1)) == 0;
    const int n_grads = is_prefix ? n_inputs : info.op->n_rets;
    TensorArray by_result(is_prefix ? 0 : n_grads);
    if (!is_prefix)
      for (uint32_t rest = recorded, nr = 0; rest; rest &= rest - 1) by_result[__builtin_ctz(rest)] = std::move(grads[nr++]);
    run_formulas(info, items.data(), wanted_targets, first_edge, is_prefix ? grads : by_result.data(), n_grads, out);
  }
  for (int e = 0; e < n_edges; ++e)
    if (out[e].defined() && is_complex(out[e].dtype()) && !edge_leads_to_complex(*this, e)) out[e] = op<"real">(out[e]);
}

void OpNode::release_saved() {
  for (uint64_t rest = saved_mask; rest; rest &= rest - 1) {
    const size_t i = size_t(__builtin_ctzll(rest));
    if (!info.slots[i].is_tensor || info.slots[i].source == SavedItem::Source::argument_meta) continue;
    SavedTensor released;  // freed after the lock is released
    std::vector<SavedTensor> released_list;
    std::lock_guard guard(lock);
    released = slots[i].tensor.take();
    if (slots[i].tensors)
      for (SavedTensor& saved : *slots[i].tensors) released_list.push_back(saved.take());
  }
}

Value OpNode::saved_value(int64_t i) {
  const SavedPlan& plan = info.slots[size_t(i)];
  if (plan.source == SavedItem::Source::argument_meta && slots[i].metas) {
    return plan.is_list ? none_value() : own(box((*slots[i].metas)[0].sizes));
  }
  FormulaItem item;
  unpack_saved_slot(*this, size_t(i), item);
  return own(item.value);
}

SavedTensor* OpNode::saved_tensor(int64_t i) {
  const SavedPlan& plan = info.slots[size_t(i)];
  return plan.is_tensor && !plan.is_list && plan.source != SavedItem::Source::argument_meta ? &slots[i].tensor : nullptr;
}

int32_t OpNode::traverse(VisitFn, void*, Reachable& next) const {
  for (size_t i = 0; i < info.slots.size(); ++i) {
    const Tensor& t = slots[i].tensor.data();
    if (t.defined() && t->use_count() == 1) next.tensors.push_back(t.get());
  }
  return 0;
}

}  // namespace mt
