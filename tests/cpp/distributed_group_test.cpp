// Groups, works and backends through the C ABI, over a backend of this test: threads of one process are the ranks.
#include <gtest/gtest.h>
#include <mindtorch/distributed.h>
#include <mindtorch/tensor.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace {

// Carries out collectives among the test's threads: all threads wait for each other, and the last one to arrive computes the result.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<int, const mt_transfer*> present;
  int64_t round = 0;
};
struct Member {
  Meeting* meeting;
  int rank, size;
  bool aborted = false;
};

void join_all(const std::map<int, const mt_transfer*>& all) {
  const mt_transfer& first = *all.begin()->second;
  const size_t bytes = size_t(first.count * first.item_size);
  mt_join_fn join = nullptr;
  if (first.kind == MT_ALL_REDUCE) {
    ASSERT_EQ(mt_join_function(first.reduction, first.dtype, &join), nullptr);
  }
  std::vector<char> sum(static_cast<const char*>(first.input), static_cast<const char*>(first.input) + bytes);
  for (const auto& [rank, each] : all) {
    if (first.kind == MT_ALL_REDUCE && rank > 0) join(sum.data(), sum.data(), each->input, size_t(first.count));
    if (first.kind == MT_ALL_GATHER_SINGLE)
      for (const auto& [other, to] : all) std::memcpy(static_cast<char*>(to->output) + size_t(rank) * bytes, each->input, bytes);
  }
  if (first.kind == MT_ALL_REDUCE)
    for (const auto& [rank, each] : all) std::memcpy(each->output, sum.data(), bytes);
}

mt_status* run(void*, void* self, const mt_transfer* transfer) {
  auto& member = *static_cast<Member*>(self);
  Meeting& meeting = *member.meeting;
  std::unique_lock lock(meeting.mutex);
  meeting.present[member.rank] = transfer;
  const int64_t round = meeting.round;
  if (int(meeting.present.size()) == member.size) {
    join_all(meeting.present);
    meeting.present.clear();
    ++meeting.round;
    meeting.changed.notify_all();
  }
  const bool met = meeting.changed.wait_for(lock, std::chrono::milliseconds(transfer->timeout),
                                            [&] { return member.aborted || meeting.round != round; });
  meeting.present.erase(member.rank);
  if (member.aborted) return mt_status_create("DistBackendError", "aborted");
  return met ? nullptr : mt_status_create("DistBackendError", "nobody came");
}

Meeting* meeting_of(const char* name) {
  static std::mutex mutex;
  static std::map<std::string, Meeting> all;
  std::lock_guard lock(mutex);
  return &all[name];
}

void register_threads() {
  static const bool done = [] {
    mt_backend table{};
    table.struct_size = sizeof table;
    table.name = "threads";
    table.class_name = "ProcessGroupThreads";
    table.device_type = MT_CPU;
    table.create = [](void*, const mt_group_options* options, void** self) -> mt_status* {
      *self = new Member{meeting_of(options->name), options->rank, options->size};
      return nullptr;
    };
    table.destroy = [](void*, void* self) { delete static_cast<Member*>(self); };
    table.run = run;
    table.abort = [](void*, void* self) {
      Member& member = *static_cast<Member*>(self);
      std::lock_guard lock(member.meeting->mutex);
      member.aborted = true;
      member.meeting->changed.notify_all();
    };
    mt_status* status = mt_backend_register(&table);
    EXPECT_EQ(status, nullptr);
    return true;
  }();
  EXPECT_TRUE(done);
}

std::string text_of(mt_status* status) {
  if (!status) return "";
  std::string text = std::string(mt_status_kind(status)) + ": " + mt_status_message(status);
  mt_status_release(status);
  return text;
}

struct Group {
  mt_store* store = nullptr;
  mt_group* group = nullptr;
  Group(const char* name, int rank, int size, int64_t timeout = 10'000) {
    register_threads();
    EXPECT_EQ(text_of(mt_store_hash_create(&store)), "");
    mt_group_options options{};
    options.struct_size = sizeof options;
    options.backend = "threads";
    options.store = store;
    options.rank = rank;
    options.size = size;
    options.timeout = timeout;
    options.name = name;
    EXPECT_EQ(text_of(mt_group_create(&options, &group)), "");
  }
  ~Group() {
    mt_group_release(group);
    mt_store_release(store);
  }
};

struct Tensor {
  mt_tensor* handle = nullptr;
  explicit Tensor(std::vector<float> values) {
    const int64_t size = int64_t(values.size());
    EXPECT_EQ(text_of(mt_tensor_from_copy(values.data(), &size, 1, MT_FLOAT32, &handle)), "");
  }
  ~Tensor() { mt_tensor_release(handle); }
  float at(int i) const {
    void* data = nullptr;
    EXPECT_EQ(text_of(mt_tensor_data(handle, &data)), "");
    return static_cast<float*>(data)[i];
  }
};

mt_collective collective(int32_t kind, const Tensor* input, const Tensor* output) {
  mt_collective what{};
  what.struct_size = sizeof what;
  what.kind = kind;
  if (input) what.inputs = &input->handle, what.n_inputs = 1;
  if (output) what.outputs = &output->handle, what.n_outputs = 1;
  return what;
}

