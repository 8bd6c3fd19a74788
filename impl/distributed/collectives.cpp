// Collectives of tensors, expressed as transfers of contiguous memory, which backends carry out.
#include <numeric>

#include "core/exception.h"
#include "dispatch/invoke.h"
#include "distributed/group.h"
#include "distributed/join.h"

namespace mt::dist {
namespace {

constexpr const char* kind_names[] = {"all_reduce",
                                      "reduce",
                                      "broadcast",
                                      "all_gather",
                                      "all_gather_single",
                                      "gather",
                                      "scatter",
                                      "reduce_scatter",
                                      "reduce_scatter_single",
                                      "all_to_all",
                                      "all_to_all_single",
                                      "send",
                                      "recv",
                                      "barrier",
                                      "monitored_barrier"};
// The tag of internal messages, beyond the range of users' tags.
constexpr int64_t own_tag = int64_t(1) << 40;

// ---- error messages -----------------------------------------------------------------------------------------------------

std::string shape_text(const Tensor& t) {
  std::string out = "(";
  for (int64_t i = 0; i < t.dim(); ++i) out += (i ? ", " : "") + std::to_string(t.size(i));
  return out + ")";
}
// The names of dtypes in torch's C++, which its options print.
std::string type_text(const Tensor& t) {
  std::string name = mt_dtype_name(int32_t(t.dtype()));
  if (name == "float32") name = "float";
  if (name == "float64") name = "double";
  if (name == "int64") name = "long int";
  if (name == "int32") name = "int";
  return text(
      "TensorOptions(dtype={}, device={}, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
      "memory_format=(nullopt))",
      name, t.device());
}

// ---- checks ---------------------------------------------------------------------------------------------------------

struct Checker {
  const Channel& channel;
  const Collective& what;
  const char* class_name;
  const char* name;

  void require_root() const {
    check(what.root >= 0 && what.root < channel.size(), "{}::{}: invalid root rank: {}", class_name, name, what.root);
  }
  void require_counts(size_t inputs, size_t outputs) const {
    check(what.inputs.size() == inputs && what.outputs.size() == outputs, ErrorKind::value,
          "{} takes {} inputs and {} outputs, not {} and {}", name, int64_t(inputs), int64_t(outputs), int64_t(what.inputs.size()),
          int64_t(what.outputs.size()));
  }
  void require_one_output() const { check(what.outputs.size() == 1, ErrorKind::value, "{} takes one output", name); }
  void require_one_input() const { check(what.inputs.size() == 1, ErrorKind::value, "{} takes one input", name); }
  void require_alike(const std::vector<Tensor>& tensors, const Tensor& pattern) const {
    for (size_t i = 0; i < tensors.size(); ++i) {
      check(tensors[i].dtype() == pattern.dtype(), "{}::{}: invalid tensor type at index {} (expected {}, got {})", class_name, name,
            int64_t(i), type_text(pattern), type_text(tensors[i]));
      check(tensors[i].sizes() == pattern.sizes(), "{}::{}: invalid tensor size at index {} (expected {}, got {})", class_name, name,
            int64_t(i), shape_text(pattern), shape_text(tensors[i]));
    }
  }
  void require_one_for_each_rank(const std::vector<Tensor>& tensors, const char* side, const Tensor& pattern) const {
    check(int64_t(tensors.size()) == channel.size(), "{}::{}: invalid {} tensor list at index 0 (expected length {}, got {})", class_name,
          name, side, channel.size(), int64_t(tensors.size()));
    require_alike(tensors, pattern);
  }
  void require_list_of_root(const std::vector<Tensor>& tensors, const char* side, const char* capital, const Tensor& pattern) const {
    check(int64_t(tensors.size()) == channel.size(),
          "{}::{}: Incorrect {} list size {}. {} list size should be {}, same as size of the process group.", class_name, name, side,
          int64_t(tensors.size()), capital, channel.size());
    require_alike(tensors, pattern);
  }
  void require_splits(const std::vector<int64_t>& splits, const Tensor& whole) const {
    const int64_t rows = whole.dim() ? whole.size(0) : 0;
    if (splits.empty()) {
      check(whole.dim() > 0 && rows % channel.size() == 0, "Tensor's dim 0 does not divide equally across group size");
      return;
    }
    check(int64_t(splits.size()) == channel.size(), "Number of tensor splits not equal to group size");
    int64_t sum = 0;
    for (const int64_t each : splits) {
      check(each >= 0 && each <= rows - sum, "Split sizes doesn't match total dim 0 size");
      sum += each;
    }
    check(sum == rows, "Split sizes doesn't match total dim 0 size");
  }
  void require_message(const Tensor& tensor, bool any) const {
    check(tensor.layout() == Layout::strided && tensor.is_contiguous(), "input tensor has to be contiguous");
    check(what.root < channel.size() && what.root >= (any ? -1 : 0), ErrorKind::value, "rank {} is not in a group of {}", what.root,
          channel.size());
    check(what.root != channel.rank(), "Pair is not connected (rank {} <--> rank {})", channel.rank(), what.root);
    check(what.tag >= 0 && what.tag < (int64_t(1) << 31), ErrorKind::value, "Tag must be nonnegative");
  }
  void require_strided(const std::vector<Tensor>& tensors) const {
    for (const Tensor& tensor : tensors)
      check(tensor.layout() == Layout::strided, ErrorKind::not_implemented, "{} has no {} of sparse tensors", channel.backend().name, name);
  }
};

// ---- memory ---------------------------------------------------------------------------------------------------------

// How elements are transferred: complex numbers as pairs of real ones.
struct Elements {
  Dtype dtype;
  int64_t factor;
};
Elements elements_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::complex32: return {Dtype::float16, 2};
    case Dtype::complex64: return {Dtype::float32, 2};
    case Dtype::complex128: return {Dtype::float64, 2};
    default: return {dtype, 1};
  }
}

