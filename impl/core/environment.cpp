// Replaces the process's list of variables by a longer copy, in one store.
#include "core/environment.h"

#include <unistd.h>

#include <cstddef>

namespace mt {

TemporaryVariable::TemporaryVariable(const char* assignment) : assignment_(assignment) {
  static char** lists = nullptr;  // all that were made, linked through the entry before the first variable
  char** const before = __atomic_load_n(&environ, __ATOMIC_ACQUIRE);
  size_t count = 0;
  while (before && before[count]) ++count;
  auto** room = new char*[count + 3];
  room[0] = reinterpret_cast<char*>(lists);
  lists = room;
  char** const list = room + 1;
  for (size_t i = 0; i < count; ++i) list[i] = before[i];
  list[count] = const_cast<char*>(assignment);
  list[count + 1] = nullptr;
  __atomic_store_n(&environ, list, __ATOMIC_RELEASE);
}

TemporaryVariable::~TemporaryVariable() {
  // Not necessarily the list made above: another thread may have set a variable.
  for (char** entry = __atomic_load_n(&environ, __ATOMIC_ACQUIRE); entry && *entry; ++entry) {
    if (*entry != assignment_) continue;
    do __atomic_store_n(entry, entry[1], __ATOMIC_RELEASE);
    while (*entry++);
    return;
  }
}

}  // namespace mt
