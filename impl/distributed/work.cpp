// Works: collectives and messages in progress.
#include "distributed/work.h"

#include <thread>

#include "core/exception.h"
#include "distributed/channel.h"
#include "distributed/streams.h"

namespace mt::dist {

Work::~Work() {
  if (request) channel->drop(request);
}

void Work::call(const Callback& callback, const std::exception_ptr& error) {
  mt_status* status = nullptr;
  if (error) {
    try {
      std::rethrow_exception(error);
    } catch (...) {
      status = status_of_current_exception();
    }
  }
  callback.first(callback.second, status);
  mt_status_release(status);
}

void Work::finish(std::exception_ptr error) {
  std::vector<Callback> callbacks;
  {
    std::lock_guard lock(mutex_);
    if (is_done_) return;
    is_done_ = true;
    error_ = error;
    callbacks.swap(callbacks_);
  }
  ended_.notify_all();
  for (const Callback& callback : callbacks) call(callback, error);
}

void Work::wait_for_message(int64_t milliseconds) {
  {
    std::unique_lock lock(mutex_);
    if (is_done_ || waits_) return;
    waits_ = true;
  }
  std::exception_ptr error;
  int32_t source = -1;
  try {
    try {
      channel->wait(request, milliseconds, &source);
    } catch (...) {
      rethrow_with_name(name);
    }
  } catch (...) {
    error = std::current_exception();
  }
  {
    std::lock_guard lock(mutex_);
    source_ = source;
  }
  finish(error);
}

void Work::wait(int64_t milliseconds) {
  const int64_t time = milliseconds > 0 ? milliseconds : timeout;
  if (request) wait_for_message(time);
  if (turn) {
    order_stream();
    if (milliseconds <= 0 && !turn->blocks) return;
  }
  std::unique_lock lock(mutex_);
  // Without the caller's `milliseconds`, waits until the work has ended; the group's timeout bounds that.
  if (milliseconds > 0 && !request) {
    if (!ended_.wait_until(lock, after(time), [&] { return is_done_; }))
      throw Error("DistBackendError", "Operation timed out! " + name + " did not end within " + std::to_string(time) + "ms");
  } else {
    ended_.wait(lock, [&] { return is_done_; });
  }
  if (error_) std::rethrow_exception(error_);
}

// Makes the current stream wait for the work's end, not the host. Throws an error that is already known.
void Work::order_stream() {
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return is_done_ || (turn->is_enqueued && !turn->has_failed); });
    if (error_) std::rethrow_exception(error_);
  }
  turn->order_current_stream();
}
bool Work::is_enqueued() {
  std::lock_guard lock(mutex_);
  return turn->is_enqueued;
}
bool Work::has_failed() {
  std::lock_guard lock(mutex_);
  return turn->has_failed;
}
void Work::set_enqueued(bool has_failed) {
  {
    std::lock_guard lock(mutex_);
    turn->is_enqueued = true;
    turn->has_failed = has_failed;
  }
  ended_.notify_all();
}

bool Work::is_completed() {
  std::lock_guard lock(mutex_);
  return is_done_;
}
std::exception_ptr Work::error() {
  std::lock_guard lock(mutex_);
  return error_;
}
int Work::source_rank() {
  check(is_receive, "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any call.");
  std::lock_guard lock(mutex_);
  return source_ >= 0 ? source_ : known_source;
}

void Work::then(void (*fn)(void* user, const mt_status* error), void* user) {
  std::exception_ptr error;
  bool is_done, needs_waiter;
  {
    std::lock_guard lock(mutex_);
    is_done = is_done_;
    error = error_;
    if (!is_done) callbacks_.push_back({fn, user});
    needs_waiter = !is_done && request && !waits_;
  }
  if (is_done) return call({fn, user}, error);
  // A message only progresses while a thread waits for it, so that a callback needs a thread of its own.
  if (needs_waiter) std::thread([self = Ref<Work>::share(this)] { self->wait_for_message(self->timeout); }).detach();
}

}  // namespace mt::dist