// An alias without autograd history, with its own version counter.
Tensor detach_tensor(const Tensor& t) { return alias(t, false); }
Tensor flatten_tensor(const Tensor& t) {
  const Tensor own = detach_tensor(t);
  // Materialises pending conjugation and negation in new memory.
  if (own.is_conj() || own.is_neg()) return op<"contiguous">(op<"clone">(own));
  return own.is_contiguous() ? own : op<"contiguous">(own);
}
// Copies contiguous elements to a tensor of another shape, unless both tensors are the same memory.
void write_back(const Tensor& from, const Tensor& to) {
  if (from.data() != to.data()) op<"copy_">(detach_tensor(to), op<"view">(from, to.sizes()));
}
Tensor allocate_for_copies(const Tensor& t, int64_t count) { return empty({count * t.numel()}, t.dtype(), t.device()); }
Tensor view_part(const Tensor& whole, int64_t begin, const Tensor& shape) {
  const Dims strides = contiguous_strides(shape.sizes());
  return alias(whole, shape.sizes(), strides, whole.storage_offset() + begin);
}
// Copies tensors into one contiguous buffer.
Tensor copy_parts_to_whole(const std::vector<Tensor>& tensors) {
  int64_t count = 0;
  for (const Tensor& t : tensors) count += t.numel();
  Tensor out = empty({count}, tensors.front().dtype(), tensors.front().device());
  int64_t at = 0;
  for (const Tensor& t : tensors) {
    op<"copy_">(view_part(out, at, t), detach_tensor(t));
    at += t.numel();
  }
  return out;
}
void copy_whole_to_parts(const Tensor& whole, const std::vector<Tensor>& tensors) {
  int64_t at = 0;
  for (const Tensor& t : tensors) {
    op<"copy_">(detach_tensor(t), view_part(whole, at, t));
    at += t.numel();
  }
}

