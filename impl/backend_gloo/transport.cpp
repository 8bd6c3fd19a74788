// Connects the members of a group. Gloo's own listener accepts anyone who guesses a small number, stays open, and ends the process when
// it fails. So it is closed at once, and this file makes the sockets that Gloo uses. Peers find entries in Gloo's format in the store, so
// that real torch can connect.
#include "backend_gloo/transport.h"

#include <dirent.h>
#include <gloo/common/error.h>
#include <gloo/common/logging.h>
#include <gloo/transport/tcp/error.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>

#include "distributed/socket.h"

namespace mt::gloo_backend {
namespace {

namespace tcp = gloo::transport::tcp;
using dist::after;
using dist::Deadline;
using dist::milliseconds_until;
using dist::Socket;

constexpr size_t most_strangers = 256;  // connections that have not sent their number yet
constexpr uint64_t longest_name = 4096;
constexpr const char* mark = "/mindtorch";  // follows the host name in a member's entry in the store
constexpr const char* closed_by_us = "the group was aborted";

// ---- Gloo's classes -------------------------------------------------------------------------------------------------

// A device of Gloo's that does not listen.
class Device final : public tcp::Device {
 public:
  explicit Device(const tcp::attr& attr) : tcp::Device(attr, /*lazyInit=*/false) {
    const sockaddr_storage& mine = nextAddress().getSockaddr();
    DIR* folder = opendir("/proc/self/fd");
    if (!folder) throw Failure{"RuntimeError", "/proc/self/fd cannot be read"};
    int found = -1;
    while (const dirent* entry = readdir(folder)) {
      const int descriptor = std::atoi(entry->d_name);
      int listens = 0;
      socklen_t size = sizeof listens;
      if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) continue;
      sockaddr_storage address{};
      size = sizeof address;
      if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0 && std::memcmp(&address, &mine, size) == 0)
        found = descriptor;
    }
    closedir(folder);
    if (found < 0) throw Failure{"RuntimeError", "Gloo's listener was not found"};
    unregisterDescriptor(found, nullptr);
    ::shutdown(found, SHUT_RDWR);
  }
};

// The first peer that closed its connection.
struct Lost {
  std::atomic<int> rank{-1};
};

class Pair final : public tcp::Pair {
 public:
  Pair(tcp::Context* context, tcp::Device* device, int rank, std::chrono::milliseconds timeout, Lost& lost)
      : tcp::Pair(context, device, rank, timeout, /*useRankAsSeqNumber=*/false), lost_(lost) {}
  void adopt_socket(Socket socket) {
    {
      std::lock_guard lock(m_);
      state_ = CONNECTING;
    }
    connectCallback(std::make_shared<tcp::Socket>(socket.release()), tcp::Error::kSuccess);
  }
  void connect(const std::vector<char>&) override { throw Failure{"RuntimeError", "pairs are connected by their mesh"}; }

 protected:
  // Gloo's loop catches no exception: an invalid message from a peer would end the process.
  void handleReadWrite(int events) override {
    try {
      tcp::Pair::handleReadWrite(events);
    } catch (const std::exception& error) {
      if (ex_ == nullptr) signalException(error.what());
    }
  }

  void changeState(state next) noexcept override {
    // After a timeout this process closes all its connections; that does not mean that the peers have left.
    if (next == CLOSED && state_ == CONNECTED && ex_ && !is_own_timeout()) {
      int nobody = -1;
      lost_.rank.compare_exchange_strong(nobody, rank_);
    }
    tcp::Pair::changeState(next);
  }

 private:
  bool is_own_timeout() const noexcept {
    try {
      std::rethrow_exception(ex_);
    } catch (const std::exception& error) {
      return std::strstr(error.what(), closed_by_us) || std::strstr(error.what(), "Application timeout");
    } catch (...) {
      return false;
    }
  }
  Lost& lost_;
};

class Connections final : public tcp::Context {
 public:
  Connections(std::shared_ptr<tcp::Device> device, int rank, int size) : tcp::Context(std::move(device), rank, size) {}
  std::unique_ptr<gloo::transport::Pair>& createPair(int peer) override {
    pairs_[size_t(peer)] = std::make_unique<Pair>(this, device_.get(), peer, getTimeout(), lost);
    return pairs_[size_t(peer)];
  }
  Pair& pair(int peer) { return static_cast<Pair&>(*pairs_[size_t(peer)]); }
  void end() { signalException(closed_by_us); }
  Lost lost;
};

