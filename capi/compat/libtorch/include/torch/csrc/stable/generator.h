// torch::stable::Generator: a shared handle of a random number generator.
#pragma once

#include <memory>

#include <torch/csrc/stable/device.h>

#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
HIDDEN_NAMESPACE_BEGIN(torch, stable)

class Generator {
 public:
  // Takes ownership of the handle.
  explicit Generator(AtenGeneratorHandle handle)
      : handle_(handle, [](AtenGeneratorHandle generator) { torch_delete_generator(generator); }) {}
  AtenGeneratorHandle get() const { return handle_.get(); }  // borrowed
  Device device() const {
    int32_t type = 0, index = 0;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_generator_get_device(get(), &type, &index));
    return {detail::value_of<DeviceType>(type), index};
  }

 private:
  std::shared_ptr<AtenGeneratorOpaque> handle_;
};

HIDDEN_NAMESPACE_END(torch, stable)
#endif
