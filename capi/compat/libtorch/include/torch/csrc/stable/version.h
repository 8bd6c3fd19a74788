// The oldest release that an extension supports: TORCH_TARGET_VERSION if it is defined, else the version of these headers. The minimum is
// 2.10.
#pragma once

#include <torch/headeronly/version.h>

#define TORCH_VERSION_2_10_0 (2ULL << 56 | 10ULL << 48)
#define TORCH_VERSION_2_11_0 (2ULL << 56 | 11ULL << 48)
#define TORCH_VERSION_2_12_0 (2ULL << 56 | 12ULL << 48)
#define TORCH_VERSION_2_13_0 (2ULL << 56 | 13ULL << 48)

#ifdef TORCH_TARGET_VERSION
#define TORCH_FEATURE_VERSION TORCH_TARGET_VERSION
#else
#define TORCH_FEATURE_VERSION TORCH_ABI_VERSION
#endif

#if TORCH_FEATURE_VERSION < TORCH_VERSION_2_10_0
#error "These headers serve extensions that target 2.10 or later: set TORCH_TARGET_VERSION to 0x020a000000000000 or above"
#endif
#if TORCH_FEATURE_VERSION > TORCH_ABI_VERSION
#error "TORCH_TARGET_VERSION is newer than LibTorch's stable ABI of 2.13, which these headers describe"
#endif