// ---- entries in the store ----------------------------------------------------------------------------------------------

// torch's key for the first connection of a group; a group has only one here.
std::string key_of(int rank) { return "0/" + std::to_string(rank); }

// Checks lengths, which Gloo's own reader trusts: anyone may write to the store.
tcp::Rank read_entry(const std::string& bytes, int size) {
  size_t at = 0;
  const auto text = [&](uint64_t most) {
    uint64_t length = 0;
    if (bytes.size() - at >= sizeof length) std::memcpy(&length, bytes.data() + at, sizeof length);
    at += sizeof length;
    if (at > bytes.size() || length > most || bytes.size() - at < length) throw Failure{"DistStoreError", "a peer's entry is malformed"};
    at += length;
    return length;
  };
  text(longest_name);
  const uint64_t address_size = text(longest_name);
  if (bytes.size() - at != size_t(size) * sizeof(ssize_t) || address_size != tcp::Address().bytes().size())
    throw Failure{"DistStoreError", "a peer's entry is malformed"};
  return tcp::Rank(std::vector<char>(bytes.begin(), bytes.end()));
}

std::vector<ssize_t> random_numbers(int count) {
  std::vector<ssize_t> out(static_cast<size_t>(count));
  for (ssize_t& each : out) {
    while (getrandom(&each, sizeof each, 0) != sizeof each) {
    }
    each &= SSIZE_MAX;
  }
  return out;
}

// The address at which peers reach this process: that of the interface GLOO_SOCKET_IFNAME, else the one that reaches the store's server,
// else that of the host name.
tcp::attr address_of(mt_store* store) {
  tcp::attr attr;
  if (const char* name = secure_getenv("GLOO_SOCKET_IFNAME"); name && *name) {
    attr.iface = std::string(name).substr(0, std::string(name).find(','));
  } else {
    StoredValue address;
    need_ok(mt_store_local_address(store, &address.value));
    attr.hostname = address.text().empty() ? "127.0.0.1" : address.text();
  }
  return tcp::CreateDeviceAttr(attr);
}

std::string address_text(const sockaddr_storage& address) {
  const std::string text = dist::describe(address);
  return text.substr(1, text.find(']') - 1);
}

// ---- connecting -------------------------------------------------------------------------------------------------------

// A new connection whose peer has not yet sent its number.
struct Stranger {
  Socket socket;
  char bytes[sizeof(ssize_t)];
  size_t filled = 0;
};

[[noreturn]] void fail_with_missing(const std::map<ssize_t, int>& expected, int rank) {
  std::string missing;
  for (const auto& [number, peer] : expected) missing += (missing.empty() ? "" : ", ") + std::to_string(peer);
  throw Failure{"DistBackendError",
                "Gloo connectFullMesh failed with timeout: rank " + std::to_string(rank) + " was not reached by rank " + missing};
}

