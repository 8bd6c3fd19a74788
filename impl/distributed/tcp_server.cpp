// The server of a TCPStore: one thread that never blocks on a client. An invalid or slow request closes that client's connection only.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <set>
#include <thread>
#include <unordered_map>

#include "core/exception.h"
#include "distributed/sha256.h"
#include "distributed/tcp_store.h"

namespace mt::dist {
namespace {

constexpr size_t longest_message = 64 << 20;  // of one request, and of responses that a client has not read
constexpr size_t most_strangers = 256;        // connections that have not authenticated yet
constexpr size_t most_bytes = size_t(4) << 30;  // of all pending requests and responses
constexpr int64_t patience = 30'000;          // milliseconds that a client has to authenticate

// Parses a request from the bytes received so far. Sets `is_short` if more bytes are needed; throws if the request is invalid.
class Parser {
 public:
  explicit Parser(std::string_view bytes) : bytes_(bytes) {}
  bool is_short() const { return is_short_; }
  size_t position() const { return at_; }

  template <class T>
  T read_number() {
    T value{};
    if (has_bytes(sizeof value)) {
      std::memcpy(&value, bytes_.data() + at_, sizeof value);
      at_ += sizeof value;
    }
    return value;
  }
  std::string read_key() { return read_text(longest_key); }
  std::string read_value() { return read_text(longest_value); }
  std::vector<std::string> read_keys() {
    std::vector<std::string> out;
    for (uint64_t left = read_list_length(); left > 0 && !is_short_; --left) out.push_back(read_key());
    return out;
  }
  uint64_t read_list_length() {
    const auto size = read_number<uint64_t>();
    if (size > most_keys) throw NetworkError{"a list is too long"};
    return size;
  }

 private:
  std::string read_text(uint64_t most) {
    const auto size = read_number<uint64_t>();
    if (size > most) throw NetworkError{"a text is too long"};
    if (!has_bytes(size)) return {};
    std::string out(bytes_.substr(at_, size));
    at_ += size;
    return out;
  }
  bool has_bytes(uint64_t size) {
    is_short_ |= bytes_.size() - at_ < size;
    return !is_short_;
  }
  std::string_view bytes_;
  size_t at_ = 0;
  bool is_short_ = false;
};

struct Client {
  Socket socket;
  std::string in, out;
  size_t read_to = 0;  // position in `in` up to which requests were processed
  enum { hello, proof, validate, known } stage = validate;
  std::string expected;  // the proof that the client must send
  Deadline until;        // until the client has authenticated
  std::set<std::string> waits_for;
  std::string barrier;   // the key of the barrier at which it waits
  bool listens_for_room = false;
};

class Server final : public TcpServer {
 public:
  Server(Socket listener, const TcpOptions& options)
      : listener_(std::move(listener)), secret_(options.secret), port_(port_of(listener_)), poll_(epoll_create1(EPOLL_CLOEXEC)),
        stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!poll_ || !stop_) throw NetworkError{std::string("epoll: ") + std::strerror(errno)};
    watch_descriptor(listener_.descriptor(), EPOLLIN, EPOLL_CTL_ADD);
    watch_descriptor(stop_.descriptor(), EPOLLIN, EPOLL_CTL_ADD);
    process_ = getpid();
    thread_ = std::thread([this] { run(); });
  }
  ~Server() override {
    if (getpid() != process_) {
      thread_.detach();  // a forked child does not have this thread
      return;
    }
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(stop_.descriptor(), &one, sizeof one);
    thread_.join();
  }
  int port() const override { return port_; }

 private:
  void watch_descriptor(int descriptor, uint32_t events, int how) {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    epoll_ctl(poll_.descriptor(), how, descriptor, &event);
  }

