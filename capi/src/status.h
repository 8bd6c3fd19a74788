// The status object; only status.cpp uses its fields.
#pragma once

#include <atomic>
#include <string>

#include "mindtorch/base.h"

struct mt_status {
  // An exception made from a status holds that status, so that the caller gets the same object.
  std::atomic<int32_t> refs{1};
  int32_t code = MT_ERROR;
  std::string kind;
  std::string message;
  mt_status* cause = nullptr;
  void* payload = nullptr;
  void (*destroy)(void* payload) = nullptr;
};
