// Connections between processes, and the exchange of messages over them. Every wait has a deadline.
#include "npu_sim/mesh.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

namespace mt::npu_sim {
namespace {

constexpr char root_info_prefix[] = "mindtorch-npu-sim:";  // begins a root info
constexpr size_t id_length = 32;               // of the random number that follows
constexpr int poll_milliseconds = 20;                      // milliseconds between checks for an abort
constexpr int hello_timeout_milliseconds = 1000;            // milliseconds within which a peer must say its rank

struct Hello {
  char id[id_length];
  int32_t rank;
};
struct Header {
  Label label;
  uint64_t bytes;
};

[[noreturn]] void fail(HcclResult code, const std::string& text) { throw Failure{code, text}; }
std::string rank_text(int rank) { return "rank " + std::to_string(rank); }
bool is_past(Mesh::Deadline deadline) { return std::chrono::steady_clock::now() >= deadline; }

sockaddr_un address_of(const char* id, int rank, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = std::string("mindtorch-hccl/") + std::string(id, id_length) + "/" + std::to_string(rank);
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // abstract: the first byte is 0
  length = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

struct Descriptor {
  int number;
  explicit Descriptor(int n) : number(n) {
    if (n < 0) fail(hccl::error_syscall, std::string("no socket: ") + std::strerror(errno));
  }
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  int release() { return std::exchange(number, -1); }
};
int new_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int connect_to(const Hello& hello, int peer, Mesh::Deadline deadline) {
  socklen_t length = 0;
  const sockaddr_un address = address_of(hello.id, peer, length);
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    Descriptor socket(new_socket());
    if (connect(socket.number, reinterpret_cast<const sockaddr*>(&address), length) == 0 &&
        send(socket.number, &hello, sizeof hello, MSG_NOSIGNAL) == ssize_t(sizeof hello))
      return socket.release();
    if (is_past(deadline)) fail(hccl::error_timeout, rank_text(peer) + " did not connect in time");
  }
}

bool is_same_user(int descriptor) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

// Reads the greeting of a new connection and returns the rank of its peer; -1 for a stranger.
int read_hello(int descriptor, const char* id) {
  const timeval limit{hello_timeout_milliseconds / 1000, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  Hello hello{};
  if (!is_same_user(descriptor) || recv(descriptor, &hello, sizeof hello, MSG_WAITALL) != ssize_t(sizeof hello)) return -1;
  return std::memcmp(hello.id, id, id_length) == 0 ? hello.rank : -1;
}

std::string describe(const Label& label, uint64_t bytes) {
  return std::string(label.call, strnlen(label.call, sizeof label.call)) + " with data type " + std::to_string(label.dtype) +
         ", reduction " + std::to_string(label.reduction) + ", root " + std::to_string(label.root) + " and " + std::to_string(bytes) +
         " bytes";
}

// One direction of a connection: headers and payloads in order.
struct PeerLane {
  std::deque<Part> parts;
  Header header{};
  size_t done = 0;  // bytes of the first part, header included
  bool is_idle() const { return parts.empty(); }
  char* at() { return done < sizeof header ? reinterpret_cast<char*>(&header) + done : parts.front().memory + (done - sizeof header); }
  size_t left() const { return done < sizeof header ? sizeof header - done : parts.front().bytes + sizeof header - done; }
  bool is_header() const { return done < sizeof header; }
};

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

struct Wait {
  int peer;
  short events;
};

// Sends and receives messages to and from all peers, which may arrive in any order.
class Exchange {
 public:
  Exchange(const std::vector<int>& peers, const Label& label, const std::vector<Part>& sends, const std::vector<Part>& receives)
      : peers_(peers), label_(label), out_(peers.size()), in_(peers.size()) {
    for (const Part& part : sends) out_[size_t(part.peer)].parts.push_back(part);
    for (const Part& part : receives) in_[size_t(part.peer)].parts.push_back(part);
    for (PeerLane& lane : out_) begin_send(lane);
  }

  // Returns the peers with which something is left to transfer.
  std::vector<Wait> list_waits() const {
    std::vector<Wait> waits;
    for (size_t peer = 0; peer < peers_.size(); ++peer) {
      const int events = (out_[peer].is_idle() ? 0 : POLLOUT) | (in_[peer].is_idle() ? 0 : POLLIN);
      if (!events) continue;
      if (peers_[peer] < 0) fail(hccl::error_unavailable, "there is no connection to " + rank_text(int(peer)));
      waits.push_back({int(peer), short(events)});
    }
    return waits;
  }

  // Sends and receives as much as the connections allow now or within a short time.
  void transfer_ready_bytes(const std::vector<Wait>& waits) {
    std::vector<pollfd> polled;
    for (const Wait& wait : waits) polled.push_back({peers_[size_t(wait.peer)], wait.events, 0});
    if (poll(polled.data(), polled.size(), poll_milliseconds) <= 0) return;
    for (size_t i = 0; i < waits.size(); ++i) {
      const int peer = waits[i].peer;
      // Receives first: data may have arrived before the peer closed the connection.
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) && !in_[size_t(peer)].is_idle()) receive_some_bytes(peer);
      if ((polled[i].revents & (POLLOUT | POLLHUP | POLLERR)) && !out_[size_t(peer)].is_idle()) send_some_bytes(peer);
    }
  }

