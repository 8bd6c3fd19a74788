// Streams: a queue and a worker thread each, capture into graphs, and replay.
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "npu_sim/simulator.h"

namespace mt::npu_sim {
namespace {

struct Streams {
  std::mutex mutex;
  std::vector<Stream*> all;  // never freed
  pid_t owner = getpid();
};
Streams& streams() {
  static auto* const all = new Streams();
  return *all;
}

bool is_event(const Task& task) { return task.accesses.empty() && task.name.starts_with("event"); }

void run_worker(Stream* stream) {
  std::unique_lock lock(stream->mutex);
  for (;;) {
    stream->changed.wait(lock, [&] { return stream->stopping || !stream->queue.empty(); });
    if (stream->stopping) return;
    Task task = std::move(stream->queue.front());
    stream->queue.pop_front();
    stream->busy = true;
    aclError error = stream->error;
    lock.unlock();
    std::string text;
    if (is_event(task)) {
      task.work();  // waiters continue, whatever happened
    } else if (error == acl::success) {
      if (const int64_t delay = task_delay()) std::this_thread::sleep_for(std::chrono::microseconds(delay));
      error = task_fault(stream->device);
      text = error ? task.name + ": injected fault of the device" : "";
      if (error == acl::success) {
        set_error_text("");
        error = task.work();
        text = task.name + ": " + error_text();
      }
    }
    task = {};
    lock.lock();
    if (error != acl::success && stream->error == acl::success) {
      stream->error = error;
      stream->error_text = text;
    }
    stream->busy = false;
    stream->changed.notify_all();
  }
}

std::vector<Stream*> streams_of(int device) {
  std::lock_guard lock(streams().mutex);
  std::vector<Stream*> found;
  for (Stream* s : streams().all)
    if (s->device == device) found.push_back(s);
  return found;
}

// Stops workers before the process unloads its libraries.
[[gnu::destructor]] void stop_workers() {
  if (streams().owner != getpid()) return;  // a forked child has no workers
  std::lock_guard lock(streams().mutex);
  for (Stream* s : streams().all) {
    std::lock_guard stream_lock(s->mutex);
    s->stopping = true;
    ++s->aborts;  // a collective would wait for its peers
    s->changed.notify_all();
  }
  for (Stream* s : streams().all) s->worker.join();
}

}  // namespace

Stream* create_stream(int device) {
  auto* stream = new Stream();
  std::lock_guard lock(streams().mutex);
  stream->device = device;
  stream->index = int(streams().all.size());
  stream->worker = std::thread(run_worker, stream);
  streams().all.push_back(stream);
  return stream;
}
bool is_stream(const void* handle) {
  std::lock_guard lock(streams().mutex);
  return std::find(streams().all.begin(), streams().all.end(), handle) != streams().all.end();
}

aclError submit(Stream& stream, Task task) {
  std::lock_guard lock(stream.mutex);
  if (stream.graph) {
    stream.graph->tasks.push_back(std::move(task));
    return acl::success;
  }
  if (is_lost(stream.device)) {
    set_error_text("the device is lost");
    if (!task.name.starts_with("event")) return acl::error_rt_lost_heartbeat;
  }
  if (!task.accesses.empty()) record_accesses(stream.index, stream.clock, task.name, task.accesses);
  stream.queue.push_back(std::move(task));
  stream.changed.notify_all();
  return acl::success;
}

aclError wait_for(Stream& stream) {
  std::unique_lock lock(stream.mutex);
  if (stream.graph) {
    set_error_text("a stream that is captured cannot be waited for");
    return acl::error_rt_feature_not_support;
  }
  stream.changed.wait(lock, [&] { return stream.queue.empty() && !stream.busy; });
  add_to_host_clock(stream.clock);
  if (stream.error != acl::success) set_error_text(stream.error_text);
  return stream.error;
}
bool is_idle(Stream& stream) {
  std::lock_guard lock(stream.mutex);
  const bool idle = stream.queue.empty() && !stream.busy;
  if (idle) add_to_host_clock(stream.clock);
  return idle;
}
aclError wait_for_device(int device) {
  aclError first = acl::success;
  std::string text;
  for (Stream* stream : streams_of(device)) {
    {
      std::lock_guard lock(stream->mutex);
      if (stream->graph) continue;
    }
    const aclError error = wait_for(*stream);
    if (error && !first) first = error, text = error_text();
  }
  if (first) set_error_text(text);
  return first;
}

void restart_aborted_streams() {
  std::lock_guard lock(streams().mutex);
  for (Stream* stream : streams().all) {
    std::unique_lock stream_lock(stream->mutex);
    stream->changed.wait(stream_lock, [&] { return stream->queue.empty() && !stream->busy; });
    stream->error = acl::success;
    stream->error_text.clear();
  }
}

void set_error(Stream& stream, aclError error, const std::string& text) {
  std::lock_guard lock(stream.mutex);
  if (error == acl::success || stream.error != acl::success) return;
  stream.error = error;
  stream.error_text = text;
}
void abort_stream(Stream& stream) {
  std::lock_guard lock(stream.mutex);
  ++stream.aborts;
  std::erase_if(stream.queue, [](const Task& task) { return !is_event(task); });
}

aclError begin_capture(Stream& stream) {
  std::lock_guard lock(stream.mutex);
  if (stream.graph) return acl::error_rt_param_invalid;
  stream.graph = std::make_shared<Graph>();
  return acl::success;
}
std::shared_ptr<Graph> end_capture(Stream& stream) {
  std::shared_ptr<Graph> graph;
  {
    std::lock_guard lock(stream.mutex);
    graph = stream.graph;
  }
  std::lock_guard lock(streams().mutex);
  for (Stream* other : streams().all) {  // streams that joined the capture leave it too
    std::lock_guard other_lock(other->mutex);
    if (other->graph == graph) other->graph = nullptr;
  }
  return graph;
}
void join_capture(Stream& stream, std::shared_ptr<Graph> graph) {
  std::lock_guard lock(stream.mutex);
  if (!stream.graph) stream.graph = std::move(graph);
}
aclError replay(Graph& graph, Stream& stream) {
  for (const Task& task : graph.tasks)
    if (const aclError error = submit(stream, task)) return error;
  return acl::success;
}

}  // namespace mt::npu_sim
