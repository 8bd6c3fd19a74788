// Stores: each operation, how a TCPStore's server treats unknown clients, and authentication.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "core/exception.h"
#include "distributed/sha256.h"
#include "distributed/tcp_store.h"

namespace mt::dist {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const unsigned char c : bytes) out += "0123456789abcdef"[c >> 4], out += "0123456789abcdef"[c & 15];
  return out;
}

// The kind and text of a call's error.
template <class F>
std::string failure(F&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.kind() + ": " + error.message();
  }
  return "nothing";
}

Ref<Store> tcp_server(const std::string& secret = "", int64_t timeout = 5000) {
  TcpOptions options;
  options.host = options.listen_address = "127.0.0.1";
  options.is_server = true;
  options.secret = secret;
  options.timeout = timeout;
  return make_tcp_store(options);
}
Ref<Store> tcp_client(int port, const std::string& secret = "", int64_t timeout = 5000) {
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  options.secret = secret;
  options.timeout = timeout;
  return make_tcp_store(options);
}

TEST(Sha256, GivesTheDigestsOfTheStandards) {
  // FIPS 180-4's example, and RFC 4231's test cases 1 and 6.
  const auto digest = sha256("abc");
  EXPECT_EQ(hex({reinterpret_cast<const char*>(digest.data()), 32}), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

struct EveryStore : testing::TestWithParam<const char*> {
  Ref<Store> make() {
    const std::string kind = GetParam();
    if (kind == "hash") return make_hash_store();
    if (kind == "file") return make_file_store(path_, 1);
    if (kind == "prefix") return make_prefix_store("p", make_hash_store());
    return tcp_server();
  }
  std::string path_ = testing::TempDir() + "store-" + std::to_string(getpid());
};

TEST_P(EveryStore, KeepsValuesOfAnyBytes) {
  const auto store = make();
  const std::string bytes("a\0b\xff", 4);
  store->set("key", bytes);
  EXPECT_EQ(store->get("key"), bytes);
  store->set("empty", "");
  EXPECT_EQ(store->get("empty"), "");
  store->append("key", "c");
  EXPECT_EQ(store->get("key"), bytes + "c");
  EXPECT_TRUE(store->remove("key"));
  EXPECT_FALSE(store->remove("key"));
  EXPECT_FALSE(store->check({"key"}));
}

TEST_P(EveryStore, CountsAndCompares) {
  const auto store = make();
  EXPECT_EQ(store->add("n", 3), 3);
  EXPECT_EQ(store->add("n", -5), -2);
  EXPECT_EQ(store->get("n"), "-2");
  EXPECT_EQ(store->compare_set("c", "", "first"), "first");
  EXPECT_EQ(store->compare_set("c", "other", "second"), "first");
  EXPECT_EQ(store->compare_set("c", "first", "second"), "second");
  EXPECT_EQ(store->compare_set("absent", "x", "y"), "x");
  EXPECT_FALSE(store->check({"absent"}));
  store->multi_set({"a", "b"}, {"1", "2"});
  EXPECT_EQ(store->multi_get({"b", "a"}), (Values{"2", "1"}));
}

TEST_P(EveryStore, WaitsForKeysUntilTheTimeout) {
  const auto store = make();
  store->set_timeout(200);
  const auto begin = Clock::now();
  EXPECT_NE(failure([&] { store->get("never"); }), "nothing");
  EXPECT_NE(failure([&] { store->wait({"never", "ever"}, 100); }), "nothing");
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
  EXPECT_GE(took, 300);
  EXPECT_LT(took, 5000);
  store->set_timeout(10'000);
  const auto other = store->clone();
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    other->set("late", "value");
  });
  EXPECT_EQ(store->get("late"), "value");
  late.join();
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryStore, testing::Values("hash", "file", "prefix", "tcp"), [](const auto& info) { return info.param; });

TEST(FileStore, IsReadByTorchAndRemovedByItsLastUser) {
  const std::string path = testing::TempDir() + "file-store-" + std::to_string(getpid());
  {
    const auto store = make_file_store(path, 2);
    store->set("a", "bb");
    store->remove("a");
    std::ifstream file(path, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    // The bytes that torch 2.13's FileStore writes for the same calls.
    EXPECT_EQ(content, std::string("\x09\0\0\0refcount/\x01\0\0\0"
                                   "1\x02\0\0\0/a\x02\0\0\0bb\x03\0\0\0-/a\0\0\0\0",
                                   41));
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(TcpStore, ServesQueuesAndBarriers) {
  const auto store = tcp_server();
  const auto other = tcp_client(tcp_port(*store));
  other->push("q", "1");
  other->push("q", "2");
  EXPECT_EQ(store->queue_size("q"), 2);
  EXPECT_EQ(store->pop("q", true), "1");
  EXPECT_EQ(store->pop("q", false), "2");
  EXPECT_EQ(failure([&] { store->pop("q", false); }), "QueueEmptyError: queue is empty");
  EXPECT_EQ(failure([&] { store->barrier("b", 2, 100); }), "DistStoreError: barrier timeout after 100ms, key: b");
  std::thread second([&] { other->barrier("b", 2, 5000); });
  store->barrier("b", 2, 5000);
  second.join();
  EXPECT_EQ(failure([&] { store->wait({"x", "y"}, 50); }), "DistStoreError: wait timeout after 50ms, keys: /x, /y");
  EXPECT_EQ(failure([&] { store->set(std::string(9000, 'k'), ""); }), "ValueError: a key has 9000 bytes, and 8191 are the most");
}

TEST(TcpStore, ClosesOnlyTheClientWithAnAbsurdSize) {
  const auto store = tcp_server();
  for (const uint64_t size : {uint64_t(1) << 50, ~uint64_t(0), uint64_t(8193)}) {
    const Socket stranger = connect_to("127.0.0.1", tcp_port(*store), after(2000));
    write_all(stranger,
              start_request(Query::validate).append_number(validation).bytes + start_request(Query::set).append_number(size).bytes,
              after(1000));
    char byte;
    EXPECT_THROW(read_exactly(stranger, &byte, 1, after(2000)), NetworkError);
    EXPECT_EQ(recv(stranger.descriptor(), &byte, 1, MSG_DONTWAIT), 0) << "the server closes it at once";
  }
  store->set("still", "here");
  EXPECT_EQ(store->get("still"), "here");
}

TEST(TcpStore, ServesClientsWhileHundredsOfConnectionsAreSilent) {
  const auto store = tcp_server();
  std::vector<Socket> silent;
  for (int i = 0; i < 400; ++i) silent.push_back(connect_to("127.0.0.1", tcp_port(*store), after(2000)));
  const auto begin = Clock::now();
  EXPECT_EQ(tcp_client(tcp_port(*store))->add("n", 1), 1);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
}

TEST(TcpStore, SurvivesRandomAndMutatedFrames) {
  const auto store = tcp_server();
  store->set("kept", "value");
  const int port = tcp_port(*store);
  std::mt19937_64 random(1);
  const std::string whole = start_request(Query::set).append_text("/a").append_text("b").bytes +
                            start_request(Query::add).append_text("/n").append_number(int64_t(1)).bytes +
                            start_request(Query::wait).append_number(uint64_t(1)).append_text("/z").bytes +
                            start_request(Query::cancel).bytes +
                            start_request(Query::multi_get).append_number(uint64_t(1)).append_text("/a").bytes;
  const int connections = std::getenv("MINDTORCH_TESTS_FULL") && *std::getenv("MINDTORCH_TESTS_FULL") ? 20'000 : 2'000, frames = 5;
  for (int i = 0; i < connections; ++i) {
    const Socket stranger = connect_to("127.0.0.1", port, after(5000));
    std::string bytes = i % 3 ? start_request(Query::validate).append_number(validation).bytes : "";
    for (int k = 0; k < frames; ++k) {
      std::string frame = whole;
      if (i % 2) {
        frame.resize(random() % 64);
        for (char& c : frame) c = char(random());
      } else {
        for (uint64_t n = 1 + random() % 4; n > 0; --n) frame[random() % frame.size()] = char(random());
        frame.resize(1 + random() % frame.size());
      }
      bytes += frame;
    }
    try {
      write_all(stranger, bytes, after(1000));
    } catch (const NetworkError&) {
      // The server closed the connection.
    }
  }
  EXPECT_EQ(store->get("kept"), "value");
}

TEST(TcpStore, RefusesClientsWithoutTheSecret) {
  const auto store = tcp_server("open sesame");
  const int port = tcp_port(*store);
  EXPECT_EQ(tcp_client(port, "open sesame")->add("n", 1), 1);
  EXPECT_TRUE(failure([&] { tcp_client(port, "wrong", 1000); }).starts_with("DistNetworkError: The client socket cannot use the store"));
  EXPECT_NE(failure([&] { tcp_client(port, "", 1000); }), "nothing");
  // A client that replays the recorded messages of another one is refused, because it cannot answer the server's new nonce.
  const Socket stranger = connect_to("127.0.0.1", port, after(1000));
  write_all(stranger, "MTS1" + std::string(16, 'x'), after(1000));
  char answer[answer_size];
  read_exactly(stranger, answer, sizeof answer, after(1000));
  write_all(stranger,
            std::string(32, 'x') + start_request(Query::validate).append_number(validation).bytes +
                start_request(Query::set).append_text("/n").append_text("9").bytes,
            after(1000));
  char byte;
  EXPECT_THROW(read_exactly(stranger, &byte, 1, after(2000)), NetworkError);
  EXPECT_EQ(store->get("n"), "1");
}

TEST(TcpStore, ReportsALostServer) {
  auto store = tcp_server();
  const auto client = tcp_client(tcp_port(*store));
  store.reset();
  EXPECT_TRUE(failure([&] { client->add("n", 1); }).starts_with("DistNetworkError: "));
  EXPECT_EQ(failure([&] { client->add("n", 1); }), "DistNetworkError: The connection to the store was closed after an earlier failure.");
}

TEST(TcpStore, TimesOutOnAServerThatNeverAnswers) {
  const Socket listener = listen_on("127.0.0.1", 0);
  const auto begin = Clock::now();
  EXPECT_EQ(failure([&] { tcp_client(port_of(listener), "", 300); }),
            "DistNetworkError: The client socket has timed out after 300ms while trying to connect to (127.0.0.1, " +
                std::to_string(port_of(listener)) + ").");
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(3));
}

}  // namespace
}  // namespace mt::dist
