// Stores within one process, prefix stores, and stores that a program implements.
#include "distributed/store.h"

#include <chrono>
#include <cstdlib>

#include "core/exception.h"
#include "distributed/socket.h"
#include "mindtorch/distributed.h"

namespace mt::dist {

void fail_store(const std::string& text) { throw Error("DistStoreError", text); }
void fail_network(const std::string& text) { throw Error("DistNetworkError", text); }
void fail_empty_queue() { throw Error("QueueEmptyError", "queue is empty"); }

int64_t number_of(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const int64_t value = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str() || errno == ERANGE) fail(ErrorKind::value, "stoll");
  return value;
}

// ---- default implementations of optional functions ----------------------------------------------------------------

Values Store::multi_get(const Keys& keys) {
  Values out;
  for (const auto& key : keys) out.push_back(get(key));
  return out;
}
void Store::multi_set(const Keys& keys, const Values& values) {
  for (size_t i = 0; i < keys.size(); ++i) set(keys[i], values[i]);
}
void Store::push(const std::string&, const std::string&) { fail(ErrorKind::not_implemented, "queue support is not implemented."); }
std::string Store::pop(const std::string&, bool) { fail(ErrorKind::not_implemented, "queue support is not implemented."); }
int64_t Store::queue_size(const std::string&) { fail(ErrorKind::not_implemented, "queue support is not implemented."); }
void Store::barrier(const std::string& key, int64_t world_size, int64_t milliseconds) {
  if (add(key, 1) == world_size) set(key + ":done", "1");
  wait({key + ":done"}, milliseconds);
}

// ---- the table ----------------------------------------------------------------------------------------------------

const std::string* Table::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}
int64_t Table::add(const std::string& key, int64_t amount) {
  const std::string* old = find(key);
  const int64_t sum = int64_t(uint64_t(old ? number_of(*old) : 0) + uint64_t(amount));
  values_[key] = std::to_string(sum);
  return sum;
}
std::string Table::compare_set(const std::string& key, const std::string& expected, const std::string& desired) {
  const std::string* old = find(key);
  if (old ? *old != expected : !expected.empty()) return old ? *old : expected;
  values_[key] = desired;
  return desired;
}
bool Table::has_all(const Keys& keys) const {
  for (const auto& key : keys)
    if (!has(key)) return false;
  return true;
}
Keys Table::keys() const {
  Keys out;
  for (const auto& [key, value] : values_) out.push_back(key);
  return out;
}
bool Table::pop(const std::string& key, std::string& out) {
  const auto found = queues_.find(key);
  if (found == queues_.end()) return false;
  out = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) queues_.erase(found);
  return true;
}
size_t Table::queue_size(const std::string& key) const {
  const auto found = queues_.find(key);
  return found == queues_.end() ? 0 : found->second.size();
}

namespace {

// ---- in memory ----------------------------------------------------------------------------------------------------

struct HashStore final : Store {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    Table table;
  };
  std::shared_ptr<Shared> shared;
  explicit HashStore(std::shared_ptr<Shared> s) : shared(std::move(s)) {}

  template <class F>
  auto run_locked(F&& body) {
    std::unique_lock lock(shared->mutex);
    return body(shared->table);
  }
  template <class F>
  auto run_locked_and_notify(F&& body) {
    std::unique_lock lock(shared->mutex);
    shared->changed.notify_all();  // a thread that waits takes the lock after this call
    return body(shared->table);
  }
  template <class F>
  void wait_until(std::unique_lock<std::mutex>& lock, int64_t milliseconds, F&& is_there) {
    if (!shared->changed.wait_until(lock, after(milliseconds), is_there)) fail_store("Wait timeout");
  }

