// The simulator's definitions of ACL's opaque objects.
#pragma once

#include <mindtorch/mindtorch.h>

#include <memory>
#include <string>
#include <vector>

#include "npu/acl.h"

extern "C" {
struct aclTensor {
  std::vector<int64_t> sizes, strides;
  int64_t offset;                                 // in elements
  int32_t dtype;                                  // MT_*
  char* data;                                     // start of the storage on the device
  std::shared_ptr<std::vector<int64_t>> decided;  // the sizes of a result, if an operator decides them
};
struct aclScalar {
  mt_value value;
  int32_t dtype;
};
struct aclTensorList {
  std::vector<const aclTensor*> items;
};
struct aclScalarList {
  std::vector<const aclScalar*> items;
};
struct aclIntArray {
  std::vector<int64_t> items;
};
struct aclFloatArray {
  std::vector<float> items;
};
struct aclBoolArray {
  std::vector<uint8_t> items;
};
}

namespace mt::npu_sim {

int32_t dtype_of(int32_t acl_type);  // MT_*, or -1

}  // namespace mt::npu_sim
