// Process groups: the objects on which users start collectives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "distributed/channel.h"

namespace mt::dist {

// The arguments of a collective; owns its tensors.
struct Collective {
  int32_t kind = 0, reduction = 0, root = 0, flags = 0;
  int64_t tag = 0, timeout = 0;
  bool is_async = false;
  std::vector<Tensor> inputs, outputs;
  std::vector<int64_t> input_splits, output_splits;
};

class Group final : public Object {
 public:
  explicit Group(const mt_group_options& options);
  static void destroy(Group* group) noexcept {
    group->kind = Kind::freed;
    delete group;
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& name() const { return name_; }
  std::atomic<int64_t> timeout;
  int64_t sequence() const { return sequence_; }
  Ref<Work> start(Collective what);
  void abort();

 private:
  std::shared_ptr<Channel> channel_of(const Collective& what) const;

  const int rank_, size_;
  const std::string name_;
  std::atomic<int64_t> sequence_{0};
  std::vector<std::pair<DeviceType, std::shared_ptr<Channel>>> channels_;
};

// ---- the steps of a group's collectives (collectives.cpp) ----

struct Call {
  Channel& channel;
  Collective what;
  std::string name;  // "all_reduce number 3 of rank 0 in group 0"
};
const char* name_of_kind(int32_t kind);
// Raises torch's errors for invalid arguments.
void check_collective(const Channel& channel, const Collective& what);
// Runs the collective, or the message of a channel with streams, on the calling thread.
void run_collective(Call& call);
// All-reduces a sparse tensor by concatenating and adding up components (sparse.cpp).
void all_reduce_sparse(Call& call, const Tensor& target);
// Runs a transfer of the backend; an error names the collective.
void transfer(Call& call, mt_transfer what);
// Gathers each rank's tensor, all of one size, as rows of one tensor.
Tensor gather_all(Call& call, const Tensor& mine);

}  // namespace mt::dist
