// NPUs over the simulator: devices, streams, events, graphs, injected faults, races.
#include <atomic>
#include <random>
#include <thread>

#include "npu_support.h"

using namespace npu_test;

namespace {

class NpuDevice : public Npu {};
class NpuStream : public Npu {};
class NpuFault : public Npu {};

// ---- devices ----

TEST_F(NpuDevice, TheSimulatorIdentifiesItself) {
  int32_t count = 0;
  ASSERT_OK(mt_npu_device_count(&count));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(mt_npu_is_simulator(), 1);
  EXPECT_STREQ(mt_npu_library(), MT_SIMULATOR_PATH);
  mt_npu_properties p{};
  p.struct_size = sizeof p;
  ASSERT_OK(mt_npu_get_properties(0, &p));
  EXPECT_STREQ(p.name, "Ascend910Sim");
  EXPECT_EQ(p.total_memory, int64_t(16) << 30);
}
TEST_F(NpuDevice, AMissingDeviceIsRefused) {
  EXPECT_EQ(failure(mt_npu_set_device(2)), "RuntimeError: NPU error: invalid device ordinal");
  EXPECT_EQ(failure(mt_npu_set_device(-2)), "RuntimeError: NPU error: invalid device ordinal");
  int32_t now = -1;
  ASSERT_OK(mt_npu_get_device(&now));
  EXPECT_EQ(now, 0);
}
TEST_F(NpuDevice, TheCurrentDeviceBelongsToTheThread) {
  ASSERT_OK(mt_npu_set_device(1));
  std::thread([] {
    int32_t there = -1;
    EXPECT_OK(mt_npu_get_device(&there));
    EXPECT_EQ(there, 0);
  }).join();
  int32_t here = -1;
  ASSERT_OK(mt_npu_get_device(&here));
  EXPECT_EQ(here, 1);
  const Owned t = on_device({1, 2}, mt_device{MT_NPU, -1});
  EXPECT_EQ(capi_test::info_of(t).device.index, 1);
}
TEST_F(NpuDevice, AnotherLibraryIsNotLoadedBesideTheFirst) {
  EXPECT_EQ(failure(mt_npu_load("/nowhere.so")), std::string("RuntimeError: an NPU library is loaded already: ") + MT_SIMULATOR_PATH);
}
TEST_F(NpuDevice, TouchingDeviceMemoryFromTheHostFaults) {
  const Owned t = on_device({1, 2, 3});
  void* data = nullptr;
  ASSERT_OK(mt_tensor_data(t, &data));
  EXPECT_DEATH({ *static_cast<volatile float*>(data) = 1; }, "");
}

// ---- streams and events ----

TEST_F(NpuStream, AStreamRunsInOrderAndAsynchronously) {
  ASSERT_OK(mt_npu_simulator_faults("delay:20000"));
  Owned t = on_device({1, 2, 3});
  for (int i = 0; i < 5; ++i) t = add(t, t);
  int32_t done = 1;
  ASSERT_OK(mt_npu_stream_query(0, 0, &done));
  EXPECT_EQ(done, 0);  // five tasks of 20 ms each are queued, not done
  EXPECT_EQ(fetched(t), (std::vector<float>{32, 64, 96}));
  ASSERT_OK(mt_npu_stream_query(0, 0, &done));
  EXPECT_EQ(done, 1);
}
TEST_F(NpuStream, PoolStreamsAreRoundRobinAndHavePriorities) {
  int64_t first = 0, other = 0, high = 0;
  ASSERT_OK(mt_npu_stream_new(0, 0, &first));
  for (int i = 1; i < 32; ++i) ASSERT_OK(mt_npu_stream_new(0, 0, &other));
  EXPECT_NE(first, other);
  ASSERT_OK(mt_npu_stream_new(0, 0, &other));
  EXPECT_EQ(first, other);  // the 33rd is the first again
  ASSERT_OK(mt_npu_stream_new(0, -5, &high));
  int32_t priority = 0;
  ASSERT_OK(mt_npu_stream_priority(0, high, &priority));
  EXPECT_EQ(priority, -1);
  EXPECT_EQ(failure(mt_npu_stream_set(0, 4096)), "RuntimeError: NPU error: stream 4096 does not exist on device 0");
}
TEST_F(NpuStream, AnEventMakesAnotherStreamWait) {
  int64_t side = 0;
  ASSERT_OK(mt_npu_stream_new(0, 0, &side));
  ASSERT_OK(mt_npu_simulator_faults("delay:2000"));
  const Owned a = on_device({1, 2, 3});
  const Owned b = add(a, a);
  mt_npu_event* event = nullptr;
  ASSERT_OK(mt_npu_event_create(MT_NPU_EVENT_TIMING, &event));
  ASSERT_OK(mt_npu_event_record(event, 0, 0));
  ASSERT_OK(mt_npu_stream_set(0, side));
  ASSERT_OK(mt_npu_event_wait(event, 0, side));
  EXPECT_EQ(fetched(add(b, b)), (std::vector<float>{4, 8, 12}));
  ASSERT_OK(mt_npu_record_stream(b, side));
  mt_npu_event* later = nullptr;
  ASSERT_OK(mt_npu_event_create(MT_NPU_EVENT_TIMING, &later));
  ASSERT_OK(mt_npu_event_record(later, 0, side));
  ASSERT_OK(mt_npu_event_synchronize(later));
  double milliseconds = -1;
  ASSERT_OK(mt_npu_event_elapsed(event, later, &milliseconds));
  EXPECT_GT(milliseconds, 0);
  mt_npu_event_release(event);
  mt_npu_event_release(later);
  EXPECT_EQ(counters()["races"], 0) << mt_npu_simulator_race();
}
TEST_F(NpuStream, TheDetectorFindsARaceWithoutAnEvent) {
  int64_t side = 0;
  ASSERT_OK(mt_npu_stream_new(0, 0, &side));
  const Owned a = on_device({1, 2, 3});
  const Owned b = add(a, a);
  ASSERT_OK(mt_npu_stream_set(0, side));
  const Owned c = add(b, b);  // reads memory that the default stream writes
  EXPECT_GT(counters()["races"], 0);
  EXPECT_NE(std::string(mt_npu_simulator_race()).find("reads what aclnnAdd on stream"), std::string::npos) << mt_npu_simulator_race();
  ASSERT_OK(mt_npu_synchronize(0));
}
TEST_F(NpuStream, HostThreadsWorkInParallel) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int device : {0, 0, 1, 1})
    threads.emplace_back([&wrong, device] {
      int64_t side = 0;
      EXPECT_OK(mt_npu_set_device(device));
      EXPECT_OK(mt_npu_stream_new(device, 0, &side));
      EXPECT_OK(mt_npu_stream_set(device, side));
      for (int i = 1; i <= 20; ++i) {
        const Owned t = on_device(std::vector<float>(size_t(100 * i), float(i)), mt_device{MT_NPU, device});
        wrong += fetched(add(t, add(t, t))) != std::vector<float>(size_t(100 * i), float(3 * i));
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counters()["races"], 0) << mt_npu_simulator_race();
}
TEST_F(NpuStream, TimesAreForRecordedTimingEvents) {
  mt_npu_event *a = nullptr, *b = nullptr;
  ASSERT_OK(mt_npu_event_create(0, &a));
  ASSERT_OK(mt_npu_event_create(0, &b));
  double time = 0;
  EXPECT_EQ(failure(mt_npu_event_elapsed(a, b, &time)), "ValueError: Both events must be recorded before calculating elapsed time.");
  ASSERT_OK(mt_npu_event_record(a, 0, 0));
  ASSERT_OK(mt_npu_event_record(b, 0, 0));
  EXPECT_EQ(failure(mt_npu_event_elapsed(a, b, &time)), "ValueError: Both events must be created with argument 'enable_timing=True'.");
  mt_npu_event_release(a);
  mt_npu_event_release(b);
  const Owned tensor = capi_test::floats({1});
  int32_t done = 0;
  EXPECT_EQ(failure(mt_npu_event_query(reinterpret_cast<mt_npu_event*>(static_cast<mt_tensor*>(tensor)), &done)),
            "TypeError: event must be an NPU event, not a tensor");
}
TEST_F(NpuStream, AHostFunctionRunsAfterEarlierWork) {
  static std::atomic<int> calls;
  calls = 0;
  ASSERT_OK(mt_npu_stream_call(0, 0, [](void* user) { static_cast<std::atomic<int>*>(user)->fetch_add(1); }, &calls));
  ASSERT_OK(mt_npu_stream_synchronize(0, 0));
  EXPECT_EQ(calls, 1);
}
TEST_F(NpuStream, DevicesExchangeTensorsWithoutTheHost) {
  const Owned a = on_device({1, 2, 3}, npu0);
  ASSERT_OK(mt_npu_synchronize(0));
  ASSERT_OK(mt_npu_simulator_reset_counters());
  const Owned b = to(a, npu1);
  ASSERT_OK(mt_npu_synchronize(0));
  ASSERT_OK(mt_npu_synchronize(1));
  EXPECT_EQ(counters()["copies.device_to_device"], 1);
  EXPECT_EQ(counters()["copies.device_to_host"], 0);
  EXPECT_EQ(capi_test::info_of(b).device.index, 1);
  EXPECT_EQ(fetched(b), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(failure_of("add", "Tensor", {mt_box_tensor(a), mt_box_tensor(b)}),
            "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, npu:0 and npu:1!");
}

// ---- graphs ----

TEST_F(NpuStream, AGraphRepeatsItsWorkInEachReplay) {
  int64_t side = 0;
  ASSERT_OK(mt_npu_stream_new(0, 0, &side));
  ASSERT_OK(mt_npu_synchronize(0));
  ASSERT_OK(mt_npu_stream_set(0, side));
  const Owned x = on_device({1, 2});
  mt_npu_graph* graph = nullptr;
  ASSERT_OK(mt_npu_graph_create(&graph));
  ASSERT_OK(mt_npu_graph_capture_begin(graph, 0, 0, 0));
  int32_t capturing = 0;
  ASSERT_OK(mt_npu_stream_is_capturing(0, side, &capturing));
  EXPECT_EQ(capturing, 1);
  const mt_value args[2] = {mt_box_tensor(x), mt_box_tensor(x)};
  mt_value ret{};
  int64_t n = 0;
  ASSERT_OK(mt_dispatch("add_", "Tensor", args, 2, &ret, 1, &n));
  mt_value_clear(&ret);
  ASSERT_OK(mt_npu_graph_capture_end(graph));
  EXPECT_EQ(fetched(x), (std::vector<float>{1, 2}));  // the work was only recorded
  ASSERT_OK(mt_npu_graph_replay(graph));
  ASSERT_OK(mt_npu_graph_replay(graph));
  EXPECT_EQ(fetched(x), (std::vector<float>{4, 8}));
  EXPECT_EQ(failure(mt_npu_graph_capture_begin(graph, 0, 0, 0)),
            "RuntimeError: This NPUGraph instance already owns a captured graph. To capture a new graph, create a new instance.");
  mt_npu_graph_release(graph);
}

// ---- faults ----

TEST_F(NpuFault, AFailedCallIsNamedAndTheNextOneWorks) {
  ASSERT_OK(mt_npu_simulator_faults("fail:aclnnAdd:1"));
  const Owned a = on_device({1, 2});
  EXPECT_EQ(failure_of("add", "Tensor", {mt_box_tensor(a), mt_box_tensor(a)}),
            "RuntimeError: NPU error: aclnnAdd failed with code 507015: injected fault");
  EXPECT_EQ(fetched(add(a, a)), (std::vector<float>{2, 4}));
}
TEST_F(NpuFault, AStickyErrorStaysUntilTheDeviceIsRepaired) {
  const Owned a = on_device({1, 2});
  ASSERT_OK(mt_npu_simulator_faults("sticky:0:1"));
  const Owned b = add(a, a);
  EXPECT_NE(failure(mt_npu_synchronize(0)).find("RuntimeError: NPU error: aclrtSynchronizeDevice failed with code 507015"),
            std::string::npos);
  EXPECT_NE(failure(mt_npu_synchronize(0)), "");
  ASSERT_OK(mt_npu_simulator_faults(""));
  EXPECT_EQ(fetched(add(a, a)), (std::vector<float>{2, 4}));
}
TEST_F(NpuFault, ALostDeviceRefusesWorkAndOthersContinue) {
  const Owned a = on_device({1, 2}, npu0), b = on_device({3, 4}, npu1);
  ASSERT_OK(mt_npu_simulator_faults("lost:0:1"));
  const Owned c = add(a, a);
  EXPECT_NE(failure(mt_npu_synchronize(0)), "");
  EXPECT_NE(
      failure_of("add", "Tensor", {mt_box_tensor(a), mt_box_tensor(a)}).find("RuntimeError: NPU error: aclnnAdd failed with code 507010"),
      std::string::npos);
  EXPECT_EQ(fetched(add(b, b)), (std::vector<float>{6, 8}));
}
TEST_F(NpuFault, InvalidFaultsAreRefused) {
  for (const char* text : {"fail", "fail:aclnnAdd", "fail:aclnnAdd:0", "memory:x", "lost:99:1", "sticky:0"})
    EXPECT_EQ(failure(mt_npu_simulator_faults(text)), std::string("ValueError: not a list of faults: ") + text);
}
TEST_F(NpuFault, AKernelErrorIsReportedAtTheNextWait) {
  const Owned table = on_device({1, 2, 3});
  int64_t seven = 7;
  const int64_t one = 1;
  Owned index;
  ASSERT_OK(mt_tensor_from_copy(&seven, &one, 1, MT_INT64, index.out()));
  const Owned picked = call("index_select", "", {mt_box_tensor(table), mt_int(0), mt_box_tensor(to(index, npu0))});
  EXPECT_NE(failure(mt_npu_synchronize(0)).find("index out of range"), std::string::npos);
}

// Any schedule of faults gives torch's error type with the name of the call, leaks nothing, and leaves the device usable.
TEST_F(NpuFault, AThousandRandomSchedulesOverAStepOfWork) {
  EXPECT_OK(mt_npu_synchronize(0));
  std::mt19937 random(20261121);
  const char* calls[] = {
      "*",       "aclrtMalloc", "aclrtMemcpyAsync", "aclnnAdd", "aclnnAddGetWorkspaceSize", "aclCreateTensor", "aclrtSynchronizeStream",
      "aclnnMul"};
  int failures = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string faults;
    const auto number = [&](int below) { return std::to_string(1 + random() % unsigned(below)); };
    switch (random() % 4) {
      case 0: faults = "sticky:0:" + number(12); break;
      case 1: faults = "lost:0:" + number(12); break;
      case 2: faults = "memory:" + std::to_string((random() % 3) << 21); break;
      default: faults = std::string("fail:") + calls[random() % 8] + ":" + number(20);
    }
    if (round % 8 == 0) {
      ASSERT_OK(mt_npu_empty_cache());
    }
    ASSERT_OK(mt_npu_simulator_faults(faults.c_str()));
    auto step = [&]() -> std::string {
      mt_value rets[1] = {};
      int64_t n = 0;
      std::vector<Owned> kept;
      auto run = [&](const char* name, const char* overload, std::vector<mt_value> args) -> mt_status* {
        mt_status* status = mt_dispatch(name, overload, args.data(), int64_t(args.size()), rets, 1, &n);
        if (!status) kept.emplace_back(rets[0].as.tensor);
        return status;
      };
      const Owned source = capi_test::floats(std::vector<float>(300, 1.5f));
      if (mt_status* s = run("_to_copy", "",
                             {mt_box_tensor(source), mt_box_tag(MT_TAG_DEFAULT), mt_box_tag(MT_TAG_DEFAULT), mt_box_device(npu0)}))
        return failure(s);
      for (int i = 0; i < 4; ++i) {
        mt_tensor* last = kept.back();
        if (mt_status* s = run(i % 2 ? "mul" : "add", "Tensor", {mt_box_tensor(last), mt_box_tensor(last)})) return failure(s);
      }
      mt_tensor* last = kept.back();
      return failure(
          run("_to_copy", "", {mt_box_tensor(last), mt_box_tag(MT_TAG_DEFAULT), mt_box_tag(MT_TAG_DEFAULT), mt_box_device(host)}));
    };
    const std::string text = step();
    if (!text.empty()) {
      ++failures;
      const bool named = text.rfind("RuntimeError: NPU error: acl", 0) == 0 ||
                         text.rfind("OutOfMemoryError: NPU out of memory. Tried to allocate", 0) == 0;
      EXPECT_TRUE(named) << faults << " gave " << text;
    }
    ASSERT_OK(mt_npu_simulator_faults(""));
    EXPECT_EQ(step(), "") << "after " << faults;
    EXPECT_EQ(statistics()["allocated_bytes.all.current"], 0) << faults;
  }
  EXPECT_GT(failures, 300);
  expect_no_memory_in_use();
}

}  // namespace