mt_transfer describe_transfer(const Call& call, int32_t kind, const Tensor& tensor, int64_t count) {
  mt_transfer out{};
  out.kind = kind;
  out.reduction = call.what.reduction == MT_AVERAGE ? MT_SUM : call.what.reduction;
  const Elements elements = elements_of(tensor.dtype());
  out.dtype = int32_t(elements.dtype);
  out.count = count * elements.factor;
  out.item_size = element_size(elements.dtype);
  out.root = call.what.root;
  out.timeout = call.what.timeout;
  return out;
}

void check_reduction(const Call& call, const Tensor& t) {
  const Elements elements = elements_of(t.dtype());
  check(elements.factor == 1 || call.what.reduction <= MT_AVERAGE, ErrorKind::value,
        "{} does not support this reduction on complex tensors", name_of_kind(call.what.kind));
  if (!call.channel.uses_streams()) join_function(call.what.reduction, elements.dtype);  // those of devices check for themselves
}
// Divides the sum by the number of ranks.
void finish_reduction(const Call& call, const Tensor& t) {
  if (call.what.reduction == MT_AVERAGE) op<"div_">(t, call.channel.size());
}

// ---- collectives by kind ------------------------------------------------------------------------------------------------

void all_reduce(Call& call) {
  for (const Tensor& tensor : call.what.outputs) {
    if (tensor.layout() == Layout::sparse_coo) {
      all_reduce_sparse(call, tensor);
      continue;
    }
    check_reduction(call, tensor);
    const Tensor own = flatten_tensor(tensor);
    mt_transfer what = describe_transfer(call, MT_ALL_REDUCE, own, own.numel());
    what.input = what.output = own.data();
    if (own.numel() > 0) transfer(call, what);
    finish_reduction(call, own);
    write_back(own, tensor);
  }
}

void run_reduce(Call& call) {
  const Tensor& tensor = call.what.outputs[0];
  check_reduction(call, tensor);
  const bool is_root = call.channel.rank() == call.what.root;
  // A backend may write to the input of other ranks: give it a copy, so that their tensors do not change.
  const Tensor own = is_root ? flatten_tensor(tensor) : op<"clone">(flatten_tensor(tensor));
  mt_transfer what = describe_transfer(call, MT_REDUCE, own, own.numel());
  what.input = what.output = own.data();
  if (own.numel() > 0) transfer(call, what);
  if (!is_root) return;
  finish_reduction(call, own);
  write_back(own, tensor);
}

void run_broadcast(Call& call) {
  for (const Tensor& tensor : call.what.outputs) {
    const Tensor own = flatten_tensor(tensor);
    mt_transfer what = describe_transfer(call, MT_BROADCAST, own, own.numel());
    what.input = what.output = own.data();
    if (own.numel() > 0) transfer(call, what);
    write_back(own, tensor);
  }
}

void all_gather(Call& call) { copy_whole_to_parts(gather_all(call, call.what.inputs[0]), call.what.outputs); }

void all_gather_single(Call& call) {
  const Tensor own = flatten_tensor(call.what.inputs[0]), &output = call.what.outputs[0];
  const Tensor room = output.is_contiguous() ? detach_tensor(output) : allocate_for_copies(own, call.channel.size());
  mt_transfer what = describe_transfer(call, MT_ALL_GATHER_SINGLE, own, own.numel());
  what.input = own.data();
  what.output = room.data();
  if (own.numel() > 0) transfer(call, what);
  write_back(room, output);
}

void run_gather(Call& call) {
  const Tensor own = flatten_tensor(call.what.inputs[0]);
  const bool is_root = call.channel.rank() == call.what.root;
  const Tensor room = is_root ? allocate_for_copies(own, call.channel.size()) : Tensor();
  mt_transfer what = describe_transfer(call, MT_GATHER, own, own.numel());
  what.input = own.data();
  what.output = is_root ? room.data() : nullptr;
  if (own.numel() > 0) transfer(call, what);
  if (is_root) copy_whole_to_parts(room, call.what.outputs);
}

