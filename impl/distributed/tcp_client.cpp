// The client of a TCPStore; the server may be in this process.
#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "core/exception.h"
#include "distributed/tcp_store.h"

namespace mt::dist {
namespace {

constexpr const char* init_key = "init/";  // counts the clients; differs from all user keys, which begin with "/"

struct TcpStore final : Store {
  const TcpOptions options;
  std::shared_ptr<TcpServer> server;
  int port;
  std::mutex mutex;
  Socket socket;
  bool is_broken = false;  // the connection lacks a response and cannot be used again

  explicit TcpStore(const TcpOptions& given) : options(given), port(given.port) {
    timeout = options.timeout;
    if (options.is_server) {
      start_server();
      port = server->port();
    }
    connect();
    if (options.wait_for_workers && options.world_size > 0) wait_for_workers();
  }

  void start_server() {
    try {
      server = TcpServer::start(options);
    } catch (const NetworkError& error) {
      const int code = std::atoi(error.text.c_str());
      std::string message = std::strerror(code);
      if (!message.empty()) message[0] = char(std::tolower(message[0]));
      fail_network("The server socket has failed to listen on any local network address. port: " + std::to_string(options.port) +
                   ", useIpv6: false, code: -" + std::to_string(code) + ", name: " + (strerrorname_np(code) ? strerrorname_np(code) : "?") +
                   ", message: " + message);
    }
  }

  void connect() {
    const Deadline deadline = after(timeout);
    try {
      socket = connect_to(server ? local_host() : options.host, port, deadline);
      if (!options.secret.empty()) prove_as_client(socket, options.secret, deadline);
      std::random_device random;
      const uint32_t number = random();
      write_all(socket,
                start_request(Query::validate).append_number(validation).bytes + start_request(Query::ping).append_number(number).bytes,
                deadline);
      uint32_t echo = 0;
      read_exactly(socket, &echo, sizeof echo, deadline);
      if (echo != number) throw NetworkError{"the other end is no store"};
    } catch (const NetworkError& error) {
      if (error.timed_out)
        fail_network("The client socket has timed out after " + std::to_string(int64_t(timeout)) + "ms while trying to connect to (" +
                     options.host + ", " + std::to_string(port) + ").");
      fail_network("The client socket cannot use the store at (" + options.host + ", " + std::to_string(port) + "): " + error.text);
    }
  }
  // Connects to this machine for a server that listens on all addresses; the host name need not resolve.
  std::string local_host() const { return options.listen_address.empty() ? "localhost" : options.listen_address; }

