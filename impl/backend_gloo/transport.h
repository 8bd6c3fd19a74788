// Connects Gloo's TCP transport over authenticated sockets: a peer must send a random number that only the store holds.
#pragma once

#include <gloo/context.h>
#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>

#include <chrono>
#include <memory>
#include <string>

#include "distributed/plugin.h"

namespace mt::gloo_backend {

using plugin::Failure, plugin::need_ok, plugin::StoredValue;

// The connections of one group.
class Mesh final : public gloo::Context, public std::enable_shared_from_this<Mesh> {
 public:
  // Connects to the other members through the store; returns when all are connected.
  Mesh(const mt_group_options& options);
  ~Mesh();
  // Closes all connections, which ends all waits with an error.
  void close();
  // The first peer that closed its connection; -1 if none did.
  int lost_peer() const;
  // Whether no member runs real torch; otherwise collectives must use torch's algorithms where these differ from Gloo's.
  bool is_all_ours() const { return is_all_ours_; }

 private:
  bool is_all_ours_ = true;
};

}  // namespace mt::gloo_backend
