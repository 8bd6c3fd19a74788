// The version of LibTorch's stable ABI that these headers describe: one byte each for major, minor and patch, starting with the highest
// byte.
#pragma once

#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 0
#define TORCH_VERSION_ABI_TAG 0
#define TORCH_VERSION "2.13.0"
#define TORCH_ABI_VERSION (2ULL << 56 | 13ULL << 48)
