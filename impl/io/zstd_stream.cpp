#include "io/zstd_stream.h"

#include <zstd.h>

#include <algorithm>

namespace mt::io {

namespace {

struct Decompression {
  ZSTD_DCtx* handle = ZSTD_createDCtx();
  ~Decompression() { ZSTD_freeDCtx(handle); }
};
struct Compression {
  ZSTD_CCtx* handle = ZSTD_createCCtx();
  ~Compression() { ZSTD_freeCCtx(handle); }
};

void check_result(size_t result, const std::string& name) {
  check(!ZSTD_isError(result), "<{}> is not what zstd wrote: {}", name, ZSTD_getErrorName(result));
}

}  // namespace

std::vector<uint8_t> decompress_zstd(Bytes packed, uint64_t size, const std::string& name) {
  Decompression context;
  check(context.handle != nullptr, ErrorKind::out_of_memory, "no memory to decompress <{}>", name);
  std::vector<uint8_t> out(size_t(std::min<uint64_t>(size, std::max<uint64_t>(packed.size() * 8, 1 << 16))));
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t made = 0, wanted = 1;  // 0 at the end of a frame
  while (in.pos < in.size || wanted != 0) {
    if (made == out.size() && out.size() < size) out.resize(size_t(std::min<uint64_t>(size, uint64_t(out.size()) * 2)));
    ZSTD_outBuffer to{out.data(), out.size(), made};
    const size_t before = in.pos;
    wanted = ZSTD_decompressStream(context.handle, &to, &in);
    check_result(wanted, name);
    const bool stuck = to.pos == made && in.pos == before;
    made = to.pos;
    if (!stuck || wanted == 0) continue;
    check(in.pos < in.size, "<{}> ends too early", name);
    check(made < size, "<{}> holds more than the {} bytes that it should", name, size);
  }
  check(made == size, "<{}> holds {} bytes instead of {}", name, uint64_t(made), size);
  return out;
}

void decompress_zstd_into(Bytes packed, std::span<uint8_t> out, const std::string& name) {
  const Decompression context;
  check(context.handle != nullptr, ErrorKind::out_of_memory, "no memory to decompress <{}>", name);
  const size_t made = ZSTD_decompressDCtx(context.handle, out.data(), out.size(), packed.data(), packed.size());
  check_result(made, name);
  check(made == out.size(), "<{}> holds {} bytes instead of {}", name, uint64_t(made), uint64_t(out.size()));
}

std::vector<uint8_t> compress_zstd(Bytes bytes, const ZstdOptions& options) {
  const Compression context;
  check(context.handle != nullptr, ErrorKind::out_of_memory, "no memory to compress {} bytes", uint64_t(bytes.size()));
  ZSTD_CCtx_setParameter(context.handle, ZSTD_c_compressionLevel, options.level);
  ZSTD_CCtx_setParameter(context.handle, ZSTD_c_checksumFlag, options.with_checksum);
  std::vector<uint8_t> out(ZSTD_compressBound(bytes.size()));
  const size_t made = ZSTD_compress2(context.handle, out.data(), out.size(), bytes.data(), bytes.size());
  check(!ZSTD_isError(made), "zstd cannot compress {} bytes: {}", uint64_t(bytes.size()), ZSTD_getErrorName(made));
  out.resize(made);
  return out;
}

}  // namespace mt::io
