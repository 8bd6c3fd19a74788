// Handles and codes of LibTorch's stable ABI.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define AOTI_TORCH_EXPORT __attribute__((visibility("default")))
#define AOTI_TORCH_SUCCESS 0
#define AOTI_TORCH_FAILURE 1

using AOTITorchError = int32_t;
using StableIValue = uint64_t;
using AtenTensorHandle = struct AtenTensorOpaque*;
using AtenGeneratorHandle = struct AtenGeneratorOpaque*;
using C10IValueHandle = struct C10IValueOpaque*;
using TorchLibraryHandle = class TorchLibraryOpaque*;
using StableListHandle = struct StableListOpaque*;
using StringHandle = struct StringOpaque*;
using DeviceGuardHandle = struct DeviceGuardOpaque*;
using StreamHandle = struct StreamOpaque*;
using AtenRecordFunctionHandle = struct AtenRecordFunctionOpaque*;
using IValueMapHandle = struct IValueMapOpaque*;
