// hypot of older C libraries. Version 2.35 stopped reporting errors through matherr; the numbers are the same.
#include <cmath>

#if defined(__x86_64__)
#define MT_OLDEST_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define MT_OLDEST_GLIBC "GLIBC_2.17"
#endif

#if defined(MT_OLDEST_GLIBC) && defined(__GLIBC__)
extern "C" {
double mt_older_hypot(double x, double y);
float mt_older_hypotf(float x, float y);
__asm__(".symver mt_older_hypot, hypot@" MT_OLDEST_GLIBC);
__asm__(".symver mt_older_hypotf, hypotf@" MT_OLDEST_GLIBC);
double __wrap_hypot(double x, double y) { return mt_older_hypot(x, y); }
float __wrap_hypotf(float x, float y) { return mt_older_hypotf(x, y); }
}
#endif
