// Groups: what users start collectives on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "distributed/channel.h"

namespace mt::dist {

// A collective with tensors of its own.
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

// ---- what a group's collectives are made of (collectives.cpp) ----

struct Call {
  Channel& channel;
  Collective what;
  std::string name;  // "all_reduce number 3 of rank 0 in group 0"
};
const char* name_of_kind(int32_t kind);
// Fails where the arguments are wrong, with torch's texts.
void check_collective(const Channel& channel, const Collective& what);
// Does it, on whatever thread.
void run_collective(Call& call);
// Sums up sparse tensors (sparse.cpp).
void all_reduce_sparse(Call& call, const Tensor& target);
// Moves memory, and says what for where it fails.
void transfer(Call& call, mt_transfer what);
// Each rank's tensor of the same size, side by side.
Tensor gather_all(Call& call, const Tensor& mine);

}  // namespace mt::dist
