#include "text_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "utf8.h"

namespace ringside {

TextFile text_of(std::string bytes) {
  const size_t most = static_cast<size_t>(kMaxFileBytes);
  TextFile file;
  file.cut = bytes.size() > most;
  if (file.cut) bytes.resize(most);
  file.valid_utf8 = is_utf8(bytes, file.cut);
  const bool binary = bytes.find('\0') != std::string::npos;
  file.kind = binary          ? TextFile::Kind::kBinary
              : bytes.empty() ? TextFile::Kind::kEmpty
                              : TextFile::Kind::kText;
  if (file.kind == TextFile::Kind::kText) file.bytes = std::move(bytes);
  return file;
}

TextFile read_text_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return {};
  std::array<char, 1 << 16> chunk;
  std::string bytes;
  const size_t most = static_cast<size_t>(kMaxFileBytes);
  while (stream && bytes.size() <= most) {
    const size_t wanted = std::min(chunk.size(), most + 1 - bytes.size());
    stream.read(chunk.data(), static_cast<std::streamsize>(wanted));
    bytes.append(chunk.data(), static_cast<size_t>(stream.gcount()));
  }
  if (stream.bad()) return {};
  return text_of(std::move(bytes));
}

}  // namespace ringside