  void set(const std::string& key, const std::string& value) override {
    run_locked_and_notify([&](Table& t) { t.set(key, value); });
  }
  std::string get(const std::string& key) override {
    std::unique_lock lock(shared->mutex);
    wait_until(lock, timeout, [&] { return shared->table.find(key) != nullptr; });
    return *shared->table.find(key);
  }
  int64_t add(const std::string& key, int64_t amount) override {
    return run_locked_and_notify([&](Table& t) { return t.add(key, amount); });
  }
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override {
    return run_locked_and_notify([&](Table& t) { return t.compare_set(key, expected, desired); });
  }
  bool remove(const std::string& key) override {
    return run_locked([&](Table& t) { return t.remove(key); });
  }
  bool check(const Keys& keys) override {
    return run_locked([&](Table& t) { return t.has_all(keys); });
  }
  void wait(const Keys& keys, int64_t milliseconds) override {
    std::unique_lock lock(shared->mutex);
    wait_until(lock, milliseconds, [&] { return shared->table.has_all(keys); });
  }
  int64_t count() override {
    return run_locked([](Table& t) { return int64_t(t.count()); });
  }
  Keys keys() override {
    return run_locked([](Table& t) { return t.keys(); });
  }
  void append(const std::string& key, const std::string& value) override {
    run_locked_and_notify([&](Table& t) { t.append(key, value); });
  }
  void push(const std::string& key, const std::string& value) override {
    run_locked_and_notify([&](Table& t) { t.push(key, value); });
  }
  std::string pop(const std::string& key, bool block) override {
    std::unique_lock lock(shared->mutex);
    if (block) wait_until(lock, timeout, [&] { return shared->table.queue_size(key) > 0; });
    std::string out;
    if (!shared->table.pop(key, out)) fail_empty_queue();
    return out;
  }
  int64_t queue_size(const std::string& key) override {
    return run_locked([&](Table& t) { return int64_t(t.queue_size(key)); });
  }
  Ref<Store> clone() override { return Ref<Store>::adopt(new HashStore(shared)); }
};

// ---- stores that prefix their keys -----------------------------------------------------------------------------------

struct PrefixStore final : Store {
  std::string prefix;
  Ref<Store> store;
  PrefixStore(std::string p, Ref<Store> s) : prefix(std::move(p)), store(std::move(s)) {}

  std::string with_prefix(const std::string& key) const { return prefix + "/" + key; }
  Keys with_prefix(const Keys& keys) const {
    Keys out;
    for (const auto& key : keys) out.push_back(with_prefix(key));
    return out;
  }
  int64_t current_timeout() const override { return store->current_timeout(); }
  void set_timeout(int64_t milliseconds) override { store->set_timeout(milliseconds); }
  void set(const std::string& key, const std::string& value) override { store->set(with_prefix(key), value); }
  std::string get(const std::string& key) override { return store->get(with_prefix(key)); }
  int64_t add(const std::string& key, int64_t amount) override { return store->add(with_prefix(key), amount); }
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override {
    return store->compare_set(with_prefix(key), expected, desired);
  }
  bool remove(const std::string& key) override { return store->remove(with_prefix(key)); }
  bool check(const Keys& keys) override { return store->check(with_prefix(keys)); }
  void wait(const Keys& keys, int64_t milliseconds) override { store->wait(with_prefix(keys), milliseconds); }
  int64_t count() override { return store->count(); }
  // The keys below the prefix, with the prefix removed.
  Keys keys() override {
    Keys out;
    for (const auto& key : store->keys())
      if (key.starts_with(prefix + "/")) out.push_back(key.substr(prefix.size() + 1));
    return out;
  }
  void append(const std::string& key, const std::string& value) override { store->append(with_prefix(key), value); }
  Values multi_get(const Keys& keys) override { return store->multi_get(with_prefix(keys)); }
  void multi_set(const Keys& keys, const Values& values) override { store->multi_set(with_prefix(keys), values); }
  void push(const std::string& key, const std::string& value) override { store->push(with_prefix(key), value); }
  std::string pop(const std::string& key, bool block) override { return store->pop(with_prefix(key), block); }
  int64_t queue_size(const std::string& key) override { return store->queue_size(with_prefix(key)); }
  void barrier(const std::string& key, int64_t world_size, int64_t milliseconds) override {
    store->barrier(with_prefix(key), world_size, milliseconds);
  }
  Ref<Store> clone() override { return make_prefix_store(prefix, store->clone()); }
};

// ---- stores that a program implements ------------------------------------------------------------------------------

struct ForeignStore final : Store {
  mt_store_table table;
  void* user;
  void (*destroy_user)(void*);
  ForeignStore(const mt_store_table& t, void* u, void (*d)(void*)) : table(t), user(u), destroy_user(d) {}
  ~ForeignStore() override {
    if (destroy_user) destroy_user(user);
  }