void run_scatter(Call& call) {
  const Tensor& output = call.what.outputs[0];
  const bool is_root = call.channel.rank() == call.what.root;
  const Tensor whole = is_root ? copy_parts_to_whole(call.what.inputs) : Tensor();
  const Tensor room = output.is_contiguous() ? detach_tensor(output) : allocate_for_copies(output, 1);
  mt_transfer what = describe_transfer(call, MT_SCATTER, output, output.numel());
  what.input = is_root ? whole.data() : nullptr;
  what.output = room.data();
  if (output.numel() > 0) transfer(call, what);
  write_back(room, output);
}

void reduce_scatter_from(Call& call, const Tensor& whole) {
  const Tensor& output = call.what.outputs[0];
  check_reduction(call, output);
  const Tensor room = output.is_contiguous() ? detach_tensor(output) : allocate_for_copies(output, 1);
  mt_transfer what = describe_transfer(call, call.what.kind, output, output.numel());
  what.input = whole.data();
  what.output = room.data();
  if (output.numel() > 0) transfer(call, what);
  finish_reduction(call, room);
  write_back(room, output);
}
void reduce_scatter(Call& call) { reduce_scatter_from(call, copy_parts_to_whole(call.what.inputs)); }
void reduce_scatter_single(Call& call) { reduce_scatter_from(call, flatten_tensor(call.what.inputs[0])); }

void exchange_parts(Call& call, const Tensor& from, const Tensor& to, std::vector<int64_t> given, std::vector<int64_t> taken) {
  mt_transfer what = describe_transfer(call, MT_ALL_TO_ALL_SINGLE, from, 0);
  const int64_t factor = elements_of(from.dtype()).factor;
  for (int64_t& each : given) each *= factor;
  for (int64_t& each : taken) each *= factor;
  what.input = from.data();
  what.output = to.data();
  what.input_counts = given.data();
  what.output_counts = taken.data();
  transfer(call, what);
}

void all_to_all(Call& call) {
  const Tensor from = copy_parts_to_whole(call.what.inputs);
  std::vector<int64_t> given, taken;
  int64_t count = 0;
  for (const Tensor& t : call.what.inputs) given.push_back(t.numel());
  for (const Tensor& t : call.what.outputs) {
    taken.push_back(t.numel());
    count += t.numel();
  }
  const Tensor to = empty({count}, from.dtype(), from.device());
  exchange_parts(call, from, to, given, taken);
  copy_whole_to_parts(to, call.what.outputs);
}

void all_to_all_single(Call& call) {
  const Tensor &input = call.what.inputs[0], &output = call.what.outputs[0];
  const Tensor from = flatten_tensor(input);
  const Tensor to = output.is_contiguous() ? detach_tensor(output) : allocate_for_copies(output, 1);
  const auto counts = [&](const std::vector<int64_t>& splits, const Tensor& whole) {
    const int64_t rows = whole.size(0), row = rows ? whole.numel() / rows : 0;
    std::vector<int64_t> out(splits);
    if (out.empty()) out.assign(size_t(call.channel.size()), rows / call.channel.size());
    for (int64_t& each : out) each *= row;
    return out;
  };
  exchange_parts(call, from, to, counts(call.what.input_splits, input), counts(call.what.output_splits, output));
  write_back(to, output);
}

void barrier(Call& call) {
  mt_transfer what{};
  what.kind = MT_BARRIER;
  what.timeout = call.what.timeout;
  transfer(call, what);
}

// A send or receive over a channel with streams; other channels post messages.
void send_or_receive(Call& call) {
  const bool sends = call.what.kind == MT_SEND;
  const Tensor& tensor = sends ? call.what.inputs[0] : call.what.outputs[0];
  mt_transfer what = describe_transfer(call, call.what.kind, tensor, tensor.numel());
  what.tag = call.what.tag;
  what.input = what.output = tensor.data();
  if (tensor.numel() > 0) transfer(call, what);
}

// ---- monitored_barrier, which names missing ranks ------------------------------------------------------------------------

