// Fast parts of torch.save: the checksum of zip records, and memory as a buffer.
#include <cstring>

#include "common.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mt::py {
namespace {

// _memory_at(address, size): a writable buffer over that memory, without a copy.
PyObject* make_buffer_over_address(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&] {
    if (n != 2) raise(PyExc_TypeError, "_memory_at() takes an address and a size");
    void* address = PyLong_AsVoidPtr(args[0]);
    const Py_ssize_t size = PyLong_AsSsize_t(args[1]);
    expect(!PyErr_Occurred());
    static char nothing;
    return PyMemoryView_FromMemory(address ? static_cast<char*>(address) : &nothing, size, PyBUF_WRITE);
  });
}

#if defined(__x86_64__)
// CRC-32 as in zip, with reflected bits. Gopal et al., "Fast CRC computation using PCLMULQDQ", 2009: blocks are folded into the next ones
// by multiplying with powers of x modulo the polynomial; the last block's checksum is that of the whole.
__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i block, __m128i powers, __m128i next) {
  return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(block, powers, 0x00), _mm_clmulepi64_si128(block, powers, 0x11)), next);
}

struct ByteTable {
  uint32_t values[256];
  constexpr ByteTable() : values() {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0xedb88320u : 0);
      values[i] = rest;
    }
  }
};
constexpr ByteTable table;

uint32_t update_crc32_bytewise(uint32_t state, const unsigned char* data, size_t n) {
  for (size_t i = 0; i < n; ++i) state = state >> 8 ^ table.values[(state ^ data[i]) & 0xff];
  return state;
}

__attribute__((target("pclmul,sse4.1"))) uint32_t crc32(const unsigned char* data, size_t n) {
  uint32_t state = ~0u;
  if (n >= 64) {
    auto load = [&](size_t at)
                    __attribute__((target("pclmul,sse4.1"))) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + at)); };
    const __m128i by_four = _mm_set_epi64x(0x1c6e41596, 0x154442bd4), by_one = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    __m128i block[4] = {_mm_xor_si128(load(0), _mm_cvtsi32_si128(-1)), load(16), load(32), load(48)};
    for (data += 64, n -= 64; n >= 64; data += 64, n -= 64)
      for (int i = 0; i < 4; ++i) block[i] = fold(block[i], by_four, load(size_t(16 * i)));
    for (int i = 1; i < 4; ++i) block[i] = fold(block[i - 1], by_one, block[i]);
    for (; n >= 16; data += 16, n -= 16) block[3] = fold(block[3], by_one, load(0));
    unsigned char last[16];
    std::memcpy(last, &block[3], 16);
    state = update_crc32_bytewise(0, last, 16);
  }
  return ~update_crc32_bytewise(state, data, n);
}

// _crc32(bytes)
PyObject* compute_crc32(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 1) raise(PyExc_TypeError, "_crc32() takes one buffer");
    Py_buffer buffer;
    expect_zero(PyObject_GetBuffer(args[0], &buffer, PyBUF_SIMPLE));
    uint32_t value;
    {
      NoGil unlocked(buffer.len > 65536);
      value = crc32(static_cast<const unsigned char*>(buffer.buf), static_cast<size_t>(buffer.len));
    }
    PyBuffer_Release(&buffer);
    return PyLong_FromUnsignedLong(value);
  });
}
#endif

PyMethodDef methods[] = {{"_memory_at", fast(make_buffer_over_address), METH_FASTCALL, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

// Without carry-less multiplication there is no _crc32, and zlib's is used.
void init_archive(PyObject* module) {
  expect_zero(PyModule_AddFunctions(module, methods));
#if defined(__x86_64__)
  static PyMethodDef fast_checksum[] = {{"_crc32", fast(compute_crc32), METH_FASTCALL, nullptr}, {nullptr, nullptr, 0, nullptr}};
  if (__builtin_cpu_supports("pclmul")) expect_zero(PyModule_AddFunctions(module, fast_checksum));
#endif
}

}  // namespace mt::py
