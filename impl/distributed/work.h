// Works: collectives and messages on their way.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/tensor.h"
#include "distributed/store.h"
#include "mindtorch/distributed.h"

namespace mt::dist {

class Channel;

struct Work final : Object {
  Work() : Object(Kind::work) {}
  ~Work();
  static void destroy(Work* work) noexcept {
    work->kind = Kind::freed;
    delete work;
  }

  // Ends it; `error` is nullptr where all went well. The first call counts.
  void finish(std::exception_ptr error);
  // Waits and throws what went wrong; milliseconds 0: the group's timeout.
  void wait(int64_t milliseconds);
  bool is_completed();
  std::exception_ptr error();
  int source_rank();
  void then(void (*fn)(void* user, const mt_status* error), void* user);

  // A message: the backend's request, which is asked, not run on a thread.
  std::shared_ptr<Channel> channel;
  void* request = nullptr;
  std::vector<Tensor> tensors;  // what it writes to or reads from lives as long
  std::string name;             // for errors: "all_reduce number 3"
  int64_t timeout = 0;
  bool is_receive = false;

 private:
  void wait_for_message(int64_t milliseconds);
  using Callback = std::pair<void (*)(void*, const mt_status*), void*>;
  static void call(const Callback& callback, const std::exception_ptr& error);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_done_ = false, waits_ = false;
  int32_t source_ = -1;
  std::exception_ptr error_;
  std::vector<Callback> callbacks_;
};

}  // namespace mt::dist