struct Message {
  Channel& channel;
  uint8_t byte = 0;
  void* request = nullptr;
  Message(Channel& c, int32_t kind, int peer, int64_t timeout) : channel(c) {
    mt_transfer what{};
    what.struct_size = sizeof what;
    what.kind = kind;
    what.dtype = MT_UINT8;
    what.root = peer;
    what.tag = own_tag;
    what.timeout = timeout;
    what.input = what.output = &byte;
    what.count = what.item_size = 1;
    request = channel.post(what);
  }
  Message(const Message&) = delete;
  ~Message() { channel.drop(request); }
  void wait(int64_t milliseconds) {
    int32_t source;
    channel.wait(request, milliseconds, &source);
  }
};

std::string text_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  }
}

void monitored_barrier(Call& call) {
  Channel& channel = call.channel;
  const int64_t timeout = call.what.timeout;
  if (channel.rank() != 0) {
    try {
      Message(channel, MT_SEND, 0, timeout).wait(timeout);
      Message(channel, MT_RECEIVE, 0, timeout).wait(timeout);
    } catch (const Error&) {
      fail(
          "Rank {} successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. Please check rank 0 "
          "logs for faulty rank.\n Original exception: \n{}",
          channel.rank(), text_of_current_exception());
    }
    return;
  }
  std::string missing;
  const bool names_all = call.what.flags & MT_WAIT_ALL_RANKS;
  for (int peer = 1; peer < channel.size(); ++peer) {
    try {
      Message(channel, MT_RECEIVE, peer, timeout).wait(timeout);
    } catch (const Error&) {
      if (!names_all)
        fail("[Rank 0]: Rank {} failed to pass monitoredBarrier in {} ms\n Original exception: \n{}", peer, timeout,
             text_of_current_exception());
      missing += (missing.empty() ? "" : ", ") + std::to_string(peer);
    }
  }
  check(missing.empty(), "[Rank 0]: Ranks {} failed to pass monitoredBarrier in {} ms", missing, timeout);
  for (int peer = 1; peer < channel.size(); ++peer) Message(channel, MT_SEND, peer, timeout).wait(timeout);
}

}  // namespace

const char* name_of_kind(int32_t kind) {
  return kind >= 0 && size_t(kind) < std::size(kind_names) ? kind_names[kind] : "an unknown collective";
}

void transfer(Call& call, mt_transfer what) {
  try {
    call.channel.run(what);
  } catch (...) {
    rethrow_with_name(call.name);
  }
}

Tensor gather_all(Call& call, const Tensor& mine) {
  const Tensor own = flatten_tensor(mine);
  Tensor room = allocate_for_copies(own, call.channel.size());
  mt_transfer what = describe_transfer(call, MT_ALL_GATHER_SINGLE, own, own.numel());
  what.input = own.data();
  what.output = room.data();
  if (own.numel() > 0) transfer(call, what);
  return room;
}

