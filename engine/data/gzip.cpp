#include "gzip.h"

#define ZLIB_CONST
#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <memory>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"

namespace ringside::inline data {
namespace {

// Hands every piece to `take`; returns how many bytes there were.
template <typename Take>
size_t unpack_gzip(const std::string& packed, size_t max_plain, const std::string& name, const Take& take) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  z_stream stream{};
  RINGSIDE_CHECK_EQ(inflateInit2(&stream, kGzipOnly), Z_OK);
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> owner(&stream, &inflateEnd);
  stream.next_in = reinterpret_cast<const Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::array<char, 1 << 16> chunk;
  size_t plain = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const size_t bytes = chunk.size() - stream.avail_out;
    plain += bytes;
    if (plain > max_plain)
      throw InputError(fmt::format("{}: unpacks to more than {} bytes", name,
                                   format_count(static_cast<int64_t>(max_plain))));
    take(chunk.data(), bytes);
  }
  if (state == Z_BUF_ERROR) throw InputError(name + ": is cut off");  // zlib waits for more
  if (state != Z_STREAM_END)
    throw InputError(fmt::format("{}: is no gzip file, or damaged ({})", name,
                                 stream.msg != nullptr ? stream.msg : "zlib gives no reason"));
  if (stream.avail_in > 0)
    throw InputError(fmt::format("{}: {} bytes follow the end of the gzip stream", name, stream.avail_in));
  return plain;
}

}  // namespace

std::string gunzip(const std::string& packed, size_t max_plain, const std::string& name) {
  std::string plain;
  plain.reserve(unpack_gzip(packed, max_plain, name, [](const char*, size_t) {}));
  unpack_gzip(packed, max_plain, name, [&](const char* bytes, size_t count) { plain.append(bytes, count); });
  return plain;
}

}  // namespace ringside::inline data