TEST(Group, SumsAcrossItsMembers) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([rank] {
      const Group group("sums", rank, 3);
      const Tensor tensor({1.f * float(rank), 2.f});
      for (const int32_t is_async : {0, 1}) {
        mt_collective what = collective(MT_ALL_REDUCE, nullptr, &tensor);
        what.is_async = is_async;
        mt_work* work = nullptr;
        ASSERT_EQ(text_of(mt_group_start(group.group, &what, &work)), "");
        ASSERT_EQ(text_of(mt_work_wait(work, 0)), "");
        mt_work_release(work);
      }
      // The first of two all-reduces sums over three ranks: 0 + 1 + 2 and 3 * 2. The second multiplies both by three.
      EXPECT_EQ(tensor.at(0), 9.f);
      EXPECT_EQ(tensor.at(1), 18.f);
    });
  for (auto& thread : threads) thread.join();
}

TEST(Group, AveragesAndGathers) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([rank] {
      const Group group("means", rank, 2);
      const Tensor tensor({float(rank)}), all({0.f, 0.f});
      mt_collective mean = collective(MT_ALL_REDUCE, nullptr, &tensor), gather = collective(MT_ALL_GATHER_SINGLE, &tensor, &all);
      mean.reduction = MT_AVERAGE;
      for (mt_collective* what : {&gather, &mean}) {
        mt_work* work = nullptr;
        ASSERT_EQ(text_of(mt_group_start(group.group, what, &work)), "");
        ASSERT_EQ(text_of(mt_work_wait(work, 0)), "");
        mt_work_release(work);
      }
      EXPECT_EQ(tensor.at(0), .5f);
      EXPECT_EQ(all.at(0), 0.f);
      EXPECT_EQ(all.at(1), 1.f);
    });
  for (auto& thread : threads) thread.join();
}

TEST(Group, NamesTheFailedCollective) {
  const Group group("alone", 0, 2, 50);
  const Tensor tensor({1.f});
  const mt_collective what = collective(MT_ALL_REDUCE, nullptr, &tensor);
  mt_work* work = nullptr;
  ASSERT_EQ(text_of(mt_group_start(group.group, &what, &work)), "");
  const char* text = "DistBackendError: nobody came (all_reduce number 1 of rank 0 in group \"alone\")";
  EXPECT_EQ(text_of(mt_work_wait(work, 0)), text);
  mt_status* error = nullptr;
  ASSERT_EQ(text_of(mt_work_error(work, &error)), "");
  EXPECT_EQ(text_of(error), text);
  std::string seen;
  ASSERT_EQ(text_of(mt_work_then(
                work, [](void* user, const mt_status* status) { *static_cast<std::string*>(user) = mt_status_message(status); }, &seen)),
            "");
  EXPECT_NE(seen.find("nobody came"), std::string::npos);
  mt_work_release(work);
}

TEST(Group, AbortFailsWaitingWork) {
  const Group group("aborted", 0, 2, 60'000);
  const Tensor tensor({1.f});
  mt_collective what = collective(MT_ALL_REDUCE, nullptr, &tensor);
  what.is_async = 1;
  mt_work* work = nullptr;
  ASSERT_EQ(text_of(mt_group_start(group.group, &what, &work)), "");
  EXPECT_NE(text_of(mt_work_wait(work, 50)).find("did not end within 50ms"), std::string::npos);
  ASSERT_EQ(text_of(mt_group_abort(group.group)), "");
  EXPECT_NE(text_of(mt_work_wait(work, 0)).find("aborted"), std::string::npos);
  mt_work_release(work);
}

TEST(Group, RefusesWrongArguments) {
  const Group group("refusals", 0, 2);
  const Tensor one({1.f}), three({1.f, 2.f, 3.f});
  const auto start = [&](const mt_collective& what) {
    mt_work* work = nullptr;
    return text_of(mt_group_start(group.group, &what, &work));
  };
  EXPECT_EQ(start(collective(MT_ALL_REDUCE, nullptr, nullptr)),
            "RuntimeError: ProcessGroupThreads::allreduce: requires non-empty tensor list");
  mt_collective broadcast = collective(MT_BROADCAST, nullptr, &one);
  broadcast.root = 7;
  EXPECT_EQ(start(broadcast), "RuntimeError: ProcessGroupThreads::broadcast: invalid root rank: 7");
  EXPECT_EQ(start(collective(MT_ALL_TO_ALL_SINGLE, &three, &three)),
            "RuntimeError: Tensor's dim 0 does not divide equally across group size");
  EXPECT_EQ(start(collective(99, nullptr, nullptr)), "ValueError: 99 is no kind of a collective");
  mt_collective send = collective(MT_SEND, &one, nullptr);
  send.root = 1;
  EXPECT_EQ(start(send).substr(0, 61), "NotImplementedError: Backend threads does not support send");
}

TEST(Group, RefusesOtherHandlesAndUnknownBackends) {
  const Group group("handles", 0, 1);
  mt_work* work = nullptr;
  const mt_collective what = collective(MT_BARRIER, nullptr, nullptr);
  EXPECT_NE(text_of(mt_group_start(reinterpret_cast<mt_group*>(group.store), &what, &work)), "");
  EXPECT_NE(text_of(mt_work_wait(nullptr, 0)), "");
  mt_group_options options{};
  options.struct_size = sizeof options;
  options.backend = "nothing";
  options.store = group.store;
  options.size = 1;
  mt_group* made = nullptr;
  EXPECT_NE(text_of(mt_group_create(&options, &made)).find("Distributed package doesn't have nothing built in"), std::string::npos);
  mt_backend table{};
  table.struct_size = sizeof table;
  table.name = "incomplete";
  EXPECT_EQ(text_of(mt_backend_register(&table)).substr(0, 10), "TypeError:");
}

}  // namespace
