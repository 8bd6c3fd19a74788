// A store in a file: records of a key and a value, read and written under a lock. The format is that of torch's FileStore: a 32-bit length
// before each text; "/" before a user's keys, "-" before one that was removed.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "distributed/socket.h"
#include "distributed/store.h"

namespace mt::dist {
namespace {

// The key under which processes that use the file count themselves.
constexpr const char* users_key = "refcount/";
constexpr uint32_t longest = 1u << 30;

struct LockedFile {
  int descriptor;
  LockedFile(const std::string& path, bool make) : descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC | (make ? O_CREAT : 0), 0644)) {
    mt::check(descriptor >= 0, "open({}): {}", path, std::strerror(errno));
    while (flock(descriptor, LOCK_EX) != 0) mt::check(errno == EINTR, "flock({}): {}", path, std::strerror(errno));
  }
  LockedFile(const LockedFile&) = delete;
  ~LockedFile() { close(descriptor); }
};

void append_field(std::string& out, const std::string& text) {
  const auto size = uint32_t(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
}
// Reads one string at `at` and advances `at`; returns false if the file ends before.
bool read_field(const std::string& data, size_t& at, std::string& out) {
  uint32_t size = 0;
  if (data.size() - at < sizeof size) return false;
  std::memcpy(&size, data.data() + at, sizeof size);
  if (size > longest || data.size() - at - sizeof size < size) return false;
  out.assign(data, at + sizeof size, size);
  at += sizeof size + size;
  return true;
}

struct FileStore final : Store {
  const std::string path;
  const int64_t world_size;
  std::mutex mutex;
  Table table;
  off_t position = 0;

  FileStore(std::string p, int64_t n) : path(std::move(p)), world_size(n) {
    LockedFile file(path, true);
    read_records(file);
    append_record(file, users_key, std::to_string(table.add(users_key, 1)));
  }
  ~FileStore() override {
    if (access(path.c_str(), F_OK) != 0) return;
    try {
      LockedFile file(path, false);
      read_records(file);
      const int64_t left = table.add(users_key, -1);
      append_record(file, users_key, std::to_string(left));
      if (left == 0 && world_size > 0) unlink(path.c_str());
    } catch (const std::exception&) {
      // The count of users is missing if another process removed the file.
    }
  }

  void read_records(const LockedFile& file) {
    struct stat found{};
    mt::check(fstat(file.descriptor, &found) == 0, "fstat({}): {}", path, std::strerror(errno));
    if (found.st_size <= position) return;
    std::string data(size_t(found.st_size - position), '\0');
    size_t filled = 0;
    while (filled < data.size()) {
      const ssize_t got = pread(file.descriptor, data.data() + filled, data.size() - filled, position + off_t(filled));
      mt::check(got > 0, "read({}): {}", path, got == 0 ? "end of file" : std::strerror(errno));
      filled += size_t(got);
    }
    size_t at = 0, whole = 0;
    std::string key, value;
    while (read_field(data, at, key) && read_field(data, at, value)) {
      if (key.starts_with('-'))
        table.remove(key.substr(1));
      else
        table.set(key, value);
      whole = at;
    }
    position += off_t(whole);  // reads an incomplete record again later
  }
  void append_record(const LockedFile& file, const std::string& key, const std::string& value) {
    std::string record;
    append_field(record, key);
    append_field(record, value);
    size_t done = 0;
    while (done < record.size()) {
      const ssize_t got = pwrite(file.descriptor, record.data() + done, record.size() - done, position + off_t(done));
      mt::check(got > 0 || errno == EINTR, "write({}): {}", path, std::strerror(errno));
      if (got > 0) done += size_t(got);
    }
    position += off_t(record.size());
  }

  // Runs body(file) on the current contents of the file.
  template <class F>
  auto run_locked(F&& body) {
    std::lock_guard guard(mutex);
    LockedFile file(path, true);
    read_records(file);
    return body(file);
  }
  static std::string add_user_prefix(const std::string& key) { return "/" + key; }
  static Keys add_user_prefix(const Keys& keys) {
    Keys out;
    for (const auto& key : keys) out.push_back(add_user_prefix(key));
    return out;
  }
  // Polls until is_there() or the timeout, since nothing announces changes of a file.
  template <class F>
  void poll_until(int64_t milliseconds, const std::string& late, F&& is_there) {
    const Deadline deadline = after(milliseconds);
    while (!run_locked([&](const LockedFile&) { return is_there(); })) {
      if (milliseconds_until(deadline) == 0) fail("{}", late);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  static std::string describe_timeout(const std::string& key, int64_t milliseconds) {
    return "Timeout waiting for key: " + key + " after " + std::to_string(milliseconds) + " ms";
  }

  void set(const std::string& key, const std::string& value) override {
    run_locked([&](const LockedFile& file) {
      table.set(add_user_prefix(key), value);
      append_record(file, add_user_prefix(key), value);
    });
  }
  std::string get(const std::string& key) override {
    std::string out;
    poll_until(timeout, describe_timeout(key, timeout), [&] {
      const std::string* found = table.find(add_user_prefix(key));
      if (found) out = *found;
      return found != nullptr;
    });
    return out;
  }
  int64_t add(const std::string& key, int64_t amount) override {
    return run_locked([&](const LockedFile& file) {
      const int64_t sum = table.add(add_user_prefix(key), amount);
      append_record(file, add_user_prefix(key), std::to_string(sum));
      return sum;
    });
  }
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override {
    return run_locked([&](const LockedFile& file) {
      const std::string* old = table.find(add_user_prefix(key));
      const bool stores = old ? *old == expected : expected.empty();
      std::string out = table.compare_set(add_user_prefix(key), expected, desired);
      if (stores) append_record(file, add_user_prefix(key), desired);
      return out;
    });
  }
  bool remove(const std::string& key) override {
    return run_locked([&](const LockedFile& file) {
      const bool existed = table.remove(add_user_prefix(key));
      if (existed) append_record(file, "-" + add_user_prefix(key), "");
      return existed;
    });
  }
  bool check(const Keys& keys) override {
    return run_locked([&](const LockedFile&) { return table.has_all(add_user_prefix(keys)); });
  }
  void wait(const Keys& keys, int64_t milliseconds) override {
    poll_until(milliseconds, keys.size() == 1 ? describe_timeout(keys[0], milliseconds) : "Wait timeout",
               [&] { return table.has_all(add_user_prefix(keys)); });
  }
  int64_t count() override {
    return run_locked([&](const LockedFile&) { return int64_t(table.count()); });
  }
  // Removes the first letter of each key, the prefix of user keys. As in torch, it does so even for the store's own key, which has no such
  // prefix: the count of users.
  Keys keys() override {
    return run_locked([&](const LockedFile&) {
      Keys out;
      for (const auto& key : table.keys()) out.push_back(key.substr(1));
      return out;
    });
  }
  void append(const std::string& key, const std::string& value) override {
    run_locked([&](const LockedFile& file) {
      table.append(add_user_prefix(key), value);
      append_record(file, add_user_prefix(key), *table.find(add_user_prefix(key)));
    });
  }
  Ref<Store> clone() override { return make_file_store(path, world_size); }
};

}  // namespace

Ref<Store> make_file_store(const std::string& path, int64_t world_size) { return Ref<Store>::adopt(new FileStore(path, world_size)); }

}  // namespace mt::dist
