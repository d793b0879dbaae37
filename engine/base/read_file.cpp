#include "ringside/base/read_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside::inline base {

std::optional<std::string> read_at_most(const std::filesystem::path& path, size_t most) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes, chunk(size_t{1} << 16, '\0');
  std::error_code unknown;  // of a device or pipe; then it grows
  const uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown) bytes.reserve(size_t(std::min<uintmax_t>(size, most)));
  while (in && bytes.size() < most) {
    in.read(chunk.data(), static_cast<std::streamsize>(std::min(chunk.size(), most - bytes.size())));
    bytes.append(chunk, 0, size_t(in.gcount()));
  }
  if (!in.is_open() || in.bad()) return std::nullopt;
  return bytes;
}

std::string read_file(const std::filesystem::path& path, size_t most) {
  errno = 0;
  auto bytes = read_at_most(path, most + 1);  // one more tells that it is longer
  if (!bytes)                                 // a folder can be opened, but not read
    throw InputError("{}: cannot be read: {}", typed_path(path),
                     std::generic_category().message(errno != 0 ? errno : EIO));
  if (bytes->size() > most)
    throw InputError("{}: is longer than the {} bytes that are read", typed_path(path),
                     format_count(int64_t(most)));
  return std::move(*bytes);
}

}  // namespace ringside::inline base
