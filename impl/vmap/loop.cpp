// The generic rule: calls an operator once per index of the mapped dimension and stacks the results.
#include "core/exception.h"
#include "core/messages.h"
#include "dispatch/tensor_args.h"
#include "vmap/call.h"

namespace mt {
namespace {

// Selects `index` of the mapped dimension. If its size is 0, returns zeros, from which the results' shapes are computed.
Tensor select_index(const BatchCall& c, const Tensor& front, int64_t index) {
  if (c.size) return op<"select.int">(front, 0, index);
  return op<"new_zeros">(front, IntList(front.sizes().data + 1, front.dim() - 1));
}

struct ArgumentsOfIndex {
  const BatchCall& c;
  std::vector<Value> args;
  std::vector<Tensor> fronts;               // single arguments, by index; undefined if not batched
  std::vector<std::vector<Tensor>> lists;   // by index of a list argument; undefined if not batched
  std::vector<Tensor> singles;
  std::vector<std::vector<Tensor>> held;

  explicit ArgumentsOfIndex(const BatchCall& call) : c(call), args(call.args, call.args + call.op.n_args) {
    for (auto* by_argument : {&fronts, &singles}) by_argument->resize(args.size());
    for (auto* by_argument : {&lists, &held}) by_argument->resize(args.size());
    for (int8_t i : c.op.tensor_args) {
      if (c.batch(i)) fronts[size_t(i)] = c.front(i);
      if (!holds_tensor_list(args[size_t(i)])) continue;
      for (const Tensor& t : Unbox<TensorList>::from(args[size_t(i)])) lists[size_t(i)].push_back(c.batch(t) ? c.front(t) : Tensor());
    }
  }

  const Value* select(int64_t index) {
    for (int8_t arg : c.op.tensor_args) {
      const size_t i = size_t(arg);
      if (fronts[i].defined()) {
        singles[i] = select_index(c, fronts[i], index);
        args[i] = box(singles[i]);
      } else if (holds_tensor_list(c.args[i])) {
        TensorList given = Unbox<TensorList>::from(c.args[i]);
        held[i].assign(given.begin(), given.end());
        for (size_t k = 0; k < held[i].size(); ++k)
          if (lists[i][k].defined()) held[i][k] = select_index(c, lists[i][k], index);
        args[i] = list_value(c.args[i].tag, held[i].data(), int64_t(held[i].size()));
      }
    }
    return args.data();
  }
};

// Raises unless the tensors that the operator writes are batched, since every call of the loop writes.
void check_written(const BatchCall& c) {
  const std::string name = c.op.schema.ns + "::" + c.op.schema.name;
  for (int8_t i : c.op.tensor_args)
    if (c.op.schema.args[size_t(i)].mutated && c.has(i) && !holds_tensor_list(c.args[i])) check_written_is_batched(c, i, name.c_str());
}

Tensor stack_results(const BatchCall& c, const std::vector<Tensor>& parts) {
  if (!parts[0].defined()) return Tensor();
  Tensor whole = op<"stack">(parts, 0);
  return c.size ? whole : op<"slice.Tensor">(whole, 0, 0, 0, 1);
}

}  // namespace

void check_written_is_batched(const BatchCall& c, int arg, const char* name) {
  check(c.batch(arg) != nullptr,
        "vmap: {}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements than "
        "`self`. This "
        "happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. Please try to use out-of-place operators "
        "instead "
        "of {}. If said operator is being called inside the PyTorch framework, please file a bug report instead.",
        name, name);
}

void batch_looped(const BatchCall& c) {
  check_written(c);
  ArgumentsOfIndex arguments(c);
  const int64_t rounds = c.size ? c.size : 1;
  const size_t n_rets = size_t(c.op.n_rets);
  std::vector<std::vector<Tensor>> singles(n_rets);             // [result][index]
  std::vector<std::vector<std::vector<Tensor>>> lists(n_rets);  // [result][item][index]
  for (int64_t round = 0; round < rounds; ++round) {
    Results<8> results;
    check(n_rets <= 8, messages::has_too_many_results, c.op.schema.text);
    call(c.op, arguments.select(round), results.values);
    for (size_t r = 0; r < n_rets; ++r) {
      Value& v = results.values[r];
      if (holds_tensor_list(v)) {
        std::vector<Tensor> list;
        move_list_to(v, list);
        lists[r].resize(list.size());
        for (size_t k = 0; k < list.size(); ++k) lists[r][k].push_back(std::move(list[k]));
      } else {
        check(v.tag == MT_TAG_TENSOR || v.tag == MT_TAG_NONE, messages::batching_rule_not_implemented,
              c.op.schema.ns + "::" + c.op.schema.name);
        singles[r].push_back(v.tag == MT_TAG_TENSOR ? take_tensor(v) : Tensor());
      }
    }
  }
  if (c.op.form == Form::inplace) return c.set_result_to_self();
  for (size_t r = 0; r < n_rets; ++r) {
    if (!singles[r].empty()) {
      c.set_result(int(r), stack_results(c, singles[r]));
      continue;
    }
    std::vector<Tensor> list;
    for (const std::vector<Tensor>& parts : lists[r]) list.push_back(stack_results(c, parts));
    c.set_result_list(int(r), std::move(list));
  }
}

}  // namespace mt
