// The protocol of a TCPStore: torch 2.13's, as observed between its clients and servers.
//
// A request is its kind (one byte) and its arguments; numbers are 64 bits of the machine's order (little endian everywhere that torch
// runs), texts and lists have their length before them. A user's key has "/" in front. A connection begins with `validate` and `ping`.
// After `wait` or `barrier` the client may `cancel`, and then gets `cancelled`, after `done` if the two crossed.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "distributed/socket.h"
#include "distributed/store.h"

namespace mt::dist {

enum class Query : uint8_t {
  validate,     // 32 bits of `validation` -> nothing
  set,          // key, value -> nothing
  compare_set,  // key, expected, desired -> value
  get,          // key -> value
  add,          // key, number -> number
  check,        // keys -> 0: all exist, 1: not
  wait,         // keys -> `done` once all exist
  count,        // -> number
  remove,       // key -> number of removed keys
  append,       // key, value -> nothing
  multi_get,    // keys -> values, without their count
  multi_set,    // count, then keys and values alternately -> nothing
  cancel,       // -> `cancelled`
  ping,         // 32 bits -> the same
  push,         // key, value -> nothing
  pop,          // key -> number 0 (empty), or 1 and the value
  queue_size,   // key -> number
  keys,         // -> count, then each
  barrier,      // key, number of callers -> `done` once as many have called
  last = barrier
};
inline constexpr uint32_t validation = 0x3C85F7CE;
inline constexpr uint8_t done = 0, cancelled = 1;
inline constexpr uint64_t longest_key = 8 << 10, longest_value = 8 << 20, most_keys = 128 << 10;  // as torch's server does

// Builds a request or an answer: appends numbers and texts to its bytes.
struct Message {
  std::string bytes;
  template <class T>
  Message& append_number(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Message& append_text(const std::string& value) {
    append_number(uint64_t(value.size()));
    bytes += value;
    return *this;
  }
};
inline Message start_request(Query query) { return Message().append_number(uint8_t(query)); }

// The server of one port: a thread that serves all clients until its last owner releases it.
class TcpServer {
 public:
  // Throws NetworkError.
  static std::shared_ptr<TcpServer> start(const TcpOptions& options);
  virtual ~TcpServer() = default;
  virtual int port() const = 0;
};

}  // namespace mt::dist
