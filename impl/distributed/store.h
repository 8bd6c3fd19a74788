// Stores: tables of bytes by key through which processes find each other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/object.h"

struct mt_store_table;

namespace mt::dist {

using Keys = std::vector<std::string>;
using Values = std::vector<std::string>;

struct Store : Object {
  Store() : Object(Kind::store) {}
  virtual ~Store() = default;
  static void destroy(Store* store) noexcept {
    store->kind = Kind::freed;
    delete store;
  }

  std::atomic<int64_t> timeout{300'000};  // not used by prefix stores
  virtual int64_t current_timeout() const { return timeout; }
  virtual void set_timeout(int64_t milliseconds) { timeout = milliseconds; }

  virtual void set(const std::string& key, const std::string& value) = 0;
  virtual std::string get(const std::string& key) = 0;  // blocks until the key is set
  virtual int64_t add(const std::string& key, int64_t amount) = 0;
  virtual std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) = 0;
  virtual bool remove(const std::string& key) = 0;
  virtual bool check(const Keys& keys) = 0;
  virtual void wait(const Keys& keys, int64_t milliseconds) = 0;
  virtual int64_t count() = 0;
  virtual Keys keys() = 0;
  virtual void append(const std::string& key, const std::string& value) = 0;
  virtual Values multi_get(const Keys& keys);
  virtual void multi_set(const Keys& keys, const Values& values);
  virtual void push(const std::string& key, const std::string& value);
  virtual std::string pop(const std::string& key, bool block);
  virtual int64_t queue_size(const std::string& key);
  virtual void barrier(const std::string& key, int64_t world_size, int64_t milliseconds);
  virtual Ref<Store> clone() = 0;
};

[[noreturn]] void fail_store(const std::string& text);    // DistStoreError
[[noreturn]] void fail_network(const std::string& text);  // DistNetworkError
[[noreturn]] void fail_empty_queue();
// Parses a decimal number; as in torch, ValueError with the message of C++'s std::stoll.
int64_t number_of(const std::string& text);

// The contents of a store, without locks or waiting.
class Table {
 public:
  void set(const std::string& key, std::string value) { values_[key] = std::move(value); }
  const std::string* find(const std::string& key) const;
  int64_t add(const std::string& key, int64_t amount);
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired);
  bool remove(const std::string& key) { return values_.erase(key) > 0; }
  void append(const std::string& key, const std::string& value) { values_[key] += value; }
  // A queue that is not empty counts as an existing key.
  bool has(const std::string& key) const { return values_.contains(key) || queues_.contains(key); }
  bool has_all(const Keys& keys) const;
  size_t count() const { return values_.size(); }
  Keys keys() const;
  void push(const std::string& key, std::string value) { queues_[key].push_back(std::move(value)); }
  bool pop(const std::string& key, std::string& out);
  size_t queue_size(const std::string& key) const;

 private:
  std::map<std::string, std::string> values_;
  std::map<std::string, std::deque<std::string>> queues_;
};

Ref<Store> make_hash_store();
Ref<Store> make_file_store(const std::string& path, int64_t world_size);
Ref<Store> make_prefix_store(const std::string& prefix, Ref<Store> store);
Ref<Store> make_foreign_store(const mt_store_table& table, void* user, void (*destroy)(void* user));
// The store that prefix stores, if any, are wrapped around.
Store* without_prefixes(Store* store);

struct TcpOptions {
  std::string host, listen_address, secret;
  int port = 0;
  bool is_server = false, wait_for_workers = false, multi_tenant = false;
  int64_t world_size = 0;
  int descriptor = -1;
  int64_t timeout = 300'000;
};
Ref<Store> make_tcp_store(const TcpOptions& options);
bool is_tcp_store(const Store& store);
int tcp_port(const Store& store);
std::string tcp_description(const Store& store);
// The local address of the connection to the server; "" for other stores.
std::string local_address_of(Store& store);

}  // namespace mt::dist
