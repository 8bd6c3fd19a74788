// Connections between the simulators of several processes of one machine: AF_UNIX sockets with abstract names, so that nothing is left
// behind.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "backend_hccl/hccl.h"

namespace mt::npu_sim {

struct Failure {
  HcclResult code;
  std::string text;
};

// What one rank sends to a peer, or receives from it.
struct Part {
  int peer;
  char* memory;
  size_t bytes;
};

// Describes a collective call. It must be the same on all ranks that exchange data; otherwise the exchange fails.
struct Label {
  char call[24] = "";
  int32_t dtype = 0, reduction = 0, root = 0;
};

class Mesh {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  static void make_root_info(HcclRootInfo& out);

  // Connects to all other ranks. Throws Failure.
  Mesh(const HcclRootInfo& root, int rank, int size, Deadline deadline);
  ~Mesh();
  Mesh(const Mesh&) = delete;

  int rank() const { return rank_; }
  int size() const { return int(peers_.size()); }
  // Sends and receives parts concurrently, those of each peer in the given order. Throws Failure.
  void exchange(const Label& label, std::vector<Part> sends, std::vector<Part> receives, const std::function<bool()>& is_aborted,
                Deadline deadline);
  // Closes all connections.
  void leave();

 private:
  const int rank_;
  std::vector<int> peers_;  // descriptors by rank; -1: this rank, or closed
};

}  // namespace mt::npu_sim
