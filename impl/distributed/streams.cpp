// Collectives on streams of a device. Each channel has its own streams, which events order with those of the callers, and a thread that
// watches for ends, errors and timeouts.
#include "distributed/streams.h"

#include "core/exception.h"
#include "distributed/group.h"

namespace mt::dist {
namespace {

constexpr auto shortest_pause = std::chrono::microseconds(100), longest_pause = std::chrono::microseconds(2000);
constexpr int64_t time_for_release = 5000;  // milliseconds
constexpr auto time_to_connect = std::chrono::milliseconds(1000);
constexpr int high_priority = -1;

// Makes a stream the current one of this thread.
class StreamScope {
 public:
  StreamScope(int device, int64_t stream) : device_(device), old_(npu::current_stream(device).id) {
    npu::set_current_stream(device, stream);
  }
  ~StreamScope() {
    succeeds([&] { npu::set_current_stream(device_, old_); });  // the next use of a device that failed reports that
  }
  StreamScope(const StreamScope&) = delete;

 private:
  const int device_;
  const int64_t old_;
};

}  // namespace

// ---- watch ------------------------------------------------------------------------------------------------------------------

void Watch::add(Ref<Work> work) {
  {
    std::lock_guard lock(mutex_);
    works_.push_back(std::move(work));
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  }
  changed_.notify_all();
}

void Watch::drain() {
  std::unique_lock lock(mutex_);
  if (thread_.joinable() && thread_.get_id() == std::this_thread::get_id()) return;
  changed_.wait(lock, [&] { return works_.empty(); });
}

void Watch::stop() {
  {
    std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

// Ends the work if its stream has reached its end, it failed, or its timeout has passed.
void Watch::try_to_end(Work& work) {
  DeviceTurn& turn = *work.turn;
  if (work.has_failed()) return;  // the thread that enqueued it ends it
  try {
    try {
      const bool is_enqueued = work.is_enqueued(), is_reached = is_enqueued && turn.end.query();
      channel_.throw_async_error();
      if (is_reached) return work.finish(nullptr);
      check(!channel_.is_aborted(), "the group was aborted");
      // While the backend still connects, it gets more time than the deadline: it reports the missing ranks itself.
      if (Clock::now() >= turn.deadline + (is_enqueued ? std::chrono::milliseconds(0) : time_to_connect))
        throw Error("DistBackendError", "Operation timed out! It did not end within " + std::to_string(work.timeout) + "ms");
    } catch (...) {
      rethrow_with_name(work.name);
    }
  } catch (...) {
    const bool is_first = channel_.refuse();  // a program that sees the error can start nothing more
    work.finish(std::current_exception());
    if (is_first) channel_.end_all();
  }
}

// Whether the device no longer uses the work's memory. If it still does after a while, never frees that memory and returns true.
bool Watch::is_released(Work& work) {
  DeviceTurn& turn = *work.turn;
  bool is_over = false;
  succeeds([&] { is_over = !work.is_enqueued() || turn.end.query(); });  // if not, the work has an error already
  if (is_over) return true;
  if (turn.release == Deadline::max()) turn.release = after(time_for_release);
  if (after(0) < turn.release) return false;
  static auto& given_up = *new std::vector<Tensor>;
  static auto& lock = *new std::mutex;
  std::lock_guard guard(lock);
  given_up.insert(given_up.end(), work.tensors.begin(), work.tensors.end());
  return true;
}

void Watch::serve() {
  auto pause = shortest_pause;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stops_ || !works_.empty(); });
    if (stops_) return;
    std::list<Ref<Work>> ended;
    for (auto each = works_.begin(); each != works_.end();) {
      const auto here = each++;
      lock.unlock();  // list elements stay valid: only this thread removes them
      if (!(*here)->is_completed()) try_to_end(**here);
      const bool has_end = (*here)->is_completed(), is_over = has_end && is_released(**here);
      if (has_end && !is_over && channel_.is_aborted()) channel_.abort_streams();  // also what was added during the first abort
      lock.lock();
      if (is_over) ended.splice(ended.end(), works_, here);
    }
    const bool is_any = !ended.empty();
    lock.unlock();
    for (const Ref<Work>& work : ended) work->tensors.clear();
    ended.clear();
    changed_.notify_all();
    pause = is_any ? shortest_pause : std::min(pause * 2, longest_pause);
    std::this_thread::sleep_for(pause);
    lock.lock();
  }
}

// ---- channels ---------------------------------------------------------------------------------------------------------------

void Channel::throw_async_error() { rethrow_status(backend_.async_error(backend_.user, self_)); }

void Channel::start_on_stream(Ref<Work> work, int device, const Collective& what, std::function<void()> body) {
  device = npu::checked_device(device);
  const bool is_message = what.kind == MT_SEND || what.kind == MT_RECEIVE;
  Lane* lane = &collectives_;
  int64_t stream = 0;
  {
    std::lock_guard lock(streams_mutex_);
    const auto new_stream = [&] { return npu::new_stream(device, high_priority).id; };
    if (is_message) {
      auto& found = messages_[{device, what.root * 2 + (what.kind == MT_SEND)}];
      if (!found) {
        found = std::make_unique<MessageLane>();
        found->stream = new_stream();
      }
      lane = &found->lane;
      stream = found->stream;
    } else {
      auto [found, is_new] = streams_.try_emplace(device, 0);
      if (is_new) found->second = new_stream();
      stream = found->second;
    }
  }
  work->turn = std::make_shared<DeviceTurn>(device, what.kind == MT_BARRIER, work->timeout);
  work->turn->ready.record(npu::current_stream(device));
  if (!is_aborted()) watch_.add(work);  // otherwise run() refuses the work, and nothing is to be watched
  lane->start(work, what.is_async, [work, device, stream, body = std::move(body)] {
    const npu::DeviceScope scope(device);
    const StreamScope current(device, stream);
    DeviceTurn& turn = *work->turn;
    const npu::Stream& own = npu::stream_of(device, stream);
    turn.ready.wait(own);
    try {
      body();
    } catch (...) {
      // Part of the work may run already: its memory is released after this event.
      turn.end.record(own);
      work->set_enqueued(true);
      throw;
    }
    turn.end.record(own);
    work->set_enqueued(false);
  });
}

// Aborts the channel's streams, on which works may wait for peers for ever, if the vendor's library can do that.
void Channel::abort_streams() {
  const npu::Acl* acl = npu::loaded_acl();
  if (!acl || !acl->aclrtStreamAbort) return;
  std::lock_guard lock(streams_mutex_);
  const auto abort_one = [&](int device, int64_t stream) {
    succeeds([&] {  // the next use of a device that failed reports that
      const npu::DeviceScope scope(device);
      acl->aclrtStreamAbort(npu::stream_of(device, stream).handle);
    });
  };
  for (const auto& [device, stream] : streams_) abort_one(device, stream);
  for (const auto& [key, lane] : messages_) abort_one(key.first, lane->stream);
}

void Channel::fill_stream(mt_transfer& transfer) {
  const npu::Stream& stream = npu::current_stream(-1);
  transfer.stream = stream.handle;
  transfer.device = stream.device;
}

}  // namespace mt::dist
