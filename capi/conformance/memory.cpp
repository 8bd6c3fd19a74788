// Conformance checks of devices, memory and copies.
#include <algorithm>
#include <cstring>
#include <thread>

#include "support.h"

namespace conformance {
namespace {

Tensor make(std::vector<int64_t> sizes, int32_t dtype = MT_FLOAT32, mt_device where = device) {
  mt_tensor* out = nullptr;
  must(mt_tensor_empty(sizes.data(), int64_t(sizes.size()), dtype, where, &out));
  return Tensor(out);
}
int64_t in_use() {
  int64_t bytes = 0;
  mt_status* status = mt_device_memory_in_use(MT_NPU, 0, &bytes);
  if (status && mt_status_code(status) == MT_NOT_IMPLEMENTED) {
    mt_status_release(status);
    throw Skipped("the device does not count its memory");
  }
  must(status);
  return bytes;
}
std::string try_to_make(int64_t bytes, int32_t index) {
  mt_tensor* out = nullptr;
  const std::string text = text_of(mt_tensor_empty(&bytes, 1, MT_UINT8, mt_device{MT_NPU, index}, &out));
  mt_tensor_release(out);
  return text;
}

void there_is_a_device() {
  int32_t count = 0, current = -1;
  must(mt_device_count(MT_NPU, &count));
  expect(count >= 1, "no devices");
  must(mt_device_set(MT_NPU, 0));
  must(mt_device_get(MT_NPU, &current));
  expect(current == 0, "the current device is " + std::to_string(current) + " after 0 was set");
  must(mt_device_synchronize(MT_NPU, 0));
}
void devices_beyond_the_last_are_refused() {
  int32_t count = 0;
  must(mt_device_count(MT_NPU, &count));
  expect(!text_of(mt_device_set(MT_NPU, count)).empty(), "a device that is not there can be set");
  expect(!try_to_make(16, count).empty(), "a device that is not there has memory");
  expect(!text_of(mt_device_synchronize(MT_NPU, count)).empty(), "a device that is not there can be waited for");
}
void tensors_do_not_share_memory() {
  std::vector<Tensor> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(make({1 + i * 7}));
    call("fill_", "Scalar", {mt_box_tensor(all.back()), mt_int(i)});
  }
  for (int i = 0; i < 50; ++i) {
    const Tensor expected = make({1 + i * 7}, MT_FLOAT32, host);
    call("fill_", "Scalar", {mt_box_tensor(expected), mt_int(i)});
    expect(same(to(all[size_t(i)], host), expected), "tensor " + std::to_string(i) + " was written to by another");
  }
}
void memory_comes_back() {
  const int64_t before = in_use();
  {
    const Tensor a = make({1000}), b = make({3, 5});
    expect(in_use() >= before + 4060, "memory in use does not grow with tensors");
  }
  expect(in_use() == before, "memory in use does not shrink with tensors");
}
void freed_memory_is_used_again() {
  for (int i = 0; i < 3000; ++i) make({1 << 18});  // 3 GB in all
}
void too_much_is_an_out_of_memory_error() {
  expect_refusal(try_to_make(int64_t(1) << 50, 0), "OutOfMemoryError: ");
  const Tensor still = ramp({4});
  expect(same(to(to(still, device), host), still), "the device does not work after it");
}
void empty_tensors_need_no_memory() {
  const Tensor none = to(ramp({0, 3}), device);
  expect(info_of(none).numel == 0 && on_device(none) && same(to(none, host), ramp({0, 3})), "an empty tensor does not come back");
}

void copies_keep_every_dtype() {
  for (const int32_t dtype : {MT_UINT8, MT_INT8, MT_INT16, MT_INT32, MT_INT64, MT_FLOAT16, MT_FLOAT32, MT_FLOAT64, MT_BOOL, MT_BFLOAT16}) {
    const Tensor x = as(ramp({5, 7}, 0, 1), dtype);
    expect(same(as(to(to(x, device), host), MT_FLOAT64), as(x, MT_FLOAT64)), std::string("not so for ") + mt_dtype_name(dtype));
  }
}
void strides_are_followed() {
  const Tensor x = ramp({6, 8}), there = to(x, device);
  for (const bool transposed : {false, true}) {
    auto view = [&](const Tensor& t) {
      const Tensor part = call("slice", "Tensor", {mt_box_tensor(t), mt_int(1), mt_int(1), mt_int(8), mt_int(3)});
      return transposed ? call("t", "", {mt_box_tensor(part)}) : part;
    };
    expect(same(call("contiguous", "", {mt_box_tensor(to(view(there), host))}), call("contiguous", "", {mt_box_tensor(view(x))})),
           "a view does not come back");
    const Tensor target = to(x, device), expected = to(x, host);
    call("copy_", "", {mt_box_tensor(view(target)), mt_box_tensor(view(there))});
    call("copy_", "", {mt_box_tensor(view(target)), mt_box_tensor(call("neg", "", {mt_box_tensor(view(x))}))});
    call("copy_", "", {mt_box_tensor(view(expected)), mt_box_tensor(call("neg", "", {mt_box_tensor(view(x))}))});
    expect(same(to(target, host), expected), "a copy into a view reaches other elements");
  }
}
void copies_broadcast_and_convert() {
  const Tensor row = to(ramp({1, 4}, 0, 1.5f), device), target = make({3, 4}, MT_INT32), expected = make({3, 4}, MT_INT32, host);
  call("copy_", "", {mt_box_tensor(target), mt_box_tensor(row)});
  call("copy_", "", {mt_box_tensor(expected), mt_box_tensor(ramp({1, 4}, 0, 1.5f))});
  expect(same(to(target, host), expected), "elements differ");
}
void fills_fit_the_dtype() {
  for (const int32_t dtype : {MT_FLOAT32, MT_FLOAT16, MT_INT64, MT_UINT8, MT_BOOL}) {
    const Tensor there = make({9}, dtype), here = make({9}, dtype, host);
    for (const Tensor* t : {&there, &here}) call("fill_", "Scalar", {mt_box_tensor(*t), mt_double(3.0)});
    expect(same(to(there, host), here), std::string("not so for ") + mt_dtype_name(dtype));
  }
}
void the_host_may_reuse_what_it_copied() {
  std::vector<float> elements(1 << 16, 1.0f);
  const int64_t size = int64_t(elements.size());
  mt_tensor* over = nullptr;
  must(mt_tensor_from_data(elements.data(), &size, nullptr, 1, MT_FLOAT32, host, nullptr, nullptr, &over));
  const Tensor here(over), there = to(here, device);
  std::fill(elements.begin(), elements.end(), 2.0f);
  expect(same(to(there, host), ramp({size}, 1, 0)), "the copy changed with the host's memory");
}
void devices_copy_to_each_other() {
  int32_t count = 0;
  must(mt_device_count(MT_NPU, &count));
  if (count < 2) throw Skipped("one device");
  const Tensor x = ramp({5, 3}), there = to(to(x, device), mt_device{MT_NPU, 1});
  expect(info_of(there).device.index == 1 && same(to(there, host), x), "elements differ");
}
void threads_work_at_once() {
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &texts] {
      try {
        for (int i = 0; i < 50; ++i) {
          const Tensor x = ramp({64, 16}, float(t));
          expect(same(to(call("add", "Tensor", {mt_box_tensor(to(x, device)), mt_box_tensor(to(x, device))}), host),
                      call("add", "Tensor", {mt_box_tensor(x), mt_box_tensor(x)})),
                 "elements differ");
        }
      } catch (const std::exception& why) {
        texts[size_t(t)] = why.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) expect(text.empty(), text);
}

}  // namespace

std::vector<Check> memory_checks() {
  return {
      {"there is a device, and it can be chosen and waited for", there_is_a_device},
      {"devices beyond the last are refused", devices_beyond_the_last_are_refused},
      {"tensors do not share memory", tensors_do_not_share_memory},
      {"memory is counted and comes back", memory_comes_back},
      {"freed memory is used again", freed_memory_is_used_again},
      {"too much is an OutOfMemoryError, after which the device works", too_much_is_an_out_of_memory_error},
      {"empty tensors go and come", empty_tensors_need_no_memory},
      {"copies keep the elements of every dtype", copies_keep_every_dtype},
      {"copies follow strides on both sides", strides_are_followed},
      {"copies broadcast and convert", copies_broadcast_and_convert},
      {"fills fit the dtype", fills_fit_the_dtype},
      {"the host may reuse memory that it copied from", the_host_may_reuse_what_it_copied},
      {"devices copy to each other", devices_copy_to_each_other},
      {"threads work at once", threads_work_at_once},
  };
}

}  // namespace conformance
