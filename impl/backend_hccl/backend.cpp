// The backend "hccl": the vendor's collectives of NPUs, as a plugin that sees the public headers. The vendor's library is loaded with the
// first group.
#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend_hccl/hccl.h"
#include "distributed/plugin.h"
#include "mindtorch/npu.h"

namespace mt::hccl {
namespace {

using plugin::guard, plugin::need_ok;

[[noreturn]] void fail(const std::string& text, const char* kind = "RuntimeError") { throw plugin::Failure{kind, text}; }

// ---- the vendor's library -------------------------------------------------------------------------------------------

struct Library {
#define MT_HCCL_FIELD(name, result, parameters) result(*name) parameters = nullptr;
  MT_HCCL_FUNCTIONS(MT_HCCL_FIELD)
#undef MT_HCCL_FIELD
  const char* (*recent_error)() = nullptr;
  int32_t (*copy)(void* to, size_t room, const void* from, size_t bytes, int32_t kind, void* stream) = nullptr;
};

// libhccl.so is in the folder of ACL's libraries; the simulator is one file with all functions.
Library load_vendor_library() {
  need_ok(mt_npu_load(nullptr));
  const std::string acl = mt_npu_library();
  void* runtime = dlopen(acl.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!runtime) fail(std::string("cannot load HCCL: ") + dlerror());
  void* handle = runtime;
  if (!dlsym(handle, "HcclGetRootInfo")) handle = dlopen((acl.substr(0, acl.rfind('/') + 1) + "libhccl.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) fail(std::string("cannot load HCCL: ") + dlerror());
  Library out;
  const auto read = [&](auto& field, const char* name) {
    field = reinterpret_cast<std::remove_reference_t<decltype(field)>>(dlsym(handle, name));
    if (!field) fail(std::string("HCCL has no ") + name);
  };
#define MT_HCCL_READ(name, result, parameters) read(out.name, #name);
  MT_HCCL_FUNCTIONS(MT_HCCL_READ)
#undef MT_HCCL_READ
  out.recent_error = reinterpret_cast<decltype(out.recent_error)>(dlsym(runtime, "aclGetRecentErrMsg"));
  out.copy = reinterpret_cast<decltype(out.copy)>(dlsym(runtime, "aclrtMemcpyAsync"));
  if (!out.copy) fail(acl + " has no aclrtMemcpyAsync");
  return out;
}
const Library& library() {
  static const Library loaded = load_vendor_library();
  return loaded;
}

std::string error_text(const char* call, HcclResult code) {
  std::string text = std::string("HCCL error: ") + call + " failed with code " + std::to_string(code) + " (" +
                     library().HcclGetErrorString(code) + ")";
  const char* detail = library().recent_error ? library().recent_error() : nullptr;
  return detail && *detail ? text + ": " + detail : text;
}
void check(const char* call, HcclResult code) {
  if (code != success) fail(error_text(call, code), "DistBackendError");
}
#define MT_HCCL(function, ...) check(#function, library().function(__VA_ARGS__))

// ---- communicators ------------------------------------------------------------------------------------------------------

class Group {
 public:
  explicit Group(const mt_group_options& options) : rank(options.rank), size(options.size), store_(options.store) {
    mt_store_retain(store_);
  }
  ~Group() {
    for (const auto& [name, comm] : comms_)
      if (comm) library().HcclCommDestroy(comm);  // nobody is left to report an error to
    mt_store_release(store_);
  }
  Group(const Group&) = delete;

  const int rank, size;
  // The communicator of the whole group on a device. The first call waits for the other ranks. Each rank may use another device, so the
  // name has the number of devices that this rank used before; ranks that use several must use them in the same order.
  HcclComm find_or_make_group_communicator(int device, int64_t timeout) {
    size_t number = 0;
    {
      std::lock_guard lock(mutex_);
      while (number < devices_.size() && devices_[number] != device) ++number;
      if (number == devices_.size()) devices_.push_back(device);
    }
    return find_or_make_communicator("group/" + std::to_string(number), rank, size, timeout);
  }
  // One of each pair's two communicators. Each direction has its own, so that two ranks may both send before they receive. The device is
  // not part of the name, because sender and receiver may use different ones; it is the device of the first message.
  HcclComm find_or_make_pair_communicator(int from, int to, int64_t timeout) {
    return find_or_make_communicator("message/" + std::to_string(from) + "/" + std::to_string(to), rank == from ? 0 : 1, 2, timeout);
  }
  void throw_async_error() {
    std::lock_guard lock(mutex_);
    for (const auto& [name, comm] : comms_) {
      HcclResult error = success;
      if (!comm) continue;
      check("HcclGetCommAsyncError", library().HcclGetCommAsyncError(comm, &error));
      if (error != success) fail(error_text("a collective", error), "DistBackendError");
    }
  }

 private:
  HcclComm find_or_make_communicator(const std::string& name, int rank_there, int ranks, int64_t timeout) {
    {
      std::lock_guard lock(mutex_);
      if (const auto found = comms_.find(name); found != comms_.end()) return found->second;
    }
    const HcclComm made = make_communicator(name, rank_there, ranks, timeout);
    std::lock_guard lock(mutex_);
    return comms_[name] = made;
  }
  std::string communicator_name(const std::string& name, int rank_there) const {
    if (name.starts_with("group/")) return std::to_string(rank_there);
    const std::string ends = name.substr(name.find('/') + 1);
    return rank_there == 0 ? ends.substr(0, ends.find('/')) : ends.substr(ends.find('/') + 1);
  }
  // Makes a communicator. Each rank first waits in the store until all have come, because the vendor's call does not accept our timeout.
  HcclComm make_communicator(const std::string& name, int rank_there, int ranks, int64_t timeout) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout);
    HcclRootInfo root{};
    if (rank_there == 0) MT_HCCL(HcclGetRootInfo, &root);
    const std::string own = "hccl/" + name + "/" + std::to_string(rank_there);
    need_ok(mt_store_set(store_, own.c_str(), root.internal, rank_there == 0 ? int64_t(sizeof root) : 0));
    for (int peer = 0; peer < ranks; ++peer) {
      const std::string key = "hccl/" + name + "/" + std::to_string(peer);
      const char* keys[] = {key.c_str()};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      try {
        need_ok(mt_store_wait(store_, keys, 1, std::max<int64_t>(left, 1)));
      } catch (const plugin::Failure& failure) {
        fail("HCCL: rank " + communicator_name(name, peer) + " did not join within " + std::to_string(timeout) + "ms: " + failure.text,
             "DistBackendError");
      }
    }
    if (rank_there != 0) {
      plugin::StoredValue found;
      need_ok(mt_store_get(store_, ("hccl/" + name + "/0").c_str(), &found.value));
      const bool fits = found.value.as.string.size == int64_t(sizeof root);
      if (fits) std::memcpy(root.internal, found.value.as.string.data, sizeof root);
      if (!fits) fail("the root info in the store is malformed", "DistStoreError");
    }
    HcclComm made = nullptr;
    MT_HCCL(HcclCommInitRootInfo, uint32_t(ranks), &root, uint32_t(rank_there), &made);
    return made;
  }

  mt_store* const store_;
  std::mutex mutex_;
  std::vector<int> devices_;  // in the order of their first use
  std::map<std::string, HcclComm> comms_;
};
Group& group_of(void* self) { return *static_cast<Group*>(self); }

// ---- data types and reductions --------------------------------------------------------------------------------------------

struct Elements {
  HcclDataType type;
  int64_t factor;  // HCCL's elements for each of ours
};

// How elements are transferred without arithmetic: types that HCCL lacks are moved as bytes.
Elements elements_of(const mt_transfer& what) {
  switch (what.dtype) {
    case MT_INT8: return {type_int8, 1};
    case MT_UINT8: return {type_uint8, 1};
    case MT_INT16: return {type_int16, 1};
    case MT_INT32: return {type_int32, 1};
    case MT_INT64: return {type_int64, 1};
    case MT_FLOAT16: return {type_float16, 1};
    case MT_BFLOAT16: return {type_bfloat16, 1};
    case MT_FLOAT32: return {type_float32, 1};
    case MT_FLOAT64: return {type_float64, 1};
    default: return {type_uint8, what.item_size};
  }
}

// The names of dtypes in torch_npu's error messages.
const char* name_of_dtype(int32_t dtype) {
  switch (dtype) {
    case MT_UINT8:
    case MT_BOOL: return "at::kByte/at::kBool";
    case MT_FLOAT64: return "at::kDouble";
    default: return mt_dtype_name(dtype);
  }
}

struct Reduction {
  HcclDataType type;
  HcclReduceOp op;
};
Reduction reduction_of(const mt_transfer& what) {
  constexpr const char* names[] = {"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"};
  const bool is_bool = what.dtype == MT_BOOL;
  HcclReduceOp op = reduce_sum;
  switch (what.reduction) {
    // Bools are the int8 numbers 0 and 1: their sum, as in torch, is whether any is true.
    case MT_SUM: op = is_bool ? reduce_maximum : reduce_sum; break;
    case MT_PRODUCT: op = is_bool ? reduce_minimum : reduce_product; break;
    case MT_MINIMUM: op = reduce_minimum; break;
    case MT_MAXIMUM: op = reduce_maximum; break;
    default: fail(std::string("Cannot use ReduceOp.") + names[what.reduction] + " with HCCL", "ValueError");
  }
  switch (what.dtype) {
    case MT_BOOL:
    case MT_INT8: return {type_int8, op};
    case MT_INT16: return {type_int16, op};
    case MT_INT32: return {type_int32, op};
    case MT_INT64: return {type_int64, op};
    case MT_FLOAT16: return {type_float16, op};
    case MT_BFLOAT16: return {type_bfloat16, op};
    case MT_FLOAT32: return {type_float32, op};
    default: break;
  }
  const bool is_all = what.kind == MT_ALL_REDUCE || what.kind == MT_REDUCE;
  fail(std::string("HCCL ") + (is_all ? "AllReduce & Reduce" : "ReduceScatter") + ": Unsupported data type " + name_of_dtype(what.dtype));
}

// ---- transfers --------------------------------------------------------------------------------------------------------------

void* as_mutable_pointer(const void* memory) { return const_cast<void*>(memory); }

// HCCL has no gather: the root receives from all ranks at once.
void gather_to_root(Group& group, const mt_transfer& what, HcclComm comm) {
  const Elements each = elements_of(what);
  const int64_t count = what.count * each.factor, bytes = what.count * what.item_size;
  if (group.rank != what.root) {
    HcclSendRecvItem item{item_send, as_mutable_pointer(what.input), uint64_t(count), each.type, uint32_t(what.root)};
    return MT_HCCL(HcclBatchSendRecv, &item, 1, comm, what.stream);
  }
  constexpr int32_t device_to_device = 3;
  check("aclrtMemcpyAsync", library().copy(static_cast<char*>(what.output) + what.root * bytes, size_t(bytes), what.input, size_t(bytes),
                                           device_to_device, what.stream));
  std::vector<HcclSendRecvItem> items;
  for (int peer = 0; peer < group.size; ++peer)
    if (peer != group.rank)
      items.push_back({item_receive, static_cast<char*>(what.output) + peer * bytes, uint64_t(count), each.type, uint32_t(peer)});
  if (!items.empty()) MT_HCCL(HcclBatchSendRecv, items.data(), uint32_t(items.size()), comm, what.stream);
}

void all_to_all(Group& group, const mt_transfer& what, HcclComm comm) {
  const Elements each = elements_of(what);
  std::vector<uint64_t> counts, offsets, output_counts, output_offsets;
  uint64_t at = 0, output_at = 0;
  for (int peer = 0; peer < group.size; ++peer) {
    counts.push_back(uint64_t(what.input_counts[peer] * each.factor));
    output_counts.push_back(uint64_t(what.output_counts[peer] * each.factor));
    offsets.push_back(at);
    output_offsets.push_back(output_at);
    at += counts.back();
    output_at += output_counts.back();
  }
  // Does not use HcclAlltoAll even if all counts are equal: on other ranks they may differ.
  MT_HCCL(HcclAlltoAllV, what.input, counts.data(), offsets.data(), each.type, what.output, output_counts.data(), output_offsets.data(),
          each.type, comm, what.stream);
}

void run_transfer(Group& group, const mt_transfer& what) {
  if (what.kind == MT_SEND || what.kind == MT_RECEIVE) {
    if (what.root < 0) fail("Backend hccl does not support recvAnysource");
    const bool sends = what.kind == MT_SEND;
    const Elements each = elements_of(what);
    const auto count = uint64_t(what.count * each.factor);
    const HcclComm comm = sends ? group.find_or_make_pair_communicator(group.rank, what.root, what.timeout)
                                : group.find_or_make_pair_communicator(what.root, group.rank, what.timeout);
    if (sends) return MT_HCCL(HcclSend, as_mutable_pointer(what.input), count, each.type, 1, comm, what.stream);
    return MT_HCCL(HcclRecv, what.output, count, each.type, 0, comm, what.stream);
  }
  const bool reduces = what.kind == MT_ALL_REDUCE || what.kind == MT_REDUCE || what.kind == MT_REDUCE_SCATTER ||
                       what.kind == MT_REDUCE_SCATTER_SINGLE;
  const Reduction reduction = reduces ? reduction_of(what) : Reduction{};
  const Elements each = elements_of(what);
  const auto count = uint64_t(what.count * each.factor);
  const HcclComm comm = group.find_or_make_group_communicator(what.device, what.timeout);
  void *input = as_mutable_pointer(what.input), *stream = what.stream;
  switch (what.kind) {
    case MT_ALL_REDUCE:
      return MT_HCCL(HcclAllReduce, what.output, what.output, uint64_t(what.count), reduction.type, reduction.op, comm, stream);
    case MT_REDUCE:
      return MT_HCCL(HcclReduce, what.output, what.output, uint64_t(what.count), reduction.type, reduction.op, uint32_t(what.root), comm,
                     stream);
    case MT_REDUCE_SCATTER:
    case MT_REDUCE_SCATTER_SINGLE:
      return MT_HCCL(HcclReduceScatter, input, what.output, uint64_t(what.count), reduction.type, reduction.op, comm, stream);
    case MT_BROADCAST: return MT_HCCL(HcclBroadcast, what.output, count, each.type, uint32_t(what.root), comm, stream);
    case MT_ALL_GATHER_SINGLE: return MT_HCCL(HcclAllGather, input, what.output, count, each.type, comm, stream);
    case MT_GATHER: return gather_to_root(group, what, comm);
    case MT_SCATTER: return MT_HCCL(HcclScatter, input, what.output, count, each.type, uint32_t(what.root), comm, stream);
    case MT_ALL_TO_ALL_SINGLE: return all_to_all(group, what, comm);
    case MT_BARRIER: return MT_HCCL(HcclBarrier, comm, stream);
    default: fail("hccl has no transfer of kind " + std::to_string(what.kind), "NotImplementedError");
  }
}

mt_status* create_group(void*, const mt_group_options* options, void** self) {
  return guard([&] {
    library();
    *self = new Group(*options);
  });
}
void destroy_group(void*, void* self) { delete &group_of(self); }
mt_status* run_collective(void*, void* self, const mt_transfer* what) {
  return guard([&] { run_transfer(group_of(self), *what); });
}
mt_status* async_error(void*, void* self) {
  return guard([&] { group_of(self).throw_async_error(); });
}
// Does nothing: the library aborts the streams itself, which ends all waits.
void abort_streams_only(void*, void*) {}

}  // namespace
}  // namespace mt::hccl

extern "C" MT_API mt_status* mindtorch_backend_plugin(mt_status* (*)(int32_t, int32_t, int32_t*, const mt_api**)) {
  using namespace mt::hccl;
  mt_backend table{};
  table.struct_size = sizeof table;
  table.name = "hccl";
  table.class_name = "ProcessGroupHCCL";
  table.device_type = MT_NPU;
  table.create = create_group;
  table.destroy = destroy_group;
  table.run = run_collective;
  table.abort = abort_streams_only;
  table.async_error = async_error;
  return mt_backend_register(&table);
}
