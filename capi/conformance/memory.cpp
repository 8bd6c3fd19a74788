// Conformance checks of devices, memory and copies.
#include <algorithm>
#include <cstring>
#include <thread>

#include "support.h"

namespace conformance {
namespace {

Tensor make_tensor(std::vector<int64_t> sizes, int32_t dtype = MT_FLOAT32, mt_device where = device) {
  mt_tensor* out = nullptr;
  throw_on_error(mt_tensor_empty(sizes.data(), int64_t(sizes.size()), dtype, where, &out));
  return Tensor(out);
}
int64_t read_bytes_in_use() {
  int64_t bytes = 0;
  mt_status* status = mt_device_memory_in_use(MT_NPU, 0, &bytes);
  if (status && mt_status_code(status) == MT_NOT_IMPLEMENTED) {
    mt_status_release(status);
    throw Skipped("the device does not count its memory");
  }
  throw_on_error(status);
  return bytes;
}
std::string try_to_allocate(int64_t bytes, int32_t index) {
  mt_tensor* out = nullptr;
  const std::string text = text_of(mt_tensor_empty(&bytes, 1, MT_UINT8, mt_device{MT_NPU, index}, &out));
  mt_tensor_release(out);
  return text;
}

void device_can_be_chosen_and_synchronised() {
  int32_t count = 0, current = -1;
  throw_on_error(mt_device_count(MT_NPU, &count));
  expect(count >= 1, "no devices");
  throw_on_error(mt_device_set(MT_NPU, 0));
  throw_on_error(mt_device_get(MT_NPU, &current));
  expect(current == 0, "the current device is " + std::to_string(current) + " after 0 was set");
  throw_on_error(mt_device_synchronize(MT_NPU, 0));
}
void devices_beyond_the_last_are_refused() {
  int32_t count = 0;
  throw_on_error(mt_device_count(MT_NPU, &count));
  expect(!text_of(mt_device_set(MT_NPU, count)).empty(), "a device that is not there can be set");
  expect(!try_to_allocate(16, count).empty(), "a device that is not there has memory");
  expect(!text_of(mt_device_synchronize(MT_NPU, count)).empty(), "a device that is not there can be waited for");
}
void tensors_do_not_share_memory() {
  std::vector<Tensor> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(make_tensor({1 + i * 7}));
    call("fill_", "Scalar", {mt_box_tensor(all.back()), mt_int(i)});
  }
  for (int i = 0; i < 50; ++i) {
    const Tensor expected = make_tensor({1 + i * 7}, MT_FLOAT32, host);
    call("fill_", "Scalar", {mt_box_tensor(expected), mt_int(i)});
    expect(have_equal_elements(copy_to(all[size_t(i)], host), expected), "tensor " + std::to_string(i) + " was written to by another");
  }
}
void freed_memory_is_no_longer_counted() {
  const int64_t before = read_bytes_in_use();
  {
    const Tensor a = make_tensor({1000}), b = make_tensor({3, 5});
    expect(read_bytes_in_use() >= before + 4060, "memory in use does not grow with tensors");
  }
  expect(read_bytes_in_use() == before, "memory in use does not shrink with tensors");
}
void freed_memory_is_reused() {
  for (int i = 0; i < 3000; ++i) make_tensor({1 << 18});  // 3 GB in all
}
void oversized_allocation_raises_out_of_memory() {
  expect_error_prefix(try_to_allocate(int64_t(1) << 50, 0), "OutOfMemoryError: ");
  const Tensor still = make_ramp({4});
  expect(have_equal_elements(copy_to(copy_to(still, device), host), still), "the device does not work after it");
}
void empty_tensors_are_copied_without_memory() {
  const Tensor none = copy_to(make_ramp({0, 3}), device);
  expect(info_of(none).numel == 0 && on_device(none) && have_equal_elements(copy_to(none, host), make_ramp({0, 3})),
         "an empty tensor does not come back");
}

void copies_keep_every_dtype() {
  for (const int32_t dtype : {MT_UINT8, MT_INT8, MT_INT16, MT_INT32, MT_INT64, MT_FLOAT16, MT_FLOAT32, MT_FLOAT64, MT_BOOL, MT_BFLOAT16}) {
    const Tensor x = convert_to_dtype(make_ramp({5, 7}, 0, 1), dtype);
    expect(have_equal_elements(convert_to_dtype(copy_to(copy_to(x, device), host), MT_FLOAT64), convert_to_dtype(x, MT_FLOAT64)),
           std::string("not so for ") + mt_dtype_name(dtype));
  }
}
void copies_follow_strides() {
  const Tensor x = make_ramp({6, 8}), there = copy_to(x, device);
  for (const bool transposed : {false, true}) {
    auto view = [&](const Tensor& t) {
      const Tensor part = call("slice", "Tensor", {mt_box_tensor(t), mt_int(1), mt_int(1), mt_int(8), mt_int(3)});
      return transposed ? call("t", "", {mt_box_tensor(part)}) : part;
    };
    expect(have_equal_elements(call("contiguous", "", {mt_box_tensor(copy_to(view(there), host))}),
                               call("contiguous", "", {mt_box_tensor(view(x))})),
           "a view does not come back");
    const Tensor target = copy_to(x, device), expected = copy_to(x, host);
    call("copy_", "", {mt_box_tensor(view(target)), mt_box_tensor(view(there))});
    call("copy_", "", {mt_box_tensor(view(target)), mt_box_tensor(call("neg", "", {mt_box_tensor(view(x))}))});
    call("copy_", "", {mt_box_tensor(view(expected)), mt_box_tensor(call("neg", "", {mt_box_tensor(view(x))}))});
    expect(have_equal_elements(copy_to(target, host), expected), "a copy into a view reaches other elements");
  }
}
void copies_broadcast_and_convert() {
  const Tensor row = copy_to(make_ramp({1, 4}, 0, 1.5f), device), target = make_tensor({3, 4}, MT_INT32),
               expected = make_tensor({3, 4}, MT_INT32, host);
  call("copy_", "", {mt_box_tensor(target), mt_box_tensor(row)});
  call("copy_", "", {mt_box_tensor(expected), mt_box_tensor(make_ramp({1, 4}, 0, 1.5f))});
  expect(have_equal_elements(copy_to(target, host), expected), "elements differ");
}
void fills_convert_to_the_dtype() {
  for (const int32_t dtype : {MT_FLOAT32, MT_FLOAT16, MT_INT64, MT_UINT8, MT_BOOL}) {
    const Tensor there = make_tensor({9}, dtype), here = make_tensor({9}, dtype, host);
    for (const Tensor* t : {&there, &here}) call("fill_", "Scalar", {mt_box_tensor(*t), mt_double(3.0)});
    expect(have_equal_elements(copy_to(there, host), here), std::string("not so for ") + mt_dtype_name(dtype));
  }
}
void host_memory_is_reusable_after_a_copy() {
  std::vector<float> elements(1 << 16, 1.0f);
  const int64_t size = int64_t(elements.size());
  mt_tensor* over = nullptr;
  throw_on_error(mt_tensor_from_data(elements.data(), &size, nullptr, 1, MT_FLOAT32, host, nullptr, nullptr, &over));
  const Tensor here(over), there = copy_to(here, device);
  std::fill(elements.begin(), elements.end(), 2.0f);
  expect(have_equal_elements(copy_to(there, host), make_ramp({size}, 1, 0)), "the copy changed with the host's memory");
}
void devices_copy_to_each_other() {
  int32_t count = 0;
  throw_on_error(mt_device_count(MT_NPU, &count));
  if (count < 2) throw Skipped("one device");
  const Tensor x = make_ramp({5, 3}), there = copy_to(copy_to(x, device), mt_device{MT_NPU, 1});
  expect(info_of(there).device.index == 1 && have_equal_elements(copy_to(there, host), x), "elements differ");
}
void threads_use_the_device_concurrently() {
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &texts] {
      try {
        for (int i = 0; i < 50; ++i) {
          const Tensor x = make_ramp({64, 16}, float(t));
          expect(have_equal_elements(copy_to(call("add", "Tensor", {mt_box_tensor(copy_to(x, device)), mt_box_tensor(copy_to(x, device))}),
                                             host),
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
      {"there is a device, and it can be chosen and waited for", device_can_be_chosen_and_synchronised},
      {"devices beyond the last are refused", devices_beyond_the_last_are_refused},
      {"tensors do not share memory", tensors_do_not_share_memory},
      {"memory is counted and comes back", freed_memory_is_no_longer_counted},
      {"freed memory is used again", freed_memory_is_reused},
      {"too much is an OutOfMemoryError, after which the device works", oversized_allocation_raises_out_of_memory},
      {"empty tensors go and come", empty_tensors_are_copied_without_memory},
      {"copies keep the elements of every dtype", copies_keep_every_dtype},
      {"copies follow strides on both sides", copies_follow_strides},
      {"copies broadcast and convert", copies_broadcast_and_convert},
      {"fills fit the dtype", fills_convert_to_the_dtype},
      {"the host may reuse memory that it copied from", host_memory_is_reusable_after_a_copy},
      {"devices copy to each other", devices_copy_to_each_other},
      {"threads work at once", threads_use_the_device_concurrently},
  };
}

}  // namespace conformance
