// The backend "gloo": Gloo's algorithms over its TCP transport, as a plugin that sees the public headers, and of
// impl/distributed the sockets and plugin.h.
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/common/error.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>

#include <cstring>
#include <new>
#include <numeric>
#include <vector>

#include "backend_gloo/transport.h"
#include "distributed/socket.h"

namespace mt::gloo_backend {
namespace {

using std::chrono::milliseconds;

struct Group {
  explicit Group(const mt_group_options& options) : mesh(std::make_shared<Mesh>(options)) {}
  std::shared_ptr<Mesh> mesh;
  uint32_t tag = 0;  // torch counts collectives in this way
};
Group& group_of(void* self) { return *static_cast<Group*>(self); }

// Gloo's error messages begin with the source file and line that raised them.
std::string strip_location(const char* text) {
  const std::string all = text;
  const size_t end = all.starts_with('[') ? all.find("] ") : std::string::npos;
  return end == std::string::npos ? all : all.substr(end + 2);
}

template <class F>
mt_status* guard_status(F&& body) {
  return plugin::guard([&] {
    try {
      body();
    } catch (const dist::NetworkError& error) {
      throw Failure{"DistNetworkError", error.text};
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw Failure{"DistBackendError", strip_location(error.what())};
    }
  });
}

// Calls body with a pointer whose elements have the given size: Gloo only uses the size of a type.
template <class F>
void visit_unsigned_of_size(int64_t size, F&& body) {
  switch (size) {
    case 1: return body(static_cast<uint8_t*>(nullptr));
    case 2: return body(static_cast<uint16_t*>(nullptr));
    case 4: return body(static_cast<uint32_t*>(nullptr));
    case 8: return body(static_cast<uint64_t*>(nullptr));
    default: throw Failure{"TypeError", "elements of " + std::to_string(size) + " bytes"};
  }
}
template <class T>
T* cast_memory(const void* memory) {
  return static_cast<T*>(const_cast<void*>(memory));
}

// Reduces and scatters in a ring: partial sums travel from rank to rank, and each rank adds its own share.
void reduce_scatter(Mesh& mesh, const mt_transfer& what, mt_join_fn join, uint32_t tag) {
  const size_t bytes = size_t(what.count * what.item_size);
  const int size = mesh.size, rank = mesh.rank;
  const auto part = [&](const void* memory, int index) { return cast_memory<char>(memory) + size_t((index % size + size) % size) * bytes; };
  if (size == 1) {
    std::memcpy(what.output, what.input, bytes);
    return;
  }
  std::vector<char> sum(bytes), received(bytes);
  const auto slot = gloo::Slot::build(gloo::kAllreduceSlotPrefix, tag);
  const auto from = mesh.createUnboundBuffer(sum.data(), bytes), to = mesh.createUnboundBuffer(received.data(), bytes);
  std::memcpy(sum.data(), part(what.input, rank - 1), bytes);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    from->send(next, slot);
    to->recv(previous, slot);
    to->waitRecv(milliseconds(what.timeout));
    from->waitSend(milliseconds(what.timeout));
    const bool is_last = step == size - 2;
    join(is_last ? what.output : sum.data(), received.data(), part(what.input, rank - 2 - step), size_t(what.count));
  }
}

void all_reduce(Mesh& mesh, const mt_transfer& what, mt_join_fn join, uint32_t tag, void* memory, size_t count) {
  gloo::AllreduceOptions options(std::static_pointer_cast<gloo::Context>(mesh.shared_from_this()));
  options.setTag(tag);
  options.setTimeout(milliseconds(what.timeout));
  options.setReduceFunction(join);
  visit_unsigned_of_size(what.item_size,
                         [&](auto* type) { options.setOutput(cast_memory<std::remove_pointer_t<decltype(type)>>(memory), count); });
  gloo::allreduce(options);
}

// Reduces and scatters as real torch does, for groups that have members with real torch: computes the complete sum of one tensor, or of
// each tensor of a list, and keeps this rank's part.
void reduce_scatter_as_torch(Group& group, const mt_transfer& what, mt_join_fn join, uint32_t tag) {
  Mesh& mesh = *group.mesh;
  const size_t count = size_t(what.count), bytes = count * size_t(what.item_size), size = size_t(mesh.size);
  std::vector<char> whole(cast_memory<char>(what.input), cast_memory<char>(what.input) + bytes * size);
  if (what.kind == MT_REDUCE_SCATTER_SINGLE) {
    all_reduce(mesh, what, join, tag, whole.data(), count * size);
  } else {
    for (size_t part = 0; part < size; ++part) all_reduce(mesh, what, join, tag + uint32_t(part), whole.data() + part * bytes, count);
    group.tag += uint32_t(size) - 1;
  }
  std::memcpy(what.output, whole.data() + bytes * size_t(mesh.rank), bytes);
}

void run_transfer(Group& group, const mt_transfer& what) {
  const auto& mesh = group.mesh;
  const milliseconds timeout(what.timeout);
  const uint32_t tag = group.tag++;
  const size_t bytes = size_t(what.count * what.item_size), size = size_t(mesh->size);
  mt_join_fn join = nullptr;
  if (what.kind == MT_ALL_REDUCE || what.kind == MT_REDUCE || what.kind == MT_REDUCE_SCATTER || what.kind == MT_REDUCE_SCATTER_SINGLE)
    need_ok(mt_join_function(what.reduction, what.dtype, &join));
  const auto start = [&](auto options) {
    options.setTag(tag);
    options.setTimeout(timeout);
    return options;
  };
  switch (what.kind) {
    case MT_ALL_REDUCE: return all_reduce(*mesh, what, join, tag, what.output, size_t(what.count));
    case MT_REDUCE: {
      auto options = start(gloo::ReduceOptions(mesh));
      options.setReduceFunction(join);
      options.setRoot(what.root);
      visit_unsigned_of_size(what.item_size, [&](auto* type) {
        options.setOutput(cast_memory<std::remove_pointer_t<decltype(type)>>(what.output), size_t(what.count));
      });
      return gloo::reduce(options);
    }
    case MT_BROADCAST: {
      auto options = start(gloo::BroadcastOptions(mesh));
      options.setOutput(cast_memory<char>(what.output), bytes);
      options.setRoot(what.root);
      return gloo::broadcast(options);
    }
    case MT_ALL_GATHER_SINGLE: {
      auto options = start(gloo::AllgatherOptions(mesh));
      options.setInput(cast_memory<char>(what.input), bytes);
      options.setOutput(cast_memory<char>(what.output), bytes * size);
      return gloo::allgather(options);
    }
    case MT_GATHER: {
      auto options = start(gloo::GatherOptions(mesh));
      options.setInput(cast_memory<char>(what.input), bytes);
      if (what.root == mesh->rank) options.setOutput(cast_memory<char>(what.output), bytes * size);
      options.setRoot(what.root);
      return gloo::gather(options);
    }
    case MT_SCATTER: {
      auto options = start(gloo::ScatterOptions(mesh));
      if (what.root == mesh->rank) {
        std::vector<char*> parts;
        for (size_t i = 0; i < size; ++i) parts.push_back(cast_memory<char>(what.input) + i * bytes);
        options.setInputs(parts, bytes);
      }
      options.setOutput(cast_memory<char>(what.output), bytes);
      options.setRoot(what.root);
      return gloo::scatter(options);
    }
    case MT_REDUCE_SCATTER:
    case MT_REDUCE_SCATTER_SINGLE: {
      if (mesh->is_all_ours()) return reduce_scatter(*mesh, what, join, tag);
      return reduce_scatter_as_torch(group, what, join, tag);
    }
    case MT_ALL_TO_ALL_SINGLE: {
      std::vector<int64_t> given, taken;
      bool is_even = true;
      for (size_t i = 0; i < size; ++i) {
        given.push_back(what.input_counts[i] * what.item_size);
        taken.push_back(what.output_counts[i] * what.item_size);
        is_even &= given[i] == given[0] && taken[i] == given[0];
      }
      if (is_even && given[0] == 0) return;
      if (is_even) {
        auto options = start(gloo::AlltoallOptions(mesh));
        options.setInput(cast_memory<char>(what.input), size_t(given[0]) * size);
        options.setOutput(cast_memory<char>(what.output), size_t(given[0]) * size);
        return gloo::alltoall(options);
      }
      auto options = start(gloo::AlltoallvOptions(mesh));
      options.setInput(cast_memory<char>(what.input), given);
      options.setOutput(cast_memory<char>(what.output), taken);
      return gloo::alltoallv(options);
    }
    case MT_BARRIER: {
      gloo::BarrierOptions options(mesh);
      options.setTag(tag);
      options.setTimeout(timeout);
      return gloo::barrier(options);
    }
    default: throw Failure{"NotImplementedError", "gloo has no collective of kind " + std::to_string(what.kind)};
  }
}

// ---- the backend's functions --------------------------------------------------------------------------------------------

struct Request {
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
  bool is_send;
  int peer;
};

mt_status* create_group(void*, const mt_group_options* options, void** self) {
  return guard_status([&] { *self = new Group(*options); });
}
void destroy_group(void*, void* self) { delete &group_of(self); }
// Runs body; if a peer has left the group, the error names it.
template <class F>
mt_status* guard_with(const Mesh& mesh, F&& body) {
  return guard_status([&] {
    try {
      body();
    } catch (const gloo::Exception& error) {
      const int peer = mesh.lost_peer();
      if (peer < 0) throw;
      throw Failure{"DistBackendError", strip_location(error.what()) + "; rank " + std::to_string(peer) + " is gone"};
    }
  });
}
mt_status* run_collective(void*, void* self, const mt_transfer* transfer) {
  return guard_with(*group_of(self).mesh, [&] { run_transfer(group_of(self), *transfer); });
}
mt_status* post_transfer(void*, void* self, const mt_transfer* transfer, void** request) {
  return guard_status([&] {
    Mesh& mesh = *group_of(self).mesh;
    const auto slot = uint64_t(transfer->tag);
    auto made = std::make_unique<Request>();
    made->is_send = transfer->kind == MT_SEND;
    made->peer = transfer->root;
    made->buffer = mesh.createUnboundBuffer(made->is_send ? const_cast<void*>(transfer->input) : transfer->output,
                                            size_t(transfer->count * transfer->item_size));
    if (made->is_send) {
      made->buffer->send(transfer->root, slot);
    } else if (transfer->root >= 0) {
      made->buffer->recv(transfer->root, slot);
    } else {
      std::vector<int> anyone;
      for (int peer = 0; peer < mesh.size; ++peer)
        if (peer != mesh.rank) anyone.push_back(peer);
      made->buffer->recv(anyone, slot);
    }
    *request = made.release();
  });
}
mt_status* wait_for_request(void*, void* self, void* request, int64_t timeout, int32_t* source) {
  return guard_with(*group_of(self).mesh, [&] {
    auto& own = *static_cast<Request*>(request);
    int peer = own.peer;
    const bool came = own.is_send ? own.buffer->waitSend(milliseconds(timeout)) : own.buffer->waitRecv(&peer, milliseconds(timeout));
    if (!came) throw Failure{"DistBackendError", "the message was aborted"};
    *source = peer;
  });
}
void drop_request(void*, void*, void* request) { delete static_cast<Request*>(request); }
void abort_all(void*, void* self) {
  // Ignores errors: a connection that cannot be closed is closed already.
  mt_status_release(guard_status([&] { group_of(self).mesh->close(); }));
}

}  // namespace
}  // namespace mt::gloo_backend

extern "C" MT_API mt_status* mindtorch_backend_plugin(mt_status* (*)(int32_t, int32_t, int32_t*, const mt_api**)) {
  using namespace mt::gloo_backend;
  mt_backend table{};
  table.struct_size = sizeof table;
  table.name = "gloo";
  table.class_name = "ProcessGroupGloo";
  table.device_type = MT_CPU;
  table.create = create_group;
  table.destroy = destroy_group;
  table.run = run_collective;
  table.post = post_transfer;
  table.wait = wait_for_request;
  table.drop = drop_request;
  table.abort = abort_all;
  return mt_backend_register(&table);
}
