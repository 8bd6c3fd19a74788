// Backends by name, and channels: the connections of one group over one backend, and the thread that runs its collectives in order.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <thread>

#include "distributed/work.h"

namespace mt::dist {

struct Collective;
void register_backend(const mt_backend& backend);
void load_backend(const std::string& path);
void register_fake();  // "fake", which needs no library (fake.cpp)
bool is_backend_available(const std::string& name);
// Loads the backend if necessary; RuntimeError if there is none.
const mt_backend& backend_named(const std::string& name);

// Runs works one after another, in the order in which they are started.
class Lane {
 public:
  ~Lane() { stop(); }
  // Runs body() after all earlier works: on this thread if nothing is queued and the caller would wait anyway, else on the lane's thread.
  // The work ends when body() returns, unless it has a DeviceTurn.
  void start(Ref<Work> work, bool is_async, std::function<void()> body);
  // Runs the queued works, then ends the lane's thread.
  void stop();

 private:
  void serve();
  struct Entry {
    Ref<Work> work;
    std::function<void()> body;
  };
  std::mutex mutex_, running_;
  std::condition_variable changed_;
  std::deque<Entry> queue_;
  size_t pending_ = 0;
  bool stops_ = false;
  std::thread thread_;
};

// Watches works on a device's streams: ends each work when its stream has reached its end, when it fails, or at its timeout.
class Watch {
 public:
  explicit Watch(Channel& channel) : channel_(channel) {}
  ~Watch() { stop(); }
  void add(Ref<Work> work);
  // Waits until no work is left.
  void drain();
  void stop();

 private:
  void serve();
  void try_to_end(Work& work);
  static bool is_released(Work& work);
  Channel& channel_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Ref<Work>> works_;
  bool stops_ = false;
  std::thread thread_;
};

class Channel : public std::enable_shared_from_this<Channel> {
 public:
  Channel(const mt_backend& backend, const mt_group_options& options);
  ~Channel();

  const mt_backend& backend() const { return backend_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& group() const { return group_; }

  // Whether transfers run on streams of the device.
  bool uses_streams() const { return backend_.async_error != nullptr; }
  void start(Ref<Work> work, bool is_async, std::function<void()> body) { collectives_.start(std::move(work), is_async, std::move(body)); }
  // For devices with streams: runs body() with one of the channel's streams as the current one, after making that stream wait for the
  // calling thread's current stream. Messages have a stream for each peer and direction.
  void start_on_stream(Ref<Work> work, int device, const Collective& what, std::function<void()> body);
  void throw_async_error();
  void abort_streams();
  bool is_aborted() const { return aborted_; }
  void run(mt_transfer transfer);  // throws the backend's status
  void* post(const mt_transfer& transfer);
  void wait(void* request, int64_t milliseconds, int32_t* source);
  void drop(void* request) { backend_.drop(backend_.user, self_, request); }
  bool refuse() { return !aborted_.exchange(true); }  // new operations, from now on; false if that was so
  void end_all();                                     // what runs and waits
  void abort();

 private:
  struct MessageLane {
    int64_t stream;
    Lane lane;
  };
  void check_alive() const;
  static void fill_stream(mt_transfer& transfer);

  const mt_backend backend_;
  const int rank_, size_;
  const std::string group_;
  void* self_ = nullptr;
  std::atomic<bool> aborted_{false};
  Lane collectives_;
  std::mutex streams_mutex_;
  std::map<int, int64_t> streams_;  // for collectives, by device
  std::map<std::pair<int, int>, std::unique_ptr<MessageLane>> messages_;  // by device, and by peer and direction
  Watch watch_{*this};
};

// Rethrows the current exception as an error that names the collective: a DistBackendError, unless the exception is one of Python's own
// kinds such as ValueError.
[[noreturn]] void rethrow_with_name(const std::string& what);

}  // namespace mt::dist
