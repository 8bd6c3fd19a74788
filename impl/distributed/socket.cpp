// TCP sockets with deadlines, and authentication by a shared secret.
#include "distributed/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "distributed/sha256.h"

namespace mt::dist {
namespace {

constexpr std::string_view greeting = "MTS1";

[[noreturn]] void fail_errno(const char* what) { throw NetworkError{std::string(what) + ": " + std::strerror(errno)}; }

// Whether poll() reports one of the events before the deadline.
bool wait_for_events(int descriptor, short events, Deadline deadline) {
  pollfd entry{descriptor, events, 0};
  for (;;) {
    const int64_t left = milliseconds_until(deadline);
    const int ready = poll(&entry, 1, int(std::min<int64_t>(left, 1 << 30)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) fail_errno("poll");
    if (left == 0) return false;
  }
}

void prepare_socket(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

socklen_t size_of(const sockaddr_storage& address) { return address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }

}  // namespace

Deadline after(int64_t milliseconds) {
  constexpr int64_t longest = int64_t(1000) * 60 * 60 * 24 * 365;
  return Clock::now() + std::chrono::milliseconds(std::clamp<int64_t>(milliseconds, 0, longest));
}
int64_t milliseconds_until(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return std::max<int64_t>(left, 0);
}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Socket connect_to(const sockaddr_storage& address, Deadline deadline) {
  Socket socket(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) fail_errno("socket");
  if (connect(socket.descriptor(), reinterpret_cast<const sockaddr*>(&address), size_of(address)) != 0) {
    if (errno != EINPROGRESS) fail_errno("connect");
    if (!wait_for_events(socket.descriptor(), POLLOUT, deadline)) throw NetworkError{"connect: timed out", true};
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      errno = error;
      fail_errno("connect");
    }
  }
  prepare_socket(socket.descriptor());
  return socket;
}

Socket connect_to(const std::string& host, int port, Deadline deadline) {
  for (int64_t pause = 10;; pause = std::min<int64_t>(2 * pause, 500)) {
    NetworkError last{"no address"};
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); code != 0) {
      last.text = gai_strerror(code);
    } else {
      std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
      for (const addrinfo* each = found; each; each = each->ai_next) {
        sockaddr_storage address{};
        if (each->ai_addrlen > sizeof address) continue;
        std::memcpy(&address, each->ai_addr, each->ai_addrlen);
        try {
          return connect_to(address, deadline);
        } catch (const NetworkError& error) {
          last = error;
        }
      }
    }
    if (milliseconds_until(deadline) == 0) throw NetworkError{last.text, true};
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(pause, milliseconds_until(deadline))));
  }
}

Socket listen_on(const std::string& address, int port) {
  const auto attempt = [&](sockaddr_storage at) {
    Socket socket(::socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return socket;
    const int on = 1, off = 0;
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (at.ss_family == AF_INET6) setsockopt(socket.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(socket.descriptor(), reinterpret_cast<sockaddr*>(&at), size_of(at)) != 0 || listen(socket.descriptor(), SOMAXCONN) != 0)
      return Socket();
    return socket;
  };
  sockaddr_storage at{};
  auto& four = reinterpret_cast<sockaddr_in&>(at);
  auto& six = reinterpret_cast<sockaddr_in6&>(at);
  if (address.empty()) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(uint16_t(port));
    if (Socket socket = attempt(at)) return socket;
    // The machine has no IPv6.
    at = {};
    four.sin_family = AF_INET;
    four.sin_port = htons(uint16_t(port));
    if (Socket socket = attempt(at)) return socket;
    throw NetworkError{std::to_string(errno) + " " + std::strerror(errno)};
  }
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    throw NetworkError{std::to_string(EADDRNOTAVAIL) + " no address is named " + address};
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  for (const addrinfo* each = found; each; each = each->ai_next) {
    if (each->ai_addrlen > sizeof at) continue;
    at = {};
    std::memcpy(&at, each->ai_addr, each->ai_addrlen);
    if (Socket socket = attempt(at)) return socket;
  }
  throw NetworkError{std::to_string(errno) + " " + std::strerror(errno)};
}

Socket accept_from(const Socket& listener) {
  Socket socket(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket) prepare_socket(socket.descriptor());
  return socket;
}

void read_exactly(const Socket& socket, void* to, size_t size, Deadline deadline) {
  auto* next = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = recv(socket.descriptor(), next, size, MSG_DONTWAIT);
    if (got > 0) {
      next += got;
      size -= size_t(got);
    } else if (got == 0) {
      throw NetworkError{"Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?"};
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for_events(socket.descriptor(), POLLIN, deadline)) throw NetworkError{"timed out waiting for an answer", true};
    } else if (errno != EINTR) {
      fail_errno("recv");
    }
  }
}

void write_all(const Socket& socket, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket.descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(size_t(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for_events(socket.descriptor(), POLLOUT, deadline)) throw NetworkError{"timed out sending", true};
    } else if (errno != EINTR) {
      fail_errno("send");
    }
  }
}

bool wait_for_input(const Socket& socket, Deadline deadline) { return wait_for_events(socket.descriptor(), POLLIN, deadline); }

int port_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) != 0) fail_errno("getsockname");
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

std::string describe(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = "?";
  const bool is_six = address.ss_family == AF_INET6;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  const auto& four = reinterpret_cast<const sockaddr_in&>(address);
  inet_ntop(address.ss_family, is_six ? static_cast<const void*>(&six.sin6_addr) : &four.sin_addr, host, sizeof host);
  return "[" + std::string(host) + "]:" + std::to_string(ntohs(is_six ? six.sin6_port : four.sin_port));
}

std::string describe(const Socket& socket) {
  sockaddr_storage here{}, there{};
  socklen_t size = sizeof here;
  getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&here), &size);
  size = sizeof there;
  getpeername(socket.descriptor(), reinterpret_cast<sockaddr*>(&there), &size);
  return "SocketImpl(fd=" + std::to_string(socket.descriptor()) + ", addr=" + describe(here) + ", remote=" + describe(there) + ")";
}

// The client sends a hello: the greeting and its nonce. The server answers with its nonce and a proof over both nonces. Then the client
// sends its proof.
void prove_as_client(const Socket& socket, std::string_view secret, Deadline deadline) {
  const std::string mine = random_bytes(16);
  write_all(socket, std::string(greeting) + mine, deadline);
  std::string answer(answer_size, '\0');
  read_exactly(socket, answer.data(), answer.size(), deadline);
  const std::string both = mine + answer.substr(0, 16);
  if (!is_same_in_constant_time(answer.substr(16), hmac_sha256(secret, "server" + both)))
    throw NetworkError{"the other end does not know the secret"};
  write_all(socket, hmac_sha256(secret, "client" + both), deadline);
}

bool answer_client_hello(std::string_view hello, std::string_view secret, ServerProof& out) {
  if (hello.size() != hello_size || hello.substr(0, 4) != greeting) return false;
  const std::string theirs = random_bytes(16), both = std::string(hello.substr(4)) + theirs;
  out = {theirs + hmac_sha256(secret, "server" + both), hmac_sha256(secret, "client" + both)};
  return true;
}

}  // namespace mt::dist
