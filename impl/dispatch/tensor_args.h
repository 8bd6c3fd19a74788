// Visits the tensors among boxed values.
#pragma once

#include <vector>

#include "dispatch/operator.h"
#include "dispatch/value.h"

namespace mt {

inline bool holds_tensor_list(const Value& v) { return v.tag == MT_TAG_TENSORS || v.tag == MT_TAG_OPTIONAL_TENSORS; }

// Whether the operator changes a tensor's sizes and strides but not its elements: the in-place form of a view.
inline bool changes_view_geometry(const Operator& op) { return op.form == Form::inplace && op.functional->schema.is_view; }

// A list of index tensors, some of which may be undefined.
inline Value box_optional(TensorList l) { return list_value(MT_TAG_OPTIONAL_TENSORS, l.data, l.count); }
inline Value box_optional(const std::vector<Tensor>& l) { return list_value(MT_TAG_OPTIONAL_TENSORS, l.data(), int64_t(l.size())); }

// Calls visit(tensor) for a tensor, or for each tensor of a list, undefined ones included.
template <class F>
void for_each_tensor(const Value& v, F&& visit) {
  if (v.tag == MT_TAG_TENSOR) return visit(Unbox<Tensor>::from(v));
  if (holds_tensor_list(v))
    for (const Tensor& t : Unbox<TensorList>::from(v)) visit(t);
}

// Calls visit(tensor) for each defined tensor among a call's arguments.
template <class F>
void for_each_tensor(const Operator& op, const Value* args, F&& visit) {
  for (int8_t i : op.tensor_args)
    for_each_tensor(args[i], [&](const Tensor& t) {
      if (t.defined()) visit(t);
    });
}

// A call's arguments with each tensor replaced by replace(tensor, argument's index); owns what the values refer to.
struct ReplacedTensors {
  Small<Value, 16> args;
  std::vector<Tensor> singles;
  std::vector<std::vector<Tensor>> lists;

  template <class F>
  ReplacedTensors(const Call& call, F&& replace) : args(List<Value>(call.args, call.op.n_args)) {
    singles.reserve(call.op.tensor_args.size());
    lists.reserve(call.op.tensor_args.size());
    for (int8_t i : call.op.tensor_args) {
      if (args[i].tag == MT_TAG_TENSOR) {
        singles.push_back(replace(Unbox<Tensor>::from(args[i]), i));
        args[i] = box(singles.back());
      } else if (holds_tensor_list(args[i])) {
        const int32_t tag = args[i].tag;
        std::vector<Tensor>& list = lists.emplace_back();
        for (const Tensor& t : Unbox<TensorList>::from(args[i])) list.push_back(replace(t, i));
        args[i] = box(TensorList(list.data(), int64_t(list.size())));
        args[i].tag = tag;
      }
    }
  }
};

}  // namespace mt
