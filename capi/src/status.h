// The status object; only status.cpp looks into it.
#pragma once

#include <atomic>
#include <string>

#include "mindtorch/base.h"

struct mt_status {
  // An exception on its way through the library holds the status that it came from.
  std::atomic<int32_t> refs{1};
  int32_t code = MT_ERROR;
  std::string kind;
  std::string message;
  mt_status* cause = nullptr;
  void* payload = nullptr;
  void (*destroy)(void* payload) = nullptr;
};
