// Device types.
#pragma once

#include <cstdint>

namespace torch::headeronly {
enum class DeviceType : int8_t {
  CPU,
  CUDA,
  MKLDNN,
  OPENGL,
  OPENCL,
  IDEEP,
  HIP,
  FPGA,
  MAIA,
  XLA,
  Vulkan,
  Metal,
  XPU,
  MPS,
  Meta,
  HPU,
  VE,
  Lazy,
  IPU,
  MTIA,
  PrivateUse1,
  COMPILE_TIME_MAX_DEVICE_TYPES
};
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kMeta = DeviceType::Meta, kXPU = DeviceType::XPU,
                     kMPS = DeviceType::MPS, kPrivateUse1 = DeviceType::PrivateUse1;
}  // namespace torch::headeronly

namespace c10 {
using torch::headeronly::DeviceType;
}
