// Gloo's TCP transport behind a door of our own: who connects must name a random number that only the store knows.
#pragma once

#include <gloo/context.h>
#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>

#include <chrono>
#include <memory>
#include <string>

#include "mindtorch/distributed.h"

namespace mt::gloo_backend {

// Throws the text of what is wrong.
struct Failure {
  std::string kind, text;
};
// A status becomes a Failure.
void need_ok(mt_status* status);

// The connections of one group.
class Mesh final : public gloo::Context, public std::enable_shared_from_this<Mesh> {
 public:
  // Meets the others in the store, and returns when all are connected.
  Mesh(const mt_group_options& options);
  ~Mesh();
  // Ends everything that waits.
  void close();
  // The first peer whose connection ended by itself, -1: none.
  int lost_peer() const;
  // Whether nobody runs real torch, whose algorithms beyond Gloo's own would have to be followed.
  bool is_all_ours() const { return is_all_ours_; }

 private:
  bool is_all_ours_ = true;
};

}  // namespace mt::gloo_backend