  void run() {
    epoll_event events[64];
    for (;;) {
      const int count = epoll_wait(poll_.descriptor(), events, 64, strangers_ ? 1000 : -1);
      if (strangers_) drop_late_strangers();
      for (int i = 0; i < count; ++i) {
        const int descriptor = events[i].data.fd;
        if (descriptor == stop_.descriptor()) return;
        if (descriptor == listener_.descriptor()) {
          accept_all();
        } else if (const auto found = clients_.find(descriptor); found != clients_.end()) {
          handle_events(found->second, events[i].events);
        }
      }
    }
  }

  void accept_all() {
    for (;;) {
      Socket socket = accept_from(listener_);
      if (!socket) {
        if (errno == EMFILE || errno == ENFILE) {
          // Without a free descriptor, the listener would stay readable: closes the oldest unauthenticated connection, or waits.
          if (!close_oldest_unauthenticated_client()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return;
      }
      if (strangers_ >= most_strangers) close_oldest_unauthenticated_client();
      const int descriptor = socket.descriptor();
      Client& client = clients_[descriptor];
      client = {};
      client.socket = std::move(socket);
      client.stage = secret_.empty() ? Client::validate : Client::hello;
      client.until = after(patience);
      ++strangers_;
      watch_descriptor(descriptor, EPOLLIN, EPOLL_CTL_ADD);
    }
  }

  bool close_oldest_unauthenticated_client() {
    int oldest = -1;
    for (const auto& [descriptor, client] : clients_)
      if (client.stage != Client::known && (oldest < 0 || client.until < clients_[oldest].until)) oldest = descriptor;
    if (oldest >= 0) drop_client(oldest);
    return oldest >= 0;
  }
  void drop_late_strangers() {
    std::vector<int> late;
    for (const auto& [descriptor, client] : clients_)
      if (client.stage != Client::known && milliseconds_until(client.until) == 0) late.push_back(descriptor);
    for (const int descriptor : late) drop_client(descriptor);
  }
  void drop_client(int descriptor) {
    Client& client = clients_[descriptor];
    strangers_ -= client.stage != Client::known;
    bytes_ -= client.in.size() + client.out.size();
    forget_waits(client);
    clients_.erase(descriptor);  // closed, so no longer polled
  }

  void handle_events(Client& client, uint32_t events) {
    const int descriptor = client.socket.descriptor();
    try {
      if (events & EPOLLOUT) send_pending_bytes(client);
      if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive_requests(client);
    } catch (const NetworkError&) {
      drop_client(descriptor);
    } catch (const std::exception&) {  // an invalid number, or no memory
      drop_client(descriptor);
    }
    // Answers the clients that waited for what this request did.
    while (!woken_.empty()) {
      const int other = *woken_.begin();
      woken_.erase(woken_.begin());
      const auto found = clients_.find(other);
      if (found == clients_.end()) continue;
      try {
        send_answer(found->second, std::string(1, char(done)));
        send_pending_bytes(found->second);
        process_requests(found->second);
      } catch (const std::exception&) {
        drop_client(other);
      } catch (const NetworkError&) {
        drop_client(other);
      }
    }
  }

  void receive_requests(Client& client) {
    char buffer[64 << 10];
    // Receives at most a few times in a row, so that a client that sends without pause does not starve the others.
    for (int round = 0; round < 16; ++round) {
      const ssize_t got = recv(client.socket.descriptor(), buffer, sizeof buffer, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) break;
      if (got <= 0) throw NetworkError{"closed"};
      client.in.append(buffer, size_t(got));
      bytes_ += size_t(got);
      process_requests(client);
      const size_t most = client.stage == Client::known ? longest_message : 4096;
      if (client.in.size() > most || bytes_ > most_bytes) throw NetworkError{"too much"};
      if (size_t(got) < sizeof buffer) break;
    }
    send_pending_bytes(client);
  }

  // Processes all complete requests of a client that were received. While the client waits, it may only cancel.
  void process_requests(Client& client) {
    for (;;) {
      Parser parser(std::string_view(client.in).substr(client.read_to));
      if (client.in.size() == client.read_to || !process_request(client, parser) || parser.is_short()) break;
      client.read_to += parser.position();
      if (client.stage == Client::known && client.out.size() > longest_message) throw NetworkError{"answers are not fetched"};
    }
    if (client.read_to > 0) {
      bytes_ -= client.read_to;
      client.in.erase(0, client.read_to);
      client.read_to = 0;
    }
  }

  // Processes one request; returns false if the client must wait.
  bool process_request(Client& client, Parser& parser) {
    switch (client.stage) {
      case Client::hello: {
        if (client.in.size() < hello_size) return false;
        ServerProof proof;
        std::string hello;
        for (size_t i = 0; i < hello_size; ++i) hello += char(parser.read_number<uint8_t>());
        if (!answer_client_hello(hello, secret_, proof)) throw NetworkError{"no hello"};
        send_answer(client, proof.answer);
        client.expected = proof.expected;
        client.stage = Client::proof;
        return true;
      }
      case Client::proof: {
        if (client.in.size() - client.read_to < proof_size) return false;
        std::string proof;
        for (size_t i = 0; i < proof_size; ++i) proof += char(parser.read_number<uint8_t>());
        if (!is_same_in_constant_time(proof, client.expected)) throw NetworkError{"wrong secret"};
        client.stage = Client::validate;
        return true;
      }
      case Client::validate: {
        const auto query = parser.read_number<uint8_t>();
        if (query != uint8_t(Query::validate)) throw NetworkError{"no validation"};
        const auto magic = parser.read_number<uint32_t>();
        if (parser.is_short()) return false;
        if (magic != validation) throw NetworkError{"wrong validation"};
        client.stage = Client::known;
        --strangers_;
        return true;
      }
      case Client::known: break;
    }
    const auto query = Query(parser.read_number<uint8_t>());
    if (is_waiting(client)) {
      if (query != Query::cancel) return false;
      forget_waits(client);
      send_answer(client, std::string(1, char(cancelled)));
      return true;
    }
    return run_query(client, query, parser);
  }

  // Runs one request; returns false if it has not arrived as a whole.
  bool run_query(Client& client, Query query, Parser& parser) {
    switch (query) {
      case Query::set: return set_value(parser);
      case Query::compare_set: return compare_and_set(client, parser);
      case Query::get: return get_value(client, parser);
      case Query::add: return add_to_value(client, parser);
      case Query::check: return check_keys(client, parser);
      case Query::wait: return wait_for_keys(client, parser);
      case Query::count: send_answer(client, Message().append_number(int64_t(table_.count())).bytes); return true;
      case Query::remove: return remove_key(client, parser);
      case Query::append: return append_to_value(parser);
      case Query::multi_get: return get_values(client, parser);
      case Query::multi_set: return set_values(parser);
      case Query::cancel: send_answer(client, std::string(1, char(cancelled))); return true;
      case Query::ping: return answer_ping(client, parser);
      case Query::push: return push_to_queue(parser);
      case Query::pop: return pop_from_queue(client, parser);
      case Query::queue_size: return answer_queue_size(client, parser);
      case Query::keys: return list_keys(client);
      case Query::barrier: return enter_barrier(client, parser);
      case Query::validate: break;
    }
    throw NetworkError{"an unknown request"};
  }

  bool set_value(Parser& parser) {
    const auto key = parser.read_key();
    auto value = parser.read_value();
    if (parser.is_short()) return false;
    table_.set(key, std::move(value));
    wake_waiters(key);
    return true;
  }

  bool compare_and_set(Client& client, Parser& parser) {
    const auto key = parser.read_key(), expected = parser.read_value(), desired = parser.read_value();
    if (parser.is_short()) return false;
    send_answer(client, Message().append_text(table_.compare_set(key, expected, desired)).bytes);
    if (table_.find(key)) wake_waiters(key);
    return true;
  }

  bool get_value(Client& client, Parser& parser) {
    const auto key = parser.read_key();
    if (parser.is_short()) return false;
    const std::string* value = table_.find(key);
    send_answer(client, Message().append_text(value ? *value : "").bytes);
    return true;
  }

  bool add_to_value(Client& client, Parser& parser) {
    const auto key = parser.read_key();
    const auto amount = parser.read_number<int64_t>();
    if (parser.is_short()) return false;
    send_answer(client, Message().append_number(table_.add(key, amount)).bytes);
    wake_waiters(key);
    return true;
  }

  bool check_keys(Client& client, Parser& parser) {
    const auto keys = parser.read_keys();
    if (parser.is_short()) return false;
    send_answer(client, std::string(1, char(!table_.has_all(keys))));
    return true;
  }

  bool wait_for_keys(Client& client, Parser& parser) {
    const auto keys = parser.read_keys();
    if (parser.is_short()) return false;
    for (const auto& key : keys)
      if (!table_.has(key)) {
        client.waits_for.insert(key);
        waiters_[key].insert(client.socket.descriptor());
      }
    if (client.waits_for.empty()) send_answer(client, std::string(1, char(done)));
    return true;
  }

  bool remove_key(Client& client, Parser& parser) {
    const auto key = parser.read_key();
    if (parser.is_short()) return false;
    send_answer(client, Message().append_number(int64_t(table_.remove(key))).bytes);
    return true;
  }

  bool append_to_value(Parser& parser) {
    const auto key = parser.read_key(), value = parser.read_value();
    if (parser.is_short()) return false;
    const std::string* old = table_.find(key);
    if (old && old->size() + value.size() > longest_message) throw NetworkError{"a value is too long"};
    table_.append(key, value);
    wake_waiters(key);
    return true;
  }

  bool get_values(Client& client, Parser& parser) {
    const auto keys = parser.read_keys();
    if (parser.is_short()) return false;
    Message message;
    for (const auto& key : keys) {
      const std::string* value = table_.find(key);
      message.append_text(value ? *value : "");
      if (message.bytes.size() > longest_message) throw NetworkError{"an answer is too long"};
    }
    send_answer(client, message.bytes);
    return true;
  }

  bool set_values(Parser& parser) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (uint64_t left = parser.read_list_length(); left > 0 && !parser.is_short(); --left) {
      auto key = parser.read_key();
      pairs.emplace_back(std::move(key), parser.read_value());
    }
    if (parser.is_short()) return false;
    for (auto& [key, value] : pairs) {
      table_.set(key, std::move(value));
      wake_waiters(key);
    }
    return true;
  }

  bool answer_ping(Client& client, Parser& parser) {
    const auto number = parser.read_number<uint32_t>();
    if (parser.is_short()) return false;
    send_answer(client, Message().append_number(number).bytes);
    return true;
  }

  bool push_to_queue(Parser& parser) {
    const auto key = parser.read_key();
    auto value = parser.read_value();
    if (parser.is_short()) return false;
    table_.push(key, std::move(value));
    wake_waiters(key);
    return true;
  }

  bool pop_from_queue(Client& client, Parser& parser) {
    const auto key = parser.read_key();
    if (parser.is_short()) return false;
    std::string value;
    send_answer(client, table_.pop(key, value) ? Message().append_number(uint64_t(1)).append_text(value).bytes
                                               : Message().append_number(uint64_t(0)).bytes);
    return true;
  }

  bool answer_queue_size(Client& client, Parser& parser) {
    const auto key = parser.read_key();
    if (parser.is_short()) return false;
    send_answer(client, Message().append_number(int64_t(table_.queue_size(key))).bytes);
    return true;
  }

  bool list_keys(Client& client) {
    const auto keys = table_.keys();
    Message message;
    message.append_number(uint64_t(keys.size()));
    for (const auto& key : keys) message.append_text(key);
    send_answer(client, message.bytes);
    return true;
  }

  bool enter_barrier(Client& client, Parser& parser) {
    const auto key = parser.read_key();
    const auto callers = parser.read_number<int64_t>();
    if (parser.is_short()) return false;
    auto& waiting = barriers_[key];
    waiting.insert(client.socket.descriptor());
    client.barrier = key;
    if (int64_t(waiting.size()) >= callers) {
      const auto all = std::move(waiting);
      barriers_.erase(key);
      for (const int each : all) {
        clients_[each].barrier.clear();
        woken_.insert(each);
      }
    }
    return true;
  }

  // ---- waiting --------------------------------------------------------------------------------------------------------

  bool is_waiting(const Client& client) const {
    return !client.waits_for.empty() || !client.barrier.empty() || woken_.contains(client.socket.descriptor());
  }
  void forget_waits(Client& client) {
    const int descriptor = client.socket.descriptor();
    for (const auto& key : client.waits_for)
      if (const auto found = waiters_.find(key); found != waiters_.end()) {
        found->second.erase(descriptor);
        if (found->second.empty()) waiters_.erase(found);
      }
    client.waits_for.clear();
    if (const auto found = barriers_.find(client.barrier); found != barriers_.end()) {
      found->second.erase(descriptor);
      if (found->second.empty()) barriers_.erase(found);
    }
    client.barrier.clear();
    woken_.erase(descriptor);
  }
  void wake_waiters(const std::string& key) {
    const auto found = waiters_.find(key);
    if (found == waiters_.end()) return;
    const auto waiting = std::move(found->second);
    waiters_.erase(found);
    for (const int descriptor : waiting) {
      Client& client = clients_[descriptor];
      client.waits_for.erase(key);
      if (client.waits_for.empty()) woken_.insert(descriptor);
    }
  }

  // ---- responses ------------------------------------------------------------------------------------------------------

  void send_answer(Client& client, std::string_view bytes) {
    client.out += bytes;
    bytes_ += bytes.size();
  }
  void send_pending_bytes(Client& client) {
    size_t sent = 0;
    while (sent < client.out.size()) {
      const ssize_t got = send(client.socket.descriptor(), client.out.data() + sent, client.out.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (got < 0) throw NetworkError{"send"};
      sent += size_t(got);
    }
    bytes_ -= sent;
    client.out.erase(0, sent);
    if (client.listens_for_room != !client.out.empty()) {
      client.listens_for_room = !client.out.empty();
      watch_descriptor(client.socket.descriptor(), client.listens_for_room ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
    }
  }

  Socket listener_;
  const std::string secret_;
  const int port_;
  Socket poll_, stop_;
  pid_t process_ = 0;
  std::thread thread_;
  // Only the server's thread uses these members.
  Table table_;
  std::unordered_map<int, Client> clients_;
  std::unordered_map<std::string, std::set<int>> waiters_, barriers_;
  std::set<int> woken_;
  size_t strangers_ = 0, bytes_ = 0;
};

// The servers that run in this process, by port; stores on the same port share one.
struct Tenants {
  std::mutex mutex;
  std::map<int, std::weak_ptr<TcpServer>> by_port;
};
Tenants& tenant_table() {
  static auto* all = new Tenants;
  return *all;
}

Socket listener_of(const TcpOptions& options) {
  if (options.descriptor < 0) return listen_on(options.listen_address, options.port);
  Socket socket(options.descriptor);
  fcntl(options.descriptor, F_SETFL, fcntl(options.descriptor, F_GETFL) | O_NONBLOCK);
  if (listen(options.descriptor, SOMAXCONN) != 0) throw NetworkError{std::to_string(errno) + " " + std::strerror(errno)};
  return socket;
}

}  // namespace

std::shared_ptr<TcpServer> TcpServer::start(const TcpOptions& options) {
  if (!options.multi_tenant) return std::make_shared<Server>(listener_of(options), options);
  std::lock_guard lock(tenant_table().mutex);
  if (options.port > 0)
    if (auto running = tenant_table().by_port[options.port].lock()) return running;
  auto server = std::make_shared<Server>(listener_of(options), options);
  tenant_table().by_port[server->port()] = server;
  return server;
}

}  // namespace mt::dist
