// The backend "fake", for tests of programs: simulates a group of any size in one process. Assumes that every other rank has the same
// tensors; a sum is this rank's contribution only. Nothing is transferred.
#include <cstring>
#include <mutex>

#include "distributed/channel.h"

namespace mt::dist {
namespace {

struct Fake {
  int rank, size;
};

mt_status* create_group(void*, const mt_group_options* options, void** self) {
  *self = new Fake{options->rank, options->size};
  return nullptr;
}
void destroy_group(void*, void* self) { delete static_cast<Fake*>(self); }

mt_status* run_collective(void*, void* self, const mt_transfer* what) {
  const Fake& group = *static_cast<Fake*>(self);
  const size_t bytes = size_t(what->count * what->item_size);
  auto* to = static_cast<char*>(what->output);
  const auto* from = static_cast<const char*>(what->input);
  switch (what->kind) {
    case MT_ALL_GATHER_SINGLE:
    case MT_GATHER:
      for (int peer = 0; to && peer < group.size; ++peer) std::memcpy(to + size_t(peer) * bytes, from, bytes);
      break;
    case MT_SCATTER:
    case MT_REDUCE_SCATTER:
    case MT_REDUCE_SCATTER_SINGLE:
      if (from) std::memcpy(to, from + size_t(group.rank) * bytes, bytes);
      break;
    case MT_ALL_TO_ALL_SINGLE: {
      size_t given = 0, taken = 0;
      for (int peer = 0; peer < group.size; ++peer) {
        const size_t in = size_t(what->input_counts[peer] * what->item_size), out = size_t(what->output_counts[peer] * what->item_size);
        std::memcpy(to + taken, from + given, std::min(in, out));
        given += in;
        taken += out;
      }
      break;
    }
    default: break;  // all ranks already have the same tensors
  }
  return nullptr;
}

mt_status* post_message(void*, void*, const mt_transfer* transfer, void** request) {
  *request = new int32_t(transfer->root);
  return nullptr;
}
mt_status* wait_for_message(void*, void*, void* request, int64_t, int32_t* source) {
  *source = *static_cast<int32_t*>(request);
  return nullptr;
}
void drop_request(void*, void*, void* request) { delete static_cast<int32_t*>(request); }
void abort_nothing(void*, void*) {}

}  // namespace

void register_fake() {
  mt_backend table{};
  table.struct_size = sizeof table;
  table.name = "fake";
  table.class_name = "FakeProcessGroup";
  table.device_type = MT_CPU;
  table.create = create_group;
  table.destroy = destroy_group;
  table.run = run_collective;
  table.post = post_message;
  table.wait = wait_for_message;
  table.drop = drop_request;
  table.abort = abort_nothing;
  register_backend(table);
}

}  // namespace mt::dist
