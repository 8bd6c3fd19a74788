// The simulator's Hccl entry points: collectives of several processes, as tasks of streams. Reductions run in the order of the ranks, so
// all ranks get the same bits.
#include <mindtorch/mindtorch.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "npu_sim/mesh.h"
#include "npu_sim/simulator.h"

#define MT_EXPORT extern "C" __attribute__((visibility("default")))

using namespace mt;
using namespace mt::npu_sim;

namespace {

struct Comm {
  explicit Comm(std::unique_ptr<Mesh> m) : mesh(std::move(m)) {}
  const std::unique_ptr<Mesh> mesh;
  std::mutex turn;  // held during a task
  std::mutex mutex;
  HcclResult error = hccl::success;
  std::string text;
};
struct Comms {
  std::mutex mutex;
  std::map<void*, std::shared_ptr<Comm>> all;
};
Comms& comms() {
  static auto* const all = new Comms();
  return *all;
}
std::shared_ptr<Comm> find_comm(HcclComm handle) {
  std::lock_guard lock(comms().mutex);
  const auto found = comms().all.find(handle);
  return found == comms().all.end() ? nullptr : found->second;
}

HcclResult report_error(HcclResult code, const std::string& text) {
  set_error_text(text);
  return code;
}
#define MT_ENTER_HCCL(call) \
  if (const HcclResult fault = enter(#call, hccl::error_internal); fault != hccl::success) return fault

// Reads a timeout from one of CANN's environment variables, which state seconds.
Mesh::Deadline deadline_of(const char* variable, int64_t otherwise) {
  const char* text = std::getenv(variable);
  const int64_t seconds = text && *text ? std::strtoll(text, nullptr, 10) : otherwise;
  return std::chrono::steady_clock::now() + std::chrono::seconds(std::min<int64_t>(std::max<int64_t>(seconds, 0), 1 << 20));
}
Mesh::Deadline connect_deadline() { return deadline_of("HCCL_CONNECT_TIMEOUT", 120); }
Mesh::Deadline task_deadline() { return deadline_of("HCCL_EXEC_TIMEOUT", 1836); }

size_t size_of(HcclDataType type) {
  switch (type) {
    case hccl::type_int8:
    case hccl::type_uint8: return 1;
    case hccl::type_int16:
    case hccl::type_uint16:
    case hccl::type_float16:
    case hccl::type_bfloat16: return 2;
    case hccl::type_int32:
    case hccl::type_uint32:
    case hccl::type_float32: return 4;
    case hccl::type_int64:
    case hccl::type_uint64:
    case hccl::type_float64: return 8;
    default: return 0;
  }
}

template <HcclReduceOp op>
void join_int16(void* out, const void* a, const void* b, size_t count) {
  const auto *left = static_cast<const int16_t*>(a), *right = static_cast<const int16_t*>(b);
  for (size_t i = 0; i < count; ++i) {
    const int x = left[i], y = right[i];
    const int joined = op == hccl::reduce_sum       ? x + y
                       : op == hccl::reduce_product ? x * y
                       : op == hccl::reduce_maximum ? std::max(x, y)
                                                    : std::min(x, y);
    static_cast<int16_t*>(out)[i] = int16_t(joined);
  }
}

// Returns the function that combines elements; nullptr if HCCL does not reduce this type.
mt_join_fn join_of(HcclDataType type, HcclReduceOp op) {
  if (op < hccl::reduce_sum || op > hccl::reduce_minimum) return nullptr;
  if (type == hccl::type_int16) {
    const mt_join_fn functions[] = {join_int16<hccl::reduce_sum>, join_int16<hccl::reduce_product>, join_int16<hccl::reduce_maximum>,
                                    join_int16<hccl::reduce_minimum>};
    return functions[op];
  }
  constexpr int32_t reductions[] = {MT_SUM, MT_PRODUCT, MT_MAXIMUM, MT_MINIMUM};
  const int32_t dtype = type == hccl::type_int8       ? MT_INT8
                        : type == hccl::type_int32    ? MT_INT32
                        : type == hccl::type_int64    ? MT_INT64
                        : type == hccl::type_float16  ? MT_FLOAT16
                        : type == hccl::type_float32  ? MT_FLOAT32
                        : type == hccl::type_bfloat16 ? MT_BFLOAT16
                                                      : -1;
  mt_join_fn join = nullptr;
  if (dtype >= 0) mt_status_release(mt_join_function(reductions[op], dtype, &join));
  return join;
}

// A collective while it runs as a task of its stream.
struct CollectiveTask {
  Mesh& mesh;
  Label label;
  std::function<bool()> is_aborted;
  Mesh::Deadline deadline;
  int rank() const { return mesh.rank(); }
  int size() const { return mesh.size(); }
  void exchange(std::vector<Part> sends, std::vector<Part> receives) {
    mesh.exchange(label, std::move(sends), std::move(receives), is_aborted, deadline);
  }
};

// Device memory that a call reads or writes.
struct Range {
  const void* device;
  size_t bytes;
  bool writes;
  char* host = nullptr;
};

struct Call {
  const char* name;
  HcclComm comm;
  void* stream;
  HcclDataType type = hccl::type_int8;
  HcclReduceOp reduction = 0;
  int64_t root = 0;
  bool is_message = false;  // sender and receiver make different calls
};

// Checks a call and puts it on its stream; `body` gets the ranges with the addresses that the simulator uses.
HcclResult enqueue_collective(const Call& call, std::vector<Range> ranges,
                              std::function<void(CollectiveTask&, const std::vector<Range>&)> body) {
  const std::shared_ptr<Comm> comm = find_comm(call.comm);
  if (!comm || !call.stream || !is_stream(call.stream)) return report_error(hccl::error_para, "not a communicator, or not a stream");
  auto* stream = static_cast<Stream*>(call.stream);
  if (size_of(call.type) == 0) return report_error(hccl::error_not_support, "not a data type: " + std::to_string(call.type));
  if (call.root < 0 || call.root >= comm->mesh->size())
    return report_error(hccl::error_para, "there is no rank " + std::to_string(call.root));
  std::vector<Access> accesses;
  for (Range& range : ranges) {
    if (range.bytes == 0) continue;
    range.host = host_view(range.device);
    if (!range.host || !host_view(static_cast<const char*>(range.device) + range.bytes - 1))
      return report_error(hccl::error_para, "not memory of a device");
    const auto* begin = static_cast<const char*>(range.device);
    accesses.push_back({begin, begin + range.bytes, range.writes});
  }
  Label label;
  std::strncpy(label.call, call.is_message ? "HcclSend" : call.name, sizeof label.call - 1);
  label.dtype = call.type;
  label.reduction = call.reduction;
  label.root = call.is_message ? 0 : int32_t(call.root);
  const uint64_t aborts = stream->aborts;
  const auto work = [comm, stream, aborts, label, name = std::string(call.name), ranges, body = std::move(body)]() -> aclError {
    std::lock_guard turn(comm->turn);
    try {
      {
        std::lock_guard lock(comm->mutex);
        if (comm->error) throw Failure{comm->error, comm->text};
      }
      CollectiveTask now{*comm->mesh, label, [&] { return stream->aborts != aborts; }, task_deadline()};
      const CollectiveFault fault = collective_fault();
      if (fault == CollectiveFault::leaves) throw Failure{hccl::error_internal, "injected fault: this rank leaves"};
      while (fault == CollectiveFault::stalls) {
        if (now.is_aborted()) throw Failure{hccl::error_unavailable, "injected fault: stalled until it was aborted"};
        if (std::chrono::steady_clock::now() >= now.deadline) throw Failure{hccl::error_timeout, "injected fault: stalled"};
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      body(now, ranges);
    } catch (const Failure& failure) {
      const std::string text = name + " of rank " + std::to_string(comm->mesh->rank()) + ": " + failure.text;
      {
        std::lock_guard lock(comm->mutex);
        if (!comm->error) comm->error = failure.code, comm->text = text;
      }
      comm->mesh->leave();  // so that peers do not wait for this rank
      set_error_text("rank " + std::to_string(comm->mesh->rank()) + ": " + failure.text);
      return acl::error_rt_aicpu_exception;
    }
    return acl::success;
  };
  const aclError code = submit(*stream, {call.name, work, accesses});
  return code == acl::success ? hccl::success : hccl::error_internal;
}

// to[i] = inputs[0][i] op inputs[1][i] op ...
void join_all(mt_join_fn join, const std::vector<const char*>& inputs, char* to, size_t count, size_t bytes) {
  std::vector<char> sum(inputs[0], inputs[0] + bytes);
  for (size_t rank = 1; rank < inputs.size(); ++rank) join(sum.data(), sum.data(), inputs[rank], count);
  std::memcpy(to, sum.data(), bytes);
}

// Reduces part `rank` of each rank's input into `to`; `offsets` has the beginning of each part, and the end.
void reduce_parts(CollectiveTask& turn, mt_join_fn join, size_t item, char* input, const std::vector<size_t>& offsets, char* to) {
  const auto size = size_t(turn.size()), me = size_t(turn.rank());
  const size_t count = offsets[me + 1] - offsets[me], bytes = count * item;
  std::vector<char> room(bytes * size);
  std::vector<Part> sends, receives;
  std::vector<const char*> inputs;
  for (size_t peer = 0; peer < size; ++peer) {
    char* const begin = input + offsets[peer] * item;
    inputs.push_back(peer == me ? begin : room.data() + peer * bytes);
    if (peer == me) continue;
    sends.push_back({int(peer), begin, (offsets[peer + 1] - offsets[peer]) * item});
    receives.push_back({int(peer), room.data() + peer * bytes, bytes});
  }
  turn.exchange(sends, receives);
  if (bytes) join_all(join, inputs, to, count, bytes);
}

// Sends this rank's part to all ranks; `output` has room for all.
void gather_parts(CollectiveTask& turn, size_t item, char* output, const std::vector<size_t>& offsets, char* own) {
  const auto size = size_t(turn.size()), me = size_t(turn.rank());
  const size_t bytes = (offsets[me + 1] - offsets[me]) * item;
  std::vector<Part> sends, receives;
  for (size_t peer = 0; peer < size; ++peer) {
    char* const place = output + offsets[peer] * item;
    if (peer == me) {
      if (bytes && place != own) std::memmove(place, own, bytes);
      continue;
    }
    sends.push_back({int(peer), own, bytes});
    receives.push_back({int(peer), place, (offsets[peer + 1] - offsets[peer]) * item});
  }
  turn.exchange(sends, receives);
}

std::vector<size_t> even_offsets(size_t count, size_t size) {
  std::vector<size_t> out;
  for (size_t i = 0; i <= size; ++i) out.push_back(count * i);
  return out;
}
std::vector<size_t> split_evenly(size_t count, size_t size) {
  std::vector<size_t> out;
  for (size_t i = 0; i <= size; ++i) out.push_back(count / size * i + std::min(i, count % size));
  return out;
}

size_t size_of(HcclComm handle) {
  const auto comm = find_comm(handle);
  return comm ? size_t(comm->mesh->size()) : 1;
}
int rank_of(HcclComm handle) {
  const auto comm = find_comm(handle);
  return comm ? comm->mesh->rank() : 0;
}

HcclResult exchange_parts(const Call& call, const void* input, const uint64_t* counts, const uint64_t* offsets, const void* output,
                          const uint64_t* output_counts, const uint64_t* output_offsets) {
  const size_t size = size_of(call.comm), item = size_of(call.type);
  struct Side {
    std::vector<size_t> begin, bytes;
    size_t end = 0;
  } from, to;
  const auto read = [&](Side& side, const uint64_t* n, const uint64_t* at) {
    for (size_t i = 0; i < size; ++i) {
      side.begin.push_back(size_t(at[i]) * item);
      side.bytes.push_back(size_t(n[i]) * item);
      if (n[i]) side.end = std::max(side.end, side.begin[i] + side.bytes[i]);
    }
  };
  read(from, counts, offsets);
  read(to, output_counts, output_offsets);
  return enqueue_collective(call, {{input, from.end, false}, {output, to.end, true}},
                            [from, to](CollectiveTask& turn, const std::vector<Range>& r) {
                              std::vector<Part> sends, receives;
                              const auto me = size_t(turn.rank());
                              for (size_t peer = 0; peer < from.begin.size(); ++peer) {
                                if (peer == me) continue;
                                sends.push_back({int(peer), r[0].host + from.begin[peer], from.bytes[peer]});
                                receives.push_back({int(peer), r[1].host + to.begin[peer], to.bytes[peer]});
                              }
                              if (from.bytes[me] != to.bytes[me])
                                throw Failure{hccl::error_para, "it gives itself a part of another size than it takes"};
                              if (from.bytes[me]) std::memmove(r[1].host + to.begin[me], r[0].host + from.begin[me], from.bytes[me]);
                              turn.exchange(sends, receives);
                            });
}

}  // namespace

// ---- communicators ----

MT_EXPORT HcclResult HcclGetRootInfo(HcclRootInfo* out) {
  MT_ENTER_HCCL(HcclGetRootInfo);
  if (!out) return report_error(hccl::error_ptr, "no room for the root info");
  Mesh::make_root_info(*out);
  return hccl::success;
}
MT_EXPORT HcclResult HcclCommInitRootInfo(uint32_t ranks, const HcclRootInfo* root, uint32_t rank, HcclComm* out) {
  MT_ENTER_HCCL(HcclCommInitRootInfo);
  if (!root || !out) return report_error(hccl::error_ptr, "no root info, or no room for the communicator");
  if (ranks == 0 || ranks > 4096 || rank >= ranks) return report_error(hccl::error_para, "this rank is not in the group");
  try {
    const auto comm = std::make_shared<Comm>(std::make_unique<Mesh>(*root, int(rank), int(ranks), connect_deadline()));
    std::lock_guard lock(comms().mutex);
    comms().all[comm.get()] = comm;
    *out = comm.get();
    return hccl::success;
  } catch (const Failure& failure) {
    return report_error(failure.code, "HcclCommInitRootInfo of rank " + std::to_string(rank) + ": " + failure.text);
  }
}
// Only drops the handle: tasks on streams share ownership of the communicator.
MT_EXPORT HcclResult HcclCommDestroy(HcclComm handle) {
  MT_ENTER_HCCL(HcclCommDestroy);
  std::lock_guard lock(comms().mutex);
  return comms().all.erase(handle) ? hccl::success : report_error(hccl::error_para, "not a communicator");
}
MT_EXPORT HcclResult HcclGetCommAsyncError(HcclComm handle, HcclResult* out) {
  MT_ENTER_HCCL(HcclGetCommAsyncError);
  const auto comm = find_comm(handle);
  if (!comm || !out) return report_error(hccl::error_para, "not a communicator");
  std::lock_guard lock(comm->mutex);
  *out = comm->error;
  if (comm->error) set_error_text(comm->text);
  return hccl::success;
}
MT_EXPORT const char* HcclGetErrorString(HcclResult code) {
  switch (code) {
    case hccl::success: return "no error";
    case hccl::error_para: return "parameter error";
    case hccl::error_ptr: return "empty pointer";
    case hccl::error_internal: return "internal error";
    case hccl::error_not_support: return "feature not supported";
    case hccl::error_unavailable: return "resource unavailable";
    case hccl::error_syscall: return "system call failed";
    case hccl::error_timeout: return "timeout";
    case hccl::error_remote: return "remote error";
    default: return "unknown error";
  }
}

// ---- collectives ----

MT_EXPORT HcclResult HcclAllReduce(void* input, void* output, uint64_t count, HcclDataType type, HcclReduceOp op, HcclComm comm,
                                   void* stream) {
  MT_ENTER_HCCL(HcclAllReduce);
  const mt_join_fn join = join_of(type, op);
  if (!join) return report_error(hccl::error_not_support, "HcclAllReduce does not reduce this data type");
  const size_t item = size_of(type), bytes = count * item;
  return enqueue_collective({"HcclAllReduce", comm, stream, type, op}, {{input, bytes, false}, {output, bytes, true}},
                            [=](CollectiveTask& turn, const std::vector<Range>& r) {
                              const auto offsets = split_evenly(count, size_t(turn.size()));
                              std::vector<char> own((offsets[size_t(turn.rank()) + 1] - offsets[size_t(turn.rank())]) * item);
                              reduce_parts(turn, join, item, r[0].host, offsets, own.data());
                              gather_parts(turn, item, r[1].host, offsets, own.data());
                            });
}

MT_EXPORT HcclResult HcclReduce(void* input, void* output, uint64_t count, HcclDataType type, HcclReduceOp op, uint32_t root, HcclComm comm,
                                void* stream) {
  MT_ENTER_HCCL(HcclReduce);
  const mt_join_fn join = join_of(type, op);
  if (!join) return report_error(hccl::error_not_support, "HcclReduce does not reduce this data type");
  const size_t bytes = count * size_of(type);
  const bool is_root = rank_of(comm) == int(root);
  return enqueue_collective({"HcclReduce", comm, stream, type, op, root}, {{input, bytes, false}, {output, is_root ? bytes : 0, true}},
                            [=](CollectiveTask& turn, const std::vector<Range>& r) {
                              if (!is_root) return turn.exchange({{int(root), r[0].host, bytes}}, {});
                              const auto size = size_t(turn.size());
                              std::vector<char> room(bytes * size);
                              std::vector<Part> receives;
                              std::vector<const char*> inputs;
                              for (size_t peer = 0; peer < size; ++peer) {
                                inputs.push_back(peer == root ? r[0].host : room.data() + peer * bytes);
                                if (peer != root) receives.push_back({int(peer), room.data() + peer * bytes, bytes});
                              }
                              turn.exchange({}, receives);
                              if (bytes) join_all(join, inputs, r[1].host, count, bytes);
                            });
}

MT_EXPORT HcclResult HcclBroadcast(void* memory, uint64_t count, HcclDataType type, uint32_t root, HcclComm comm, void* stream) {
  MT_ENTER_HCCL(HcclBroadcast);
  const size_t bytes = count * size_of(type);
  const bool is_root = rank_of(comm) == int(root);
  return enqueue_collective({"HcclBroadcast", comm, stream, type, 0, root}, {{memory, bytes, !is_root}},
                            [=](CollectiveTask& turn, const std::vector<Range>& r) {
                              if (!is_root) return turn.exchange({}, {{int(root), r[0].host, bytes}});
                              std::vector<Part> sends;
                              for (int peer = 0; peer < turn.size(); ++peer)
                                if (peer != turn.rank()) sends.push_back({peer, r[0].host, bytes});
                              turn.exchange(sends, {});
                            });
}

MT_EXPORT HcclResult HcclAllGather(void* input, void* output, uint64_t count, HcclDataType type, HcclComm comm, void* stream) {
  MT_ENTER_HCCL(HcclAllGather);
  const size_t item = size_of(type), bytes = count * item;
  return enqueue_collective({"HcclAllGather", comm, stream, type}, {{input, bytes, false}, {output, bytes * size_of(comm), true}},
                            [=](CollectiveTask& turn, const std::vector<Range>& r) {
                              gather_parts(turn, item, r[1].host, even_offsets(count, size_t(turn.size())), r[0].host);
                            });
}

MT_EXPORT HcclResult HcclReduceScatter(void* input, void* output, uint64_t count, HcclDataType type, HcclReduceOp op, HcclComm comm,
                                       void* stream) {
  MT_ENTER_HCCL(HcclReduceScatter);
  const mt_join_fn join = join_of(type, op);
  if (!join) return report_error(hccl::error_not_support, "HcclReduceScatter does not reduce this data type");
  const size_t item = size_of(type), bytes = count * item;
  return enqueue_collective({"HcclReduceScatter", comm, stream, type, op}, {{input, bytes * size_of(comm), false}, {output, bytes, true}},
                            [=](CollectiveTask& turn, const std::vector<Range>& r) {
                              reduce_parts(turn, join, item, r[0].host, even_offsets(count, size_t(turn.size())), r[1].host);
                            });
}

MT_EXPORT HcclResult HcclScatter(void* input, void* output, uint64_t count, HcclDataType type, uint32_t root, HcclComm comm, void* stream) {
  MT_ENTER_HCCL(HcclScatter);
  const size_t bytes = count * size_of(type);
  const bool is_root = rank_of(comm) == int(root);
  return enqueue_collective({"HcclScatter", comm, stream, type, 0, root},
                            {{input, is_root ? bytes * size_of(comm) : 0, false}, {output, bytes, true}},
                            [=](CollectiveTask& turn, const std::vector<Range>& r) {
                              if (!is_root) return turn.exchange({}, {{int(root), r[1].host, bytes}});
                              std::vector<Part> sends;
                              for (int peer = 0; peer < turn.size(); ++peer)
                                if (peer != turn.rank()) sends.push_back({peer, r[0].host + size_t(peer) * bytes, bytes});
                              if (bytes) std::memmove(r[1].host, r[0].host + size_t(root) * bytes, bytes);
                              turn.exchange(sends, {});
                            });
}

MT_EXPORT HcclResult HcclAlltoAll(const void* input, uint64_t count, HcclDataType type, const void* output, uint64_t output_count,
                                  HcclDataType output_type, HcclComm comm, void* stream) {
  MT_ENTER_HCCL(HcclAlltoAll);
  if (count != output_count || type != output_type) return report_error(hccl::error_para, "sizes and data types must be equal");
  const size_t size = size_of(comm);
  const std::vector<uint64_t> counts(size, count);
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < size; ++i) offsets.push_back(count * i);
  return exchange_parts({"HcclAlltoAll", comm, stream, type}, input, counts.data(), offsets.data(), output, counts.data(), offsets.data());
}
MT_EXPORT HcclResult HcclAlltoAllV(const void* input, const void* counts, const void* offsets, HcclDataType type, const void* output,
                                   const void* output_counts, const void* output_offsets, HcclDataType output_type, HcclComm comm,
                                   void* stream) {
  MT_ENTER_HCCL(HcclAlltoAllV);
  if (type != output_type) return report_error(hccl::error_para, "data types must be equal");
  if (!counts || !offsets || !output_counts || !output_offsets) return report_error(hccl::error_ptr, "counts or offsets are missing");
  const auto numbers = [](const void* pointer) { return static_cast<const uint64_t*>(pointer); };
  return exchange_parts({"HcclAlltoAllV", comm, stream, type}, input, numbers(counts), numbers(offsets), output, numbers(output_counts),
                        numbers(output_offsets));
}

MT_EXPORT HcclResult HcclBarrier(HcclComm comm, void* stream) {
  MT_ENTER_HCCL(HcclBarrier);
  return enqueue_collective({"HcclBarrier", comm, stream}, {}, [](CollectiveTask& turn, const std::vector<Range>&) {
    gather_parts(turn, 1, nullptr, even_offsets(0, size_t(turn.size())), nullptr);
  });
}

// ---- messages ----

MT_EXPORT HcclResult HcclSend(void* memory, uint64_t count, HcclDataType type, uint32_t rank, HcclComm comm, void* stream) {
  MT_ENTER_HCCL(HcclSend);
  if (rank_of(comm) == int(rank)) return report_error(hccl::error_para, "a rank cannot send to itself");
  const size_t bytes = count * size_of(type);
  return enqueue_collective({"HcclSend", comm, stream, type, 0, rank, true}, {{memory, bytes, false}},
                            [=](CollectiveTask& turn, const std::vector<Range>& r) { turn.exchange({{int(rank), r[0].host, bytes}}, {}); });
}
MT_EXPORT HcclResult HcclRecv(void* memory, uint64_t count, HcclDataType type, uint32_t rank, HcclComm comm, void* stream) {
  MT_ENTER_HCCL(HcclRecv);
  if (rank_of(comm) == int(rank)) return report_error(hccl::error_para, "a rank cannot receive from itself");
  const size_t bytes = count * size_of(type);
  return enqueue_collective({"HcclRecv", comm, stream, type, 0, rank, true}, {{memory, bytes, true}},
                            [=](CollectiveTask& turn, const std::vector<Range>& r) { turn.exchange({}, {{int(rank), r[0].host, bytes}}); });
}
// All items have one data type here; the vendor's library allows several.
MT_EXPORT HcclResult HcclBatchSendRecv(HcclSendRecvItem* items, uint32_t count, HcclComm comm, void* stream) {
  MT_ENTER_HCCL(HcclBatchSendRecv);
  if (!items || count == 0) return report_error(hccl::error_ptr, "no items");
  const std::vector<HcclSendRecvItem> all(items, items + count);
  std::vector<Range> ranges;
  for (const HcclSendRecvItem& item : all) {
    if (item.remoteRank >= size_of(comm) || int(item.remoteRank) == rank_of(comm))
      return report_error(hccl::error_para, "there is no other rank " + std::to_string(item.remoteRank));
    if (item.dataType != all[0].dataType) return report_error(hccl::error_not_support, "the simulator's batches have one data type");
    ranges.push_back({item.buf, item.count * size_of(item.dataType), item.sendRecvType == hccl::item_receive});
  }
  return enqueue_collective({"HcclBatchSendRecv", comm, stream, all[0].dataType, 0, 0, true}, ranges,
                            [=](CollectiveTask& turn, const std::vector<Range>& r) {
                              std::vector<Part> sends, receives;
                              for (size_t i = 0; i < all.size(); ++i)
                                (r[i].writes ? receives : sends).push_back({int(all[i].remoteRank), r[i].host, r[i].bytes});
                              turn.exchange(sends, receives);
                            });
}
