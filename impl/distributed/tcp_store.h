// What the two ends of a TCPStore say to each other: torch 2.13's protocol, as its clients and servers were seen to speak it.
//
// A request is its kind (one byte) and its arguments; numbers are 64 bits of the machine's order (little endian everywhere that torch
// runs), texts and lists have their length before them. A user's key goes with "/" before it. A connection begins with `validate` and
// `ping`. After `wait` or `barrier` the client may `cancel`, and then gets `cancelled`, after `done` where both crossed.
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
  check,        // keys -> 0: all there, 1: not
  wait,         // keys -> `done` once all are there
  count,        // -> number
  remove,       // key -> number removed
  append,       // key, value -> nothing
  multi_get,    // keys -> values, without their number
  multi_set,    // number, then key and value in turn -> nothing
  cancel,       // -> `cancelled`
  ping,         // 32 bits -> the same
  push,         // key, value -> nothing
  pop,          // key -> number 0 (empty), or 1 and the value
  queue_size,   // key -> number
  keys,         // -> number, then each
  barrier,      // key, number of callers -> `done` once so many have come
  last = barrier
};
inline constexpr uint32_t validation = 0x3C85F7CE;
inline constexpr uint8_t done = 0, cancelled = 1;
inline constexpr uint64_t longest_key = 8 << 10, longest_value = 8 << 20, most_keys = 128 << 10;  // as torch's server has them

// Appends what a message is made of.
struct Message {
  std::string bytes;
  template <class T>
  Message& number(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Message& text(const std::string& value) {
    number(uint64_t(value.size()));
    bytes += value;
    return *this;
  }
};
inline Message request(Query query) { return Message().number(uint8_t(query)); }

// The server of one port: a thread that answers all clients until its last owner goes.
class TcpServer {
 public:
  // Throws NetworkError.
  static std::shared_ptr<TcpServer> start(const TcpOptions& options);
  virtual ~TcpServer() = default;
  virtual int port() const = 0;
};

}  // namespace mt::dist
