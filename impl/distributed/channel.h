// Backends by name, and channels: the connections of one group over one backend, and the thread that runs its collectives in order.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <thread>

#include "distributed/work.h"

namespace mt::dist {

void register_backend(const mt_backend& backend);
void load_backend(const std::string& path);
void register_fake();  // "fake", which needs no library (fake.cpp)
bool is_backend_available(const std::string& name);
// Loads the backend if necessary; RuntimeError if there is none.
const mt_backend& backend_named(const std::string& name);

class Channel : public std::enable_shared_from_this<Channel> {
 public:
  Channel(const mt_backend& backend, const mt_group_options& options);
  ~Channel();

  const mt_backend& backend() const { return backend_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& group() const { return group_; }

  // Runs body() after all earlier ones: on this thread if nothing is queued and the caller would wait anyway, else on the channel's
  // thread.
  void start(Ref<Work> work, bool is_async, std::function<void()> body);
  void run(mt_transfer transfer);  // throws the backend's status
  void* post(const mt_transfer& transfer);
  void wait(void* request, int64_t milliseconds, int32_t* source);
  void drop(void* request) { backend_.drop(backend_.user, self_, request); }
  void abort();

 private:
  void serve();
  void check_alive() const;
  static void do_work(Work& work, const std::function<void()>& body);

  const mt_backend backend_;
  const int rank_, size_;
  const std::string group_;
  void* self_ = nullptr;
  struct Entry {
    Ref<Work> work;
    std::function<void()> body;
  };
  std::mutex mutex_, running_;
  std::condition_variable changed_;
  std::deque<Entry> queue_;
  size_t pending_ = 0;
  bool stops_ = false;
  std::atomic<bool> aborted_{false};
  std::thread thread_;
};

// Adds the name of the collective to a backend's error, which becomes a DistBackendError unless it is one of Python's own kinds.
[[noreturn]] void rethrow_of(const std::string& what);

}  // namespace mt::dist