 private:
  void begin_send(PeerLane& lane) const {
    if (!lane.is_idle()) lane.header = {label_, lane.parts.front().bytes};
  }

  void send_some_bytes(int peer) {
    PeerLane& lane = out_[size_t(peer)];
    const ssize_t sent = send(peers_[size_t(peer)], lane.at(), lane.left(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && would_block()) return;
    if (sent < 0) fail(hccl::error_remote, rank_text(peer) + " has left");
    lane.done += size_t(sent);
    if (lane.is_header() || lane.left() > 0) return;
    lane.parts.pop_front();
    lane.done = 0;
    begin_send(lane);
  }

  void receive_some_bytes(int peer) {
    PeerLane& lane = in_[size_t(peer)];
    const ssize_t got = recv(peers_[size_t(peer)], lane.at(), lane.left(), MSG_DONTWAIT);
    if (got < 0 && would_block()) return;
    if (got <= 0) fail(hccl::error_remote, rank_text(peer) + " has left");
    const bool was_header = lane.is_header();
    lane.done += size_t(got);
    if (lane.is_header()) return;
    const uint64_t bytes = lane.parts.front().bytes;
    if (was_header && (std::memcmp(&lane.header.label, &label_, sizeof label_) != 0 || lane.header.bytes != bytes))
      fail(hccl::error_para,
           rank_text(peer) + " called " + describe(lane.header.label, lane.header.bytes) + ", this rank " + describe(label_, bytes));
    if (lane.left() > 0) return;
    lane.parts.pop_front();
    lane.done = 0;
  }

  const std::vector<int>& peers_;
  const Label& label_;
  std::vector<PeerLane> out_, in_;
};

}  // namespace

void Mesh::make_root_info(HcclRootInfo& out) {
  uint8_t random[id_length / 2];
  while (getrandom(random, sizeof random, 0) != ssize_t(sizeof random)) {
  }
  std::string text = root_info_prefix;
  for (const uint8_t byte : random)
    for (const int digit : {byte >> 4, byte & 15}) text += "0123456789abcdef"[digit];
  std::memset(&out, 0, sizeof out);
  std::memcpy(out.internal, text.data(), text.size());
}

Mesh::Mesh(const HcclRootInfo& root, int rank, int size, Deadline deadline) : rank_(rank), peers_(size_t(size), -1) {
  if (std::memcmp(root.internal, root_info_prefix, sizeof root_info_prefix - 1) != 0)
    fail(hccl::error_para, "this root info is not from HcclGetRootInfo");
  Hello hello{};
  std::memcpy(hello.id, root.internal + sizeof root_info_prefix - 1, id_length);
  hello.rank = rank;
  try {
    Descriptor listener(new_socket());
    socklen_t length = 0;
    const sockaddr_un own = address_of(hello.id, rank, length);
    if (bind(listener.number, reinterpret_cast<const sockaddr*>(&own), length) != 0 || listen(listener.number, size) != 0)
      fail(hccl::error_para, "another process is " + rank_text(rank));
    for (int peer = 0; peer < rank; ++peer) peers_[size_t(peer)] = connect_to(hello, peer, deadline);
    for (int missing = size - 1 - rank; missing > 0;) {
      pollfd wait{listener.number, POLLIN, 0};
      if (poll(&wait, 1, poll_milliseconds) <= 0) {
        const auto first = std::find(peers_.begin() + rank + 1, peers_.end(), -1) - peers_.begin();
        if (is_past(deadline)) fail(hccl::error_timeout, rank_text(int(first)) + " did not connect in time");
        continue;
      }
      Descriptor socket(accept4(listener.number, nullptr, nullptr, SOCK_CLOEXEC));
      const int peer = read_hello(socket.number, hello.id);
      if (peer <= rank || peer >= size || peers_[size_t(peer)] >= 0) continue;
      peers_[size_t(peer)] = socket.release();
      --missing;
    }
  } catch (const Failure&) {
    leave();
    throw;
  }
}

Mesh::~Mesh() { leave(); }

void Mesh::leave() {
  for (int& descriptor : peers_)
    if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

void Mesh::exchange(const Label& label, std::vector<Part> sends, std::vector<Part> receives, const std::function<bool()>& is_aborted,
                    Deadline deadline) {
  Exchange exchange(peers_, label, sends, receives);
  for (;;) {
    const std::vector<Wait> waits = exchange.list_waits();
    if (waits.empty()) return;
    if (is_aborted()) fail(hccl::error_unavailable, "aborted while it waited for " + rank_text(waits.front().peer));
    if (is_past(deadline)) fail(hccl::error_timeout, "waited too long for " + rank_text(waits.front().peer));
    exchange.transfer_ready_bytes(waits);
  }
}

}  // namespace mt::npu_sim
