// TCP sockets whose calls all have a deadline.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace mt::dist {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
// A deadline `milliseconds` from now, limited so that the sum does not overflow.
Deadline after(int64_t milliseconds);
int64_t milliseconds_until(Deadline deadline);  // 0 if it has passed

// An open descriptor, closed with its owner.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();
  int descriptor() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

// An error of a connection; `timed_out` if its deadline passed.
struct NetworkError {
  std::string text;
  bool timed_out = false;
};

// Connects to any address of a host, and retries until the deadline. Throws NetworkError.
Socket connect_to(const std::string& host, int port, Deadline deadline);
Socket connect_to(const sockaddr_storage& address, Deadline deadline);
// Listens, without blocking, on an address, or on all if it is empty. Throws NetworkError with errno's number and
// message.
Socket listen_on(const std::string& address, int port);
// Accepts a connection, non-blocking and not inherited by children; an invalid socket if none waits or no descriptor is free.
Socket accept_from(const Socket& listener);

// Sends or receives all bytes, or throws NetworkError.
void read_exactly(const Socket& socket, void* to, size_t size, Deadline deadline);
void write_all(const Socket& socket, std::string_view bytes, Deadline deadline);
// Waits until there is something to read, or the connection ends; returns false at the deadline.
bool wait_for_input(const Socket& socket, Deadline deadline);

int port_of(const Socket& socket);
std::string describe(const sockaddr_storage& address);  // "[127.0.0.1]:4711"
std::string describe(const Socket& socket);             // "SocketImpl(fd=3, addr=[...]:1, remote=[...]:2)"

// Proves to each other that both ends know a secret, before anything else is read. Throws NetworkError.
void prove_as_client(const Socket& socket, std::string_view secret, Deadline deadline);
// The server's side of the proof in steps, for servers that must not block.
inline constexpr size_t hello_size = 4 + 16, answer_size = 16 + 32, proof_size = 32;
struct ServerProof {
  std::string answer;  // to be sent
  std::string expected;  // the client must send this next
};
// Returns nullopt if the hello is malformed.
bool answer_client_hello(std::string_view hello, std::string_view secret, ServerProof& out);

}  // namespace mt::dist
