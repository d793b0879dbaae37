#include "text_file.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "utf8.h"

namespace ringside {

TextFile read_text_file(const std::string& path) {
  TextFile file;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return file;
  std::array<char, 1 << 16> chunk;
  const size_t most = static_cast<size_t>(kMaxFileBytes);
  while (stream && file.bytes.size() <= most) {  // one byte more tells whether the file is longer
    const size_t wanted = std::min(chunk.size(), most + 1 - file.bytes.size());
    stream.read(chunk.data(), static_cast<std::streamsize>(wanted));
    file.bytes.append(chunk.data(), static_cast<size_t>(stream.gcount()));
  }
  if (stream.bad()) return TextFile{};
  file.cut = file.bytes.size() > most;
  if (file.cut) file.bytes.resize(most);
  file.valid_utf8 = is_utf8(file.bytes, file.cut);
  const bool binary = file.bytes.find('\0') != std::string::npos;
  file.kind = binary               ? TextFile::Kind::kBinary
              : file.bytes.empty() ? TextFile::Kind::kEmpty
                                   : TextFile::Kind::kText;
  if (file.kind != TextFile::Kind::kText) file.bytes.clear();
  return file;
}

}  // namespace ringside
