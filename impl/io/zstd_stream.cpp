#include "io/zstd_stream.h"

#include <zstd.h>
#include <algorithm>

namespace mt::io {

std::vector<uint8_t> decompress_zstd(Bytes packed, uint64_t size, const std::string& name) {
  struct Context {
    ZSTD_DCtx* handle = ZSTD_createDCtx();
    ~Context() { ZSTD_freeDCtx(handle); }
  } context;
  check(context.handle != nullptr, ErrorKind::out_of_memory, "no memory to decompress <{}>", name);
  std::vector<uint8_t> out(size_t(std::min<uint64_t>(size, std::max<uint64_t>(packed.size() * 8, 1 << 16))));
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t made = 0, wanted = 1;  // 0 at the end of a frame
  while (in.pos < in.size || wanted != 0) {
    if (made == out.size() && out.size() < size) out.resize(size_t(std::min<uint64_t>(size, uint64_t(out.size()) * 2)));
    ZSTD_outBuffer to{out.data(), out.size(), made};
    const size_t before = in.pos;
    wanted = ZSTD_decompressStream(context.handle, &to, &in);
    check(!ZSTD_isError(wanted), "<{}> is not what zstd wrote: {}", name, ZSTD_getErrorName(wanted));
    const bool stuck = to.pos == made && in.pos == before;
    made = to.pos;
    if (!stuck || wanted == 0) continue;
    check(in.pos < in.size, "<{}> ends too early", name);
    check(made < size, "<{}> holds more than the {} bytes that it should", name, size);
  }
  check(made == size, "<{}> holds {} bytes instead of {}", name, uint64_t(made), size);
  return out;
}

}  // namespace mt::io
