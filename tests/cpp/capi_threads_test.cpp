// Threads that register kernels while others call: a call sees the state either before or after a registration, never a mixture.
#include <atomic>
#include <thread>

#include "capi_support.h"

using namespace capi_test;

namespace {

constexpr int rounds = 300;

// Runs `work` on four threads until `until` has finished on this one.
template <class Work, class Until>
void run_while(Work work, Until until) {
  std::atomic<bool> done{false};
  std::atomic<int> started{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      ++started;
      do work();
      while (!done.load());
    });
  while (started.load() < 4) std::this_thread::yield();
  until();
  done = true;
  for (std::thread& t : threads) t.join();
}

std::atomic<int> destroyed{0}, wrong{0};

// A kernel that returns ten times the number to which `user` points; `forget`, its destroy function, overwrites that number.
mt_status* tenfold(void* user, const mt_op*, uint64_t, const mt_value*, int64_t, mt_value* rets, int64_t) {
  const float number = 10 * *static_cast<float*>(user);
  mt_tensor* made = nullptr;
  if (mt_status* status = mt_tensor_from_copy(&number, nullptr, 0, MT_FLOAT32, &made)) return status;
  rets[0] = mt_box_tensor(made);
  rets[0].flags |= MT_FLAG_OWNED;
  return nullptr;
}
void forget(void* user) {
  *static_cast<float*>(user) = -1;
  delete static_cast<float*>(user);
  ++destroyed;
}

float call_one(const mt_op* op, mt_tensor* x) {
  mt_value arg = box(x), ret = mt_none();
  if (mt_status* status = mt_op_call(op, &arg, 1, &ret, 1, nullptr)) {
    mt_status_release(status);
    return -1;
  }
  Owned result(ret.as.tensor);
  void* data = nullptr;
  mt_status_release(mt_tensor_data(result, &data));
  return *static_cast<float*>(data);
}

const mt_op* find(const char* name) {
  const mt_op* op = nullptr;
  EXPECT_OK(mt_op_find(name, "", &op));
  return op;
}

TEST(CapiThreads, KernelsAreReplacedWhileOthersCall) {
  const mt_op* op = find("neg");
  Owned x = floats({2}, {});
  destroyed = wrong = 0;
  run_while(
      [&] {
        const float found = call_one(op, x);
        if (found != -2 && found != 10) ++wrong;
      },
      [&] {
        for (int i = 0; i < rounds; ++i) {
          EXPECT_OK(mt_op_register_kernel(op, MT_KEY_CPU, tenfold, new float(1), forget));
          EXPECT_OK(mt_op_register_kernel(op, MT_KEY_CPU, nullptr, nullptr, nullptr));
        }
      });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(destroyed, rounds);
}

TEST(CapiThreads, FallbacksAreReplacedWhileOthersCall) {
  const mt_op* op = find("neg");
  Owned x = floats({2}, {});
  destroyed = wrong = 0;
  run_while(
      [&] {
        mt_status_release(mt_dispatch_keys_set(uint64_t(1) << MT_KEY_PYTHON, 0));
        const float found = call_one(op, x);
        if (found != -2 && found != 10) ++wrong;
      },
      [&] {
        for (int i = 0; i < rounds; ++i) {
          EXPECT_OK(mt_fallback_register(MT_KEY_PYTHON, tenfold, new float(1), forget));
          EXPECT_OK(mt_fallback_register(MT_KEY_PYTHON, nullptr, nullptr, nullptr));
        }
      });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(destroyed, rounds);
}

TEST(CapiThreads, OperatorsAreDefinedWhileOthersLookThemUp) {
  std::atomic<int> latest{-1};
  wrong = 0;
  Owned x = floats({2}, {});
  float number = 1;
  run_while(
      [&] {
        const int at = latest.load();
        if (at < 0) return;
        const mt_op* op = nullptr;
        const std::string name = "capithreads::op" + std::to_string(at);
        if (mt_status* status = mt_op_find(name.c_str(), "", &op)) {
          mt_status_release(status);
          ++wrong;
        } else if (call_one(op, x) != 10) {
          ++wrong;
        }
      },
      [&] {
        for (int i = 0; i < rounds; ++i) {
          const mt_op* op = nullptr;
          EXPECT_OK(mt_op_define(("capithreads::op" + std::to_string(i) + "(Tensor self) -> Tensor").c_str(), &op));
          EXPECT_OK(mt_op_register_kernel(op, MT_KEY_CPU, tenfold, &number, nullptr));
          latest = i;
        }
      });
  EXPECT_EQ(wrong, 0);
}

TEST(CapiThreads, PipelinesOfThreadsAreIndependent) {
  wrong = 0;
  run_while(
      [&] {
        Owned x = floats({1, 2});
        mt_status_release(mt_pipeline_enter());
        Owned y = call_tensor("add", "Tensor", {box(x), box(x)});
        Owned z = call_tensor("mul", "Tensor", {box(y), box(x)});
        mt_status_release(mt_pipeline_exit());
        if (elements_of(z) != std::vector<float>{2, 8}) ++wrong;
      },
      [] {
        for (int i = 0; i < rounds; ++i) std::this_thread::yield();
      });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
