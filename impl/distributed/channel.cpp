// The table of backends by name, and channels: the thread and connections of one backend in one group.
#include "distributed/channel.h"

#include <dlfcn.h>
#include <unistd.h>

#include <map>

#include "core/exception.h"
#include "core/keys.h"
#include "core/library_folder.h"

namespace mt::dist {
namespace {

struct Backends {
  std::mutex mutex, loading;
  std::map<std::string, mt_backend> by_name;
};
Backends& backends() {
  static auto* all = new Backends;  // plugins may register while other threads look up, also during exit
  return *all;
}

const mt_backend* find_backend(const std::string& name) {
  std::lock_guard lock(backends().mutex);
  const auto found = backends().by_name.find(name);
  return found == backends().by_name.end() ? nullptr : &found->second;
}

// Returns the path of libmindtorch_NAME.so in the folder of this library.
std::string plugin_path(const std::string& name) {
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return "";
  const std::string folder = library_folder();
  return folder.empty() ? "" : folder + "/libmindtorch_" + name + ".so";
}

// Loads the plugin with this name; if it cannot be loaded, returns the reason.
std::string try_to_load(const std::string& name) {
  std::lock_guard lock(backends().loading);
  if (find_backend(name)) return "";
  if (name == "fake") {
    register_fake();
    return "";
  }
  // An MPI plugin is built for one machine's MPI, so it may be in another folder.
  const char* folder = secure_getenv("MINDTORCH_BACKEND_PATH");
  std::string path = plugin_path(name);
  if (const std::string given = std::string(folder ? folder : "") + "/libmindtorch_" + name + ".so";
      !path.empty() && folder && *folder && access(given.c_str(), R_OK) == 0)
    path = given;
  if (path.empty() || access(path.c_str(), R_OK) != 0) return "there is no " + (path.empty() ? "backend " + name : path);
  try {
    load_backend(path);
  } catch (const Error& error) {
    return error.message();
  }
  return find_backend(name) ? "" : path + " registers no backend " + name;
}

}  // namespace

void register_backend(const mt_backend& backend) {
  check(backend.name && backend.class_name && backend.create && backend.destroy && backend.run && backend.abort, ErrorKind::type,
        "a backend needs a name, a class name, create, destroy, run and abort");
  check(!backend.post == !backend.wait && !backend.post == !backend.drop, ErrorKind::type,
        "a backend needs all of post, wait and drop, or none");
  std::lock_guard lock(backends().mutex);
  const bool is_new = backends().by_name.emplace(backend.name, backend).second;
  check(is_new, "there is a backend {} already", backend.name);
}

void load_backend(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    fail("cannot load the backend {}", reason ? reason : path.c_str());
  }
  const auto entry = reinterpret_cast<mt_backend_plugin_fn>(dlsym(handle, MT_BACKEND_PLUGIN_ENTRY));
  check(entry != nullptr, "{} has no {}", path, MT_BACKEND_PLUGIN_ENTRY);
  rethrow_status(entry(mt_get_api));
}

bool is_backend_available(const std::string& name) { return find_backend(name) || try_to_load(name).empty(); }

const mt_backend& backend_named(const std::string& name) {
  if (const mt_backend* found = find_backend(name)) return *found;
  const std::string reason = try_to_load(name);
  check(reason.empty(), "Distributed package doesn't have {} built in: {}", name, reason);
  return *find_backend(name);
}

void rethrow_with_name(const std::string& what) {
  try {
    throw;
  } catch (const Error& error) {
    if (error.kind() != "RuntimeError" && error.kind() != "DistBackendError") throw;
    throw Error("DistBackendError", error.message() + " (" + what + ")");
  }
}

// ---- lanes ------------------------------------------------------------------------------------------------------------

namespace {

void run_work(Work& work, const std::function<void()>& body) {
  const GradMode off(false);
  try {
    body();
  } catch (...) {
    work.finish(std::current_exception());
    return;
  }
  if (!work.turn) work.finish(nullptr);
}

}  // namespace

void Lane::stop() {
  {
    std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  if (!thread_.joinable()) return;
  // If the last reference to the lane is released on the lane's own thread, the thread cannot join itself.
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

void Lane::start(Ref<Work> work, bool is_async, std::function<void()> body) {
  std::unique_lock lock(mutex_);
  if (!is_async && pending_ == 0) {
    ++pending_;
    lock.unlock();
    {
      std::lock_guard turn(running_);
      run_work(*work, body);
    }
    lock.lock();
    --pending_;
    return;
  }
  ++pending_;
  queue_.push_back({std::move(work), std::move(body)});
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  lock.unlock();
  changed_.notify_all();
}

void Lane::serve() {
  for (;;) {
    Entry entry;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stops_ || !queue_.empty(); });
      if (queue_.empty()) return;
      entry = std::move(queue_.front());
      queue_.pop_front();
    }
    {
      std::lock_guard turn(running_);
      run_work(*entry.work, entry.body);
    }
    {
      std::lock_guard lock(mutex_);
      --pending_;
    }
  }
}

// ---- channels -----------------------------------------------------------------------------------------------------------

Channel::Channel(const mt_backend& backend, const mt_group_options& options)
    : backend_(backend), rank_(options.rank), size_(options.size), group_(options.name ? options.name : "") {
  rethrow_status(backend_.create(backend_.user, &options, &self_));
}

Channel::~Channel() {
  if (uses_streams()) watch_.drain();
  abort();
  collectives_.stop();
  for (const auto& [key, each] : messages_) each->lane.stop();
  watch_.stop();
  backend_.destroy(backend_.user, self_);
}

void Channel::check_alive() const { check(!aborted_, "the group was aborted"); }

void Channel::run(mt_transfer transfer) {
  check_alive();
  transfer.struct_size = sizeof transfer;
  if (uses_streams()) fill_stream(transfer);
  rethrow_status(backend_.run(backend_.user, self_, &transfer));
}

void* Channel::post(const mt_transfer& transfer) {
  check_alive();
  check(backend_.post != nullptr, ErrorKind::not_implemented, "Backend {} does not support send", backend_.name);
  void* request = nullptr;
  rethrow_status(backend_.post(backend_.user, self_, &transfer, &request));
  return request;
}

void Channel::wait(void* request, int64_t milliseconds, int32_t* source) {
  rethrow_status(backend_.wait(backend_.user, self_, request, milliseconds, source));
}

void Channel::abort() {
  if (refuse()) end_all();
}

void Channel::end_all() {
  if (uses_streams()) abort_streams();
  backend_.abort(backend_.user, self_);
}

}  // namespace mt::dist