  void wait_for_workers() {
    add_to_exact_key(init_key, 1);
    if (!server) return;
    const auto begin = Clock::now();
    const Deadline deadline = after(timeout);
    for (;;) {
      const int64_t joined = add_to_exact_key(init_key, 0);
      if (joined >= options.world_size) return;
      if (milliseconds_until(deadline) == 0) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count() + 1;
        fail_store("Timed out after " + std::to_string(seconds) + " seconds waiting for clients. " + std::to_string(joined) + "/" +
                   std::to_string(options.world_size) + " clients joined.");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // ---- requests and answers ---------------------------------------------------------------------------------------------

  static std::string add_user_prefix(const std::string& key) {
    if (key.size() + 1 > longest_key) fail(ErrorKind::value, "a key has {} bytes, and {} are the most", key.size(), longest_key - 1);
    return "/" + key;
  }
  static const std::string& check_length(const std::string& value) {
    if (value.size() > longest_value) fail(ErrorKind::value, "a value has {} bytes, and {} are the most", value.size(), longest_value);
    return value;
  }
  static Message make_keys_request(Query query, const Keys& keys) {
    Message message = start_request(query);
    message.append_number(uint64_t(keys.size()));
    for (const auto& key : keys) message.append_text(add_user_prefix(key));
    return message;
  }

  // Runs body(deadline), which sends a request and reads its answer; one request at a time.
  template <class F>
  auto run_request(int64_t milliseconds, F&& body) {
    std::lock_guard lock(mutex);
    if (is_broken) fail_network("The connection to the store was closed after an earlier failure.");
    try {
      // The server responds at once; only requests that wait for other clients take longer.
      return body(after(std::max<int64_t>(milliseconds, 10'000)));
    } catch (const NetworkError& error) {
      is_broken = true;
      fail_network(error.timed_out ? "The store's server at (" + options.host + ", " + std::to_string(port) + ") did not answer within " +
                                         std::to_string(std::max<int64_t>(milliseconds, 10'000)) + "ms."
                                   : error.text);
    }
  }
  template <class F>
  auto run_request(F&& body) {
    return run_request(timeout, body);
  }
  template <class T>
  T read_number(Deadline deadline) {
    T value{};
    read_exactly(socket, &value, sizeof value, deadline);
    return value;
  }
  std::string read_text(Deadline deadline, uint64_t most) {
    const auto size = read_number<uint64_t>(deadline);
    if (size > most) throw NetworkError{"The store's server sent a text of " + std::to_string(size) + " bytes."};
    // Grows the buffer as bytes arrive: the length that a message states may be false.
    std::string out;
    for (uint64_t left = size; left > 0;) {
      const auto step = size_t(std::min<uint64_t>(left, 1 << 20));
      out.resize(out.size() + step);
      read_exactly(socket, out.data() + out.size() - step, step, deadline);
      left -= step;
    }
    return out;
  }
  std::string read_value(Deadline deadline) { return read_text(deadline, uint64_t(64) << 20); }
  void send(const Message& message, Deadline deadline) { write_all(socket, message.bytes, deadline); }

  int64_t add_to_exact_key(const std::string& key, int64_t amount) {
    return run_request([&](Deadline deadline) {
      send(start_request(Query::add).append_text(key).append_number(amount), deadline);
      return read_number<int64_t>(deadline);
    });
  }

  // Sends a request to which the server responds `done` once other clients have acted; cancels it at the deadline.
  bool wait_for_response(const Message& message, int64_t milliseconds, Deadline deadline) {
    send(message, deadline);
    if (wait_for_input(socket, after(milliseconds))) {
      if (read_number<uint8_t>(deadline) != done) throw NetworkError{"The store's server answered a wait wrongly."};
      return true;
    }
    const Deadline soon = after(10'000);
    send(start_request(Query::cancel), soon);
    auto response = read_number<uint8_t>(soon);
    if (response == done) response = read_number<uint8_t>(soon);  // the response and the cancellation crossed
    if (response != cancelled) throw NetworkError{"The store's server answered a wait wrongly."};
    return false;
  }
  void wait_for_keys(const Keys& keys, int64_t milliseconds, Deadline deadline) {
    if (wait_for_response(make_keys_request(Query::wait, keys), milliseconds, deadline)) return;
    std::string names;
    for (const auto& key : keys) names += (names.empty() ? "/" : ", /") + key;
    fail_store("wait timeout after " + std::to_string(milliseconds) + "ms, keys: " + names);
  }

  // ---- the store ----------------------------------------------------------------------------------------------------------

  void set(const std::string& key, const std::string& value) override {
    const Message message = start_request(Query::set).append_text(add_user_prefix(key)).append_text(check_length(value));
    run_request([&](Deadline deadline) { send(message, deadline); });
  }
  std::string get(const std::string& key) override {
    const Message message = start_request(Query::get).append_text(add_user_prefix(key));
    return run_request([&](Deadline deadline) {
      wait_for_keys({key}, timeout, deadline);
      send(message, deadline);
      return read_value(deadline);
    });
  }
  int64_t add(const std::string& key, int64_t amount) override { return add_to_exact_key(add_user_prefix(key), amount); }
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override {
    const Message message = start_request(Query::compare_set)
                                .append_text(add_user_prefix(key))
                                .append_text(check_length(expected))
                                .append_text(check_length(desired));
    return run_request([&](Deadline deadline) {
      send(message, deadline);
      return read_value(deadline);
    });
  }
  bool remove(const std::string& key) override {
    const Message message = start_request(Query::remove).append_text(add_user_prefix(key));
    return run_request([&](Deadline deadline) {
      send(message, deadline);
      return read_number<int64_t>(deadline) == 1;
    });
  }
  bool check(const Keys& keys) override {
    const Message message = make_keys_request(Query::check, keys);
    return run_request([&](Deadline deadline) {
      send(message, deadline);
      return read_number<uint8_t>(deadline) == 0;
    });
  }
  void wait(const Keys& keys, int64_t milliseconds) override {
    run_request(milliseconds, [&](Deadline deadline) { wait_for_keys(keys, milliseconds, deadline); });
  }
  int64_t count() override {
    return run_request([&](Deadline deadline) {
      send(start_request(Query::count), deadline);
      return read_number<int64_t>(deadline);
    });
  }
  Keys keys() override {
    return run_request([&](Deadline deadline) {
      send(start_request(Query::keys), deadline);
      Keys out;
      for (auto left = read_number<uint64_t>(deadline); left > 0; --left) {
        std::string key = read_text(deadline, longest_key);
        if (key.starts_with('/')) out.push_back(key.substr(1));
      }
      return out;
    });
  }
  void append(const std::string& key, const std::string& value) override {
    const Message message = start_request(Query::append).append_text(add_user_prefix(key)).append_text(check_length(value));
    run_request([&](Deadline deadline) { send(message, deadline); });
  }
  Values multi_get(const Keys& keys) override {
    const Message message = make_keys_request(Query::multi_get, keys);
    return run_request([&](Deadline deadline) {
      wait_for_keys(keys, timeout, deadline);
      send(message, deadline);
      Values out;
      for (size_t i = 0; i < keys.size(); ++i) out.push_back(read_value(deadline));
      return out;
    });
  }
  void multi_set(const Keys& keys, const Values& values) override {
    Message message = start_request(Query::multi_set);
    message.append_number(uint64_t(keys.size()));
    for (size_t i = 0; i < keys.size(); ++i) message.append_text(add_user_prefix(keys[i])).append_text(check_length(values[i]));
    run_request([&](Deadline deadline) { send(message, deadline); });
  }
  void push(const std::string& key, const std::string& value) override {
    const Message message = start_request(Query::push).append_text(add_user_prefix(key)).append_text(check_length(value));
    run_request([&](Deadline deadline) { send(message, deadline); });
  }
  std::string pop(const std::string& key, bool block) override {
    const Message message = start_request(Query::pop).append_text(add_user_prefix(key));
    const Deadline end = after(timeout);
    // Another client may change the key between the wait and the response.
    for (;;) {
      std::string out;
      const bool found = run_request([&](Deadline deadline) {
        if (block) wait_for_keys({key}, milliseconds_until(end), deadline);
        send(message, deadline);
        if (read_number<uint64_t>(deadline) == 0) return false;
        out = read_value(deadline);
        return true;
      });
      if (found) return out;
      if (!block) fail_empty_queue();
    }
  }
  int64_t queue_size(const std::string& key) override {
    const Message message = start_request(Query::queue_size).append_text(add_user_prefix(key));
    return run_request([&](Deadline deadline) {
      send(message, deadline);
      return read_number<int64_t>(deadline);
    });
  }
  void barrier(const std::string& key, int64_t world_size, int64_t milliseconds) override {
    const Message message = start_request(Query::barrier).append_text(add_user_prefix(key)).append_number(world_size);
    const bool came = run_request(milliseconds, [&](Deadline deadline) { return wait_for_response(message, milliseconds, deadline); });
    if (!came) fail_store("barrier timeout after " + std::to_string(milliseconds) + "ms, key: " + key);
  }
  Ref<Store> clone() override {
    TcpOptions same = options;
    same.is_server = same.wait_for_workers = false;
    same.port = port;
    same.timeout = timeout;
    same.descriptor = -1;
    auto* made = new TcpStore(same);
    made->server = server;  // which lives as long as any store that uses it
    return Ref<Store>::adopt(made);
  }
};

}  // namespace

Ref<Store> make_tcp_store(const TcpOptions& options) { return Ref<Store>::adopt(new TcpStore(options)); }
bool is_tcp_store(const Store& store) { return dynamic_cast<const TcpStore*>(&store) != nullptr; }
int tcp_port(const Store& store) { return static_cast<const TcpStore&>(store).port; }
std::string tcp_description(const Store& store) {
  const auto& own = static_cast<const TcpStore&>(store);
  return "TCPStore(client=TCPClient(" + describe(own.socket) +
         "), server=" + (own.server ? "TCPServer(port=" + std::to_string(own.port) + ")" : "<nullptr>") + ")";
}
std::string local_address_of(Store& store) {
  const auto* own = dynamic_cast<const TcpStore*>(without_prefixes(&store));
  if (!own) return "";
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(own->socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  std::string text = describe(address);
  text = text.substr(1, text.find(']') - 1);
  return text.starts_with("::ffff:") ? text.substr(7) : text;
}

}  // namespace mt::dist