  template <class... P, class... A>
  void call_table(mt_status* (*function)(void*, P...), const char* name, A... arguments) {
    check(function != nullptr, ErrorKind::not_implemented, "this store has no {}", name);
    rethrow_status(function(user, arguments...));
  }
  static void check(bool ok, ErrorKind kind, const char* text, const char* name) { mt::check(ok, kind, text, name); }
  static mt_value text_of(const std::string& bytes) {
    mt_value value{};
    value.tag = MT_TAG_STRING;
    value.as.string = {bytes.data(), int64_t(bytes.size())};
    return value;
  }
  struct Texts {
    std::vector<mt_value> items;
    mt_value value{};
    explicit Texts(const std::vector<std::string>& texts) {
      for (const auto& text : texts) items.push_back(text_of(text));
      value.tag = MT_TAG_STRINGS;
      value.as.list = {items.data(), int64_t(items.size())};
    }
  };
  struct Result {
    mt_value value{};
    ~Result() { mt_value_clear(&value); }
    std::string text() const {
      mt::check(value.tag == MT_TAG_STRING, ErrorKind::type, "a store's value must be bytes");
      return std::string(value.as.string.data, size_t(value.as.string.size));
    }
  };

  void set(const std::string& key, const std::string& value) override {
    const mt_value v = text_of(value);
    call_table(table.set, "set", key.c_str(), &v);
  }
  std::string get(const std::string& key) override {
    Result out;
    call_table(table.get, "get", key.c_str(), &out.value);
    return out.text();
  }
  int64_t add(const std::string& key, int64_t amount) override {
    int64_t out = 0;
    call_table(table.add, "add", key.c_str(), amount, &out);
    return out;
  }
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override {
    const mt_value e = text_of(expected), d = text_of(desired);
    Result out;
    call_table(table.compare_set, "compare_set", key.c_str(), &e, &d, &out.value);
    return out.text();
  }
  bool remove(const std::string& key) override {
    int32_t out = 0;
    call_table(table.remove, "delete_key", key.c_str(), &out);
    return out != 0;
  }
  bool check(const Keys& keys) override {
    const Texts k(keys);
    int32_t out = 0;
    call_table(table.check, "check", &k.value, &out);
    return out != 0;
  }
  void wait(const Keys& keys, int64_t milliseconds) override {
    const Texts k(keys);
    call_table(table.wait, "wait", &k.value, milliseconds);
  }
  int64_t count() override {
    int64_t out = 0;
    call_table(table.count, "num_keys", &out);
    return out;
  }
  Keys keys() override { fail(ErrorKind::not_implemented, "this store has no list_keys"); }
  void append(const std::string& key, const std::string& value) override {
    const mt_value v = text_of(value);
    call_table(table.append, "append", key.c_str(), &v);
  }
  Values multi_get(const Keys& keys) override {
    if (!table.multi_get) return Store::multi_get(keys);
    const Texts k(keys);
    Result out;
    call_table(table.multi_get, "multi_get", &k.value, &out.value);
    mt::check(out.value.tag == MT_TAG_STRINGS && size_t(out.value.as.list.size) == keys.size(), ErrorKind::type,
              "multi_get must give as many values as keys");
    Values values;
    const auto* items = static_cast<const mt_value*>(out.value.as.list.data);
    for (size_t i = 0; i < keys.size(); ++i) values.emplace_back(items[i].as.string.data, size_t(items[i].as.string.size));
    return values;
  }
  void multi_set(const Keys& keys, const Values& values) override {
    if (!table.multi_set) return Store::multi_set(keys, values);
    const Texts k(keys), v(values);
    call_table(table.multi_set, "multi_set", &k.value, &v.value);
  }
  Ref<Store> clone() override { return Ref<Store>::share(this); }
};

}  // namespace

Ref<Store> make_hash_store() { return Ref<Store>::adopt(new HashStore(std::make_shared<HashStore::Shared>())); }
Ref<Store> make_prefix_store(const std::string& prefix, Ref<Store> store) {
  return Ref<Store>::adopt(new PrefixStore(prefix, std::move(store)));
}
Ref<Store> make_foreign_store(const mt_store_table& table, void* user, void (*destroy)(void* user)) {
  return Ref<Store>::adopt(new ForeignStore(table, user, destroy));
}
Store* without_prefixes(Store* store) {
  while (auto* prefixed = dynamic_cast<PrefixStore*>(store)) store = prefixed->store.get();
  return store;
}

}  // namespace mt::dist