// Reads the number with which a new connection identifies itself; returns whether it is complete, or the connection failed.
bool read_number(Stranger& stranger, bool& is_failed) {
  const ssize_t got = recv(stranger.socket.descriptor(), stranger.bytes + stranger.filled, sizeof stranger.bytes - stranger.filled,
                           MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  is_failed = got <= 0;
  if (got > 0) stranger.filled += size_t(got);
  return is_failed || stranger.filled == sizeof stranger.bytes;
}

// Accepts the connections that wait at the listener; drops the oldest stranger if there are too many, or no descriptor is left.
void accept_strangers(const Socket& listener, std::list<Stranger>& strangers) {
  for (int calls = 0; calls < 64; ++calls) {
    Socket socket = dist::accept_from(listener);
    if (!socket && errno != EMFILE && errno != ENFILE) return;
    if (strangers.size() >= most_strangers || (!socket && !strangers.empty())) strangers.pop_front();
    if (!socket) {
      usleep(1000);  // gives others time to close theirs
      return;
    }
    strangers.push_back({std::move(socket), {}, 0});
  }
}

// Accepts connections until every peer in `expected`, each identified by its number, has connected.
void accept_all(const Socket& listener, std::map<ssize_t, int> expected, Connections& connections, Deadline deadline) {
  std::list<Stranger> strangers;
  while (!expected.empty()) {
    std::vector<pollfd> waits{{listener.descriptor(), POLLIN, 0}};
    for (const Stranger& each : strangers) waits.push_back({each.socket.descriptor(), POLLIN, 0});
    if (milliseconds_until(deadline) == 0) fail_with_missing(expected, connections.rank);
    if (poll(waits.data(), waits.size(), int(std::min<int64_t>(milliseconds_until(deadline), 1000))) <= 0) continue;
    size_t index = 1;
    for (auto each = strangers.begin(); each != strangers.end(); ++index) {
      const auto here = each++;
      bool is_failed = false;
      if (!waits[index].revents || !read_number(*here, is_failed)) continue;
      ssize_t number = -1;
      std::memcpy(&number, here->bytes, sizeof number);
      if (const auto found = expected.find(number); !is_failed && found != expected.end()) {
        connections.pair(found->second).adopt_socket(std::move(here->socket));
        expected.erase(found);
      }
      strangers.erase(here);
    }
    if (waits[0].revents) accept_strangers(listener, strangers);
  }
}

}  // namespace

Mesh::Mesh(const mt_group_options& options) : gloo::Context(options.rank, options.size) {
  const auto timeout = std::chrono::milliseconds(options.timeout);
  const Deadline deadline = after(options.timeout);
  setTimeout(timeout);
  const tcp::attr attr = address_of(options.store);
  const auto device = std::make_shared<Device>(attr);
  const auto connections = std::make_shared<Connections>(device, rank, size);
  connections->setTimeout(timeout);
  device_ = device;
  transportContext_ = connections;
  if (size == 1) return;

  const Socket listener = dist::listen_on(address_text(attr.ai_addr), 0);
  sockaddr_storage own_address{};
  socklen_t length = sizeof own_address;
  getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&own_address), &length);
  const auto numbers = random_numbers(size);
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  const auto entry = tcp::Rank(std::string(name) + mark, tcp::Address(own_address).bytes(), numbers).bytes();
  need_ok(mt_store_set(options.store, key_of(rank).c_str(), entry.data(), int64_t(entry.size())));

  std::map<ssize_t, int> expected;
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    connections->createPair(peer);
    const std::string key = key_of(peer);
    const char* keys[] = {key.c_str()};
    need_ok(mt_store_wait(options.store, keys, 1, std::max<int64_t>(milliseconds_until(deadline), 1)));
    StoredValue value;
    need_ok(mt_store_get(options.store, key.c_str(), &value.value));
    const tcp::Rank found = read_entry(value.text(), size);
    is_all_ours_ &= found.hostname.ends_with(mark);
    const tcp::Address there(found.addressBytes);
    // Of two members, one connects and the other accepts: comparing addresses decides which.
    if (there.getSockaddr().ss_family != own_address.ss_family)
      throw Failure{"DistBackendError", "rank " + std::to_string(peer) + " has an address of another family"};
    if (!device->isInitiator(tcp::Address(own_address, numbers[size_t(peer)]), tcp::Address(there.getSockaddr(), 0))) {
      expected[numbers[size_t(peer)]] = peer;
      continue;
    }
    try {
      Socket socket = dist::connect_to(there.getSockaddr(), deadline);
      const ssize_t number = found.pairIdentifiers[size_t(rank)];
      dist::write_all(socket, std::string_view(reinterpret_cast<const char*>(&number), sizeof number), deadline);
      connections->pair(peer).adopt_socket(std::move(socket));
    } catch (const dist::NetworkError& error) {
      throw Failure{"DistBackendError", "Gloo connectFullMesh failed: rank " + std::to_string(rank) + " could not reach rank " +
                                            std::to_string(peer) + " at " + dist::describe(there.getSockaddr()) + ": " + error.text};
    }
  }
  accept_all(listener, std::move(expected), *connections, deadline);
}

Mesh::~Mesh() = default;

void Mesh::close() { std::static_pointer_cast<Connections>(transportContext_)->end(); }
int Mesh::lost_peer() const { return std::static_pointer_cast<Connections>(transportContext_)->lost.rank; }

}  // namespace mt::gloo_backend
