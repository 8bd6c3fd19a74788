// Lets wheels run on older systems: some C and C++ functions have newer symbol versions than those systems provide. The linker redirects
// calls here (--wrap, cmake/MindtorchLibrary.cmake), and these functions call the older versions.
#include <condition_variable>
#include <mutex>

#if defined(__x86_64__)
#define MT_OLDEST_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define MT_OLDEST_GLIBC "GLIBC_2.17"
#endif

#if defined(MT_OLDEST_GLIBC) && defined(__GLIBC__) && defined(__GLIBCXX__)

using Lock = std::unique_lock<std::mutex>;

extern "C" {

// Version 2.35 stopped reporting errors through matherr; the numbers are the same.
double mt_older_hypot(double x, double y);
float mt_older_hypotf(float x, float y);
__asm__(".symver mt_older_hypot, hypot@" MT_OLDEST_GLIBC);
__asm__(".symver mt_older_hypotf, hypotf@" MT_OLDEST_GLIBC);
double __wrap_hypot(double x, double y) { return mt_older_hypot(x, y); }
float __wrap_hypotf(float x, float y) { return mt_older_hypotf(x, y); }

// Version 3.4.30 lets a cancelled thread unwind; no thread is cancelled here.
void mt_older_wait(std::condition_variable* self, Lock* lock);
__asm__(".symver mt_older_wait, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* self, Lock* lock) {
  mt_older_wait(self, lock);
}

}  // extern "C"

#endif
