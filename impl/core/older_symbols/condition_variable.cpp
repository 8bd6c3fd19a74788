// std::condition_variable::wait of older C++ libraries. Version 3.4.30 lets a cancelled thread unwind; no thread is cancelled here.
#include <condition_variable>
#include <mutex>

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GLIBCXX__)
using Lock = std::unique_lock<std::mutex>;

extern "C" {
void mt_older_wait(std::condition_variable* self, Lock* lock);
__asm__(".symver mt_older_wait, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* self, Lock* lock) {
  mt_older_wait(self, lock);
}
}
#endif
