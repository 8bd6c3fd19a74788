// Marks of what libraries of torch export: an extension takes nothing of theirs but C functions.
#pragma once

#define C10_EXPORT __attribute__((visibility("default")))
#define C10_HIDDEN __attribute__((visibility("hidden")))
#define C10_IMPORT C10_EXPORT
#define C10_API
#define TORCH_API