void check_collective(const Channel& channel, const Collective& what) {
  const char* texts[] = {"allreduce",     "reduce",  "broadcast",      "allgather",      "allgather",
                         "gather",        "scatter", "reduce_scatter", "reduce_scatter", "alltoall",
                         "alltoall_base", "send",    "recv",           "barrier",        "monitoredBarrier"};
  check(what.kind >= 0 && what.kind <= MT_MONITORED_BARRIER, ErrorKind::value, "{} is no kind of a collective", what.kind);
  const Checker checker{channel, what, channel.backend().class_name, texts[what.kind]};
  const DeviceType device = DeviceType(channel.backend().device_type);
  for (const auto* list : {&what.inputs, &what.outputs})
    for (const Tensor& tensor : *list)
      check(tensor.device().type == device, "No backend type associated with device type {}",
            mt_device_type_name(int32_t(tensor.device().type)));
  if (what.kind == MT_ALL_REDUCE) {
    check(!what.outputs.empty(), "{}::allreduce: requires non-empty tensor list", checker.class_name);
    for (const Tensor& tensor : what.outputs) {
      if (tensor.layout() != Layout::sparse_coo) checker.require_strided({tensor});
      check(tensor.layout() == Layout::strided || what.reduction == MT_SUM,
            "{}::allreduce: unsupported reduction operation (allreduce of sparse tensors only works with ReduceOp.SUM)",
            checker.class_name);
    }
    return;
  }
  checker.require_strided(what.inputs);
  checker.require_strided(what.outputs);
  const bool is_root = channel.rank() == what.root;
  switch (what.kind) {
    case MT_REDUCE:
      checker.require_root();
      checker.require_one_output();
      break;
    case MT_BROADCAST:
      checker.require_root();
      check(!what.outputs.empty(), ErrorKind::value, "broadcast takes a tensor");
      break;
    case MT_ALL_GATHER:
      checker.require_one_input();
      checker.require_one_for_each_rank(what.outputs, "output", what.inputs[0]);
      break;
    case MT_ALL_GATHER_SINGLE: {
      checker.require_counts(1, 1);
      const Tensor& output = what.outputs[0];
      // Splits the output into the rows of each rank as torch's chunk does.
      const auto rows = op<"chunk", std::vector<Tensor>>(detach_tensor(output), channel.size());
      checker.require_one_for_each_rank(rows, "output", what.inputs[0]);
      break;
    }
    case MT_GATHER:
      checker.require_root();
      checker.require_one_input();
      if (is_root) checker.require_list_of_root(what.outputs, "output", "Output", what.inputs[0]);
      break;
    case MT_SCATTER:
      checker.require_root();
      checker.require_one_output();
      if (is_root) checker.require_list_of_root(what.inputs, "input", "Input", what.outputs[0]);
      break;
    case MT_REDUCE_SCATTER:
      checker.require_one_output();
      checker.require_one_for_each_rank(what.inputs, "input", what.outputs[0]);
      break;
    case MT_REDUCE_SCATTER_SINGLE: {
      checker.require_counts(1, 1);
      const Tensor &input = what.inputs[0], &output = what.outputs[0];
      Dims sizes(1, int64_t(channel.size()));
      for (const int64_t size : output.sizes()) sizes.push_back(size);
      checker.require_alike({op<"select.int">(op<"view">(flatten_tensor(input), sizes), 0, 0)}, output);
      break;
    }
    case MT_ALL_TO_ALL:
      checker.require_counts(size_t(channel.size()), size_t(channel.size()));
      checker.require_alike(what.outputs, what.outputs[0]);
      checker.require_alike(what.inputs, what.inputs[0]);
      checker.require_alike({what.inputs[0]}, what.outputs[0]);
      break;
    case MT_ALL_TO_ALL_SINGLE:
      checker.require_counts(1, 1);
      checker.require_splits(what.output_splits, what.outputs[0]);
      checker.require_splits(what.input_splits, what.inputs[0]);
      check(what.inputs[0].dtype() == what.outputs[0].dtype(), "output tensor must have the same type as input tensor");
      break;
    case MT_SEND:
      checker.require_one_input();
      checker.require_message(what.inputs[0], false);
      break;
    case MT_RECEIVE:
      checker.require_one_output();
      checker.require_message(what.outputs[0], true);
      break;
    default: break;
  }
}

void run_collective(Call& call) {
  switch (call.what.kind) {
    case MT_ALL_REDUCE: return all_reduce(call);
    case MT_REDUCE: return run_reduce(call);
    case MT_BROADCAST: return run_broadcast(call);
    case MT_ALL_GATHER: return all_gather(call);
    case MT_ALL_GATHER_SINGLE: return all_gather_single(call);
    case MT_GATHER: return run_gather(call);
    case MT_SCATTER: return run_scatter(call);
    case MT_REDUCE_SCATTER: return reduce_scatter(call);
    case MT_REDUCE_SCATTER_SINGLE: return reduce_scatter_single(call);
    case MT_ALL_TO_ALL: return all_to_all(call);
    case MT_ALL_TO_ALL_SINGLE: return all_to_all_single(call);
    case MT_BARRIER: return barrier(call);
    case MT_SEND:
    case MT_RECEIVE: return send_or_receive(call);
    default: return monitored_barrier(call);
  }
}

}  // namespace mt::dist
