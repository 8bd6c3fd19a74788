// Recordings from C: events, their nesting, and their inputs.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "capi_support.h"

using namespace capi_test;

namespace {

mt_profile_event event_at(int64_t index) {
  mt_profile_event event{};
  event.struct_size = sizeof event;
  EXPECT_OK(mt_profiler_event(index, &event));
  return event;
}

std::vector<std::string> names(int64_t count) {
  std::vector<std::string> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(event_at(i).name);
  return all;
}

int64_t stop() {
  int64_t count = -1;
  EXPECT_OK(mt_profiler_stop(&count));
  return count;
}

Owned add(mt_tensor* a, mt_tensor* b) {
  mt_value args[2] = {mt_box_tensor(a), mt_box_tensor(b)}, result;
  int64_t n = 0;
  EXPECT_OK(mt_dispatch("aten::add", "Tensor", args, 2, &result, 1, &n));
  return Owned(result.as.tensor);
}

TEST(Profiler, RecordsCallsInsideOfRanges) {
  Owned a = floats({1, 2, 3});
  ASSERT_OK(mt_profiler_start(nullptr));
  EXPECT_EQ(mt_profiler_is_active(), 1);
  int64_t range = -1;
  ASSERT_OK(mt_profiler_begin("step", MT_PROFILE_RANGE, &range));
  Owned b = add(a, a);
  mt_profiler_end(range);
  Owned c = add(b, b);
  const int64_t count = stop();
  EXPECT_EQ(mt_profiler_is_active(), 0);
  EXPECT_EQ(names(count), (std::vector<std::string>{"step", "aten::add", "aten::add"}));
  const mt_profile_event step = event_at(0), inner = event_at(1), outer = event_at(2);
  EXPECT_EQ(step.kind, MT_PROFILE_RANGE);
  EXPECT_EQ(inner.kind, MT_PROFILE_OPERATOR);
  EXPECT_STREQ(inner.overload, "Tensor");
  EXPECT_EQ(step.parent, -1);
  EXPECT_EQ(inner.parent, 0);
  EXPECT_EQ(outer.parent, -1);
  EXPECT_LE(step.start, inner.start);
  EXPECT_LE(inner.start, inner.end);
  EXPECT_LE(inner.end, step.end);
  EXPECT_LE(step.end, outer.start);
  EXPECT_EQ(inner.n_inputs, 0);
  mt_profiler_clear();
  mt_profile_event none{};
  none.struct_size = sizeof none;
  EXPECT_EQ(failure(mt_profiler_event(0, &none)), "IndexError: there is no event 0");
}

TEST(Profiler, RecordsShapesNumbersAndListsOfTensors) {
  Owned a = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  mt_profiler_options options{sizeof(mt_profiler_options), 1, 0};
  ASSERT_OK(mt_profiler_start(&options));
  mt_tensor* list[] = {a, a};
  mt_value args[2] = {}, result;
  args[0].tag = MT_TAG_TENSORS;
  args[0].as.list.data = list;
  args[0].as.list.size = 2;
  args[1].tag = MT_TAG_INT;
  args[1].as.i = 1;
  int64_t n = 0;
  EXPECT_OK(mt_dispatch("aten::cat", "", args, 2, &result, 1, &n));
  mt_value_clear(&result);
  ASSERT_GE(stop(), 1);
  const mt_profile_event cat = event_at(0);
  EXPECT_STREQ(cat.name, "aten::cat");
  ASSERT_EQ(cat.n_inputs, 4);
  EXPECT_EQ(cat.inputs[0].value.tag, MT_TAG_TENSORS);
  EXPECT_EQ(cat.inputs[0].value.as.i, 2);
  for (int i : {1, 2}) {
    ASSERT_EQ(cat.inputs[i].ndim, 2);
    EXPECT_EQ(cat.inputs[i].dtype, MT_FLOAT32);
    EXPECT_EQ(cat.inputs[i].sizes[1], 3);
    EXPECT_EQ(cat.inputs[i].strides[0], 3);
  }
  EXPECT_EQ(cat.inputs[3].ndim, -1);
  EXPECT_EQ(cat.inputs[3].value.as.i, 1);
}

TEST(Profiler, RecordsAllocationsDuringTheRecording) {
  Owned before = floats({1, 2});
  mt_profiler_options options{sizeof(mt_profiler_options), 0, 1};
  ASSERT_OK(mt_profiler_start(&options));
  {
    Owned sum = add(before, before);
    before = Owned();
  }
  std::vector<int64_t> bytes;
  const int64_t count = stop();
  for (int64_t i = 0; i < count; ++i)
    if (event_at(i).kind == MT_PROFILE_MEMORY) bytes.push_back(event_at(i).bytes);
  EXPECT_EQ(bytes, (std::vector<int64_t>{8, -8}));
}

TEST(Profiler, LinksTheBackwardPassToItsOperators) {
  Owned a = floats({1, 2});
  EXPECT_OK(mt_tensor_set_requires_grad(a, 1));
  ASSERT_OK(mt_profiler_start(nullptr));
  Owned b = add(a, a), ones = floats({1, 1});
  mt_tensor *root = b, *gradient = ones;
  EXPECT_OK(mt_autograd_backward(&root, &gradient, 1, 0, 0, nullptr, 0));
  const int64_t count = stop();
  int64_t called = -1, ran = -1;
  int32_t thread = 0, forward = 0;
  for (int64_t i = 0; i < count; ++i) {
    const mt_profile_event e = event_at(i);
    if (!std::strcmp(e.name, "aten::add") && e.parent < 0) called = e.sequence_nr, thread = e.thread;
    if (!std::strcmp(e.name, "AddBackward0")) ran = e.sequence_nr, forward = e.forward_thread;
  }
  EXPECT_GE(called, 0);
  EXPECT_EQ(ran, called);
  EXPECT_EQ(forward, thread);
}

TEST(Profiler, ClosesFailedCalls) {
  Owned a = floats({1, 2}), b = floats({1, 2, 3});
  ASSERT_OK(mt_profiler_start(nullptr));
  mt_value args[2] = {mt_box_tensor(a), mt_box_tensor(b)}, result;
  int64_t n = 0;
  EXPECT_NE(failure(mt_dispatch("aten::add", "Tensor", args, 2, &result, 1, &n)), "");
  Owned c = add(a, a);
  const int64_t count = stop();
  ASSERT_EQ(names(count), (std::vector<std::string>{"aten::add", "aten::add"}));
  EXPECT_EQ(event_at(1).parent, -1);
  EXPECT_GE(event_at(0).end, event_at(0).start);
}

TEST(Profiler, RecordsOneThread) {
  Owned a = floats({1});
  ASSERT_OK(mt_profiler_start(nullptr));
  std::thread([&] {
    EXPECT_EQ(mt_profiler_is_active(), 0);
    Owned unseen = add(a, a);
    int64_t token = 0;
    EXPECT_OK(mt_profiler_begin("unseen", MT_PROFILE_RANGE, &token));
    EXPECT_EQ(token, -1);
    int64_t count = 0;
    EXPECT_EQ(failure(mt_profiler_stop(&count)), "RuntimeError: the profiler does not run on this thread");
    ASSERT_OK(mt_profiler_start(nullptr));
    Owned own = add(a, a);
    EXPECT_EQ(stop(), 1);
  }).join();
  EXPECT_EQ(failure(mt_profiler_start(nullptr)), "RuntimeError: Profiler is already enabled on this thread.");
  EXPECT_EQ(stop(), 0);
}

TEST(Profiler, EndsRangesWithItselfAndInAnyOrder) {
  int64_t a = 0, b = 0, c = 0;
  ASSERT_OK(mt_profiler_start(nullptr));
  ASSERT_OK(mt_profiler_begin("a", MT_PROFILE_RANGE, &a));
  ASSERT_OK(mt_profiler_begin("b", 20, &b));
  mt_profiler_end(a);
  ASSERT_OK(mt_profiler_begin("c", MT_PROFILE_RANGE, &c));
  EXPECT_EQ(failure(mt_profiler_begin("d", MT_PROFILE_MEMORY, &a)), "ValueError: 8 is no kind of a range");
  ASSERT_EQ(stop(), 3);
  EXPECT_EQ(event_at(2).parent, 1);
  EXPECT_GE(event_at(1).end, event_at(2).start);
  ASSERT_OK(mt_profiler_start(nullptr));
  mt_profiler_end(c);  // of the previous recording
  mt_profiler_end(-1);
  EXPECT_EQ(stop(), 0);
}

TEST(Profiler, KeysOfTheThreadDoNotShowIt) {
  uint64_t off = 0, on = 0;
  ASSERT_OK(mt_dispatch_keys_get(&off, nullptr));
  ASSERT_OK(mt_profiler_start(nullptr));
  ASSERT_OK(mt_dispatch_keys_get(&on, nullptr));
  EXPECT_EQ(on, off);
  ASSERT_OK(mt_dispatch_keys_set(on, 0));
  EXPECT_EQ(mt_profiler_is_active(), 1);
  EXPECT_EQ(stop(), 0);
}

}  // namespace
