// Random numbers under vmap: an error, the same for all indices of the mapped dimension, or different ones.
#include <string_view>

#include "core/exception.h"
#include "mindtorch/op.h"
#include "vmap/call.h"

namespace mt {
namespace {

bool is_argument_false(const Call& c, const char* name) {
  const int i = c.op.schema.index_of(name);
  return i >= 0 && c.args[i].tag == MT_TAG_BOOL && !c.args[i].as.i;
}

bool any_batched(const BatchCall& c) {
  for (int8_t i : c.op.tensor_args)
    if (c.batch(i)) return true;
  return false;
}

[[noreturn]] void refuse_same() {
  fail("Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch");
}

Tensor select_first_index(const BatchCall& c, const Tensor& t) {
  const Tensor front = c.front(t);
  return c.size ? op<"select.int">(front, 0, 0) : op<"new_empty">(front, IntList(front.sizes().data + 1, front.dim() - 1));
}

std::vector<Value> copy_arguments(const BatchCall& c) { return {c.args, c.args + c.op.n_args}; }

// Calls the operator again at outer levels.
void call_outer_levels(const BatchCall& c, const Value* args) { call(c.op, args, c.rets); }

// Draws random numbers for one index of the mapped dimension and uses them for all.
void draw_once_for_all(const BatchCall& c) {
  const std::string_view name = c.op.schema.name;
  std::vector<Value> args = copy_arguments(c);
  if (!any_batched(c)) return call_outer_levels(c, args.data());
  for (int8_t i : c.op.tensor_args)
    if (i > 0 && c.batch(i)) refuse_same();
  const Tensor row = select_first_index(c, c.tensor(0));
  if (c.op.form == Form::inplace && name != "dropout_") {
    const Tensor sample = op<"empty_like">(row);
    args[0] = box(sample);
    Results<1> ignored;
    call(c.op, args.data(), ignored.values);
    op<"copy_">(c.front(0), sample);
    return c.set_result_to_self();
  }
  if (name.ends_with("_like")) {
    args[0] = box(row);
    return call_outer_levels(c, args.data());
  }
  if (c.op.base_name != "dropout") refuse_same();
  const Tensor factor = op<"dropout">(op<"ones_like">(row), args[1], args[2]);
  if (c.op.form != Form::inplace) return c.set_result(0, op<"mul">(c.front(0), factor));
  op<"mul_">(c.front(0), factor);
  c.set_result_to_self();
}

void draw_for_each_index(const BatchCall& c) {
  if (c.op.schema.mutates) {
    check(c.batch(0) != nullptr,
          "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If this is "
          "necessary "
          "for your usage, please file an issue with functorch.");
    return batch_aligned(c);
  }
  std::vector<Value> args = copy_arguments(c);
  if (c.op.tensor_args.empty()) {
    const int at = c.op.schema.index_of("size");
    if (at < 0) return batch_looped(c);
    Dims sizes{c.size};
    for (int64_t s : c.ints(at)) sizes.push_back(s);
    args[size_t(at)] = box(sizes);
    return c.call_and_wrap(args.data());
  }
  // Operators that count dimensions from the first one (whole channels, rows of probabilities) are called once per index of the mapped
  // dimension.
  const std::string& name = c.op.schema.name;
  const bool counts_dims = name.starts_with("feature_") || (name == "multinomial" && c.tensor(0).dim() != 1);
  std::vector<Tensor> inputs(args.size());
  int64_t rank = 0;
  for (int8_t i : c.op.tensor_args) rank = std::max(rank, c.has(i) ? c.tensor(i).dim() : 0);
  bool first = true;
  for (int8_t i : c.op.tensor_args) {
    if (!c.has(i)) continue;
    inputs[size_t(i)] = first ? make_batched(c.expanded(i), 0, c.level) : c.tensor(i);
    first = false;
    args[size_t(i)] = box(inputs[size_t(i)]);
  }
  const BatchCall batched(c.op, args.data(), c.rets, c.level, c.size);
  counts_dims ? batch_looped(batched) : batch_aligned(batched);
}

}  // namespace

bool is_random(const Call& c) {
  if (!(c.op.traits & MT_OP_RANDOM)) return false;
  if (is_argument_false(c, "train") || is_argument_false(c, "training")) return false;
  // dropout with p = 0 draws no random numbers
  const int p = c.op.schema.index_of("p");
  return !(p >= 0 && c.op.composite && c.args[p].tag == MT_TAG_DOUBLE && c.args[p].as.d == 0);
}

void batch_random(const BatchCall& c, Randomness randomness) {
  check(randomness != Randomness::error,
        "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on "
        "vmap or "
        "perform the randomness operation out of vmap");
  randomness == Randomness::same ? draw_once_for_all(c) : draw_for_each_index(c);
}

}  // namespace mt
