#include "ringside/base/read_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "ringside/base/error.h"

namespace ringside {

std::string read_file(const std::filesystem::path& path, size_t most) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  std::array<char, 1 << 16> chunk;
  while (in && bytes.size() <= most) {
    in.read(chunk.data(), chunk.size());
    bytes.append(chunk.data(), static_cast<size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad())  // a folder can be opened, but not read
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(),
                                 std::generic_category().message(errno != 0 ? errno : EIO)));
  if (bytes.size() > most) throw InputError(fmt::format("{}: more than {} bytes", path.string(), most));
  return bytes;
}

}  // namespace ringside
