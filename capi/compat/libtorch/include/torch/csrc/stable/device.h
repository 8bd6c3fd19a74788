// torch::stable::Device: a device type and an index, -1 if unspecified.
#pragma once

#include <string>

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/numbers.h>

HIDDEN_NAMESPACE_BEGIN(torch, stable)

using DeviceType = headeronly::DeviceType;
using DeviceIndex = accelerator::DeviceIndex;

class Device {
 public:
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {
    STD_TORCH_CHECK(index >= -1, "Device index must be -1 or non-negative, got ", index);
    STD_TORCH_CHECK(type != DeviceType::CPU || index <= 0, "CPU device index must be -1 or zero, got ", index);
  }
  // "cpu", "cuda:1"
  Device(const std::string& text) : type_(DeviceType::CPU) {
    uint32_t type = 0;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_parse_device_string(text.c_str(), &type, &index_));
    type_ = detail::value_of<DeviceType>(int32_t(type));
  }

  DeviceType type() const noexcept { return type_; }
  DeviceIndex index() const noexcept { return index_; }
  bool has_index() const noexcept { return index_ != -1; }
  void set_index(DeviceIndex index) { index_ = index; }
  bool is_cpu() const noexcept { return type_ == DeviceType::CPU; }
  bool is_cuda() const noexcept { return type_ == DeviceType::CUDA; }
  bool operator==(const Device& other) const noexcept { return type_ == other.type_ && index_ == other.index_; }
  bool operator!=(const Device& other) const noexcept { return !(*this == other); }

 private:
  DeviceType type_;
  DeviceIndex index_ = -1;
};

HIDDEN_NAMESPACE_END(torch, stable)
