// Works: collectives and messages in progress.
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
struct DeviceTurn;

struct Work final : Object {
  Work() : Object(Kind::work) {}
  ~Work();
  static void destroy(Work* work) noexcept {
    work->kind = Kind::freed;
    delete work;
  }

  // Ends the work; `error` is nullptr on success. Only the first call counts.
  void finish(std::exception_ptr error);
  // Waits, and throws the work's error; milliseconds 0 means the group's timeout.
  void wait(int64_t milliseconds);
  bool is_completed();
  std::exception_ptr error();
  int source_rank();
  void then(void (*fn)(void* user, const mt_status* error), void* user);
  // For a work on a stream: whether the event that marks its end has been recorded.
  bool is_enqueued();
  bool has_failed();
  void set_enqueued(bool has_failed);

  std::shared_ptr<DeviceTurn> turn;  // of a work on a device's stream
  // Of a message: the backend's request, which waiting threads poll; no thread of the channel runs it.
  std::shared_ptr<Channel> channel;
  void* request = nullptr;
  std::vector<Tensor> tensors;  // keeps the memory alive that the work reads or writes
  std::string name;             // for errors: "all_reduce number 3"
  int64_t timeout = 0;
  bool is_receive = false;
  int32_t known_source = -1;  // of a receive from a given rank

 private:
  void wait_for_message(int64_t milliseconds);
  void order_stream();
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
