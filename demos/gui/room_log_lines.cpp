#include "room_log_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ringside/autopsy/log.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"

namespace ringside::gui {
namespace {

constexpr int64_t kStride = 256;
constexpr size_t kMostBlocks = 16, kPiece = size_t{1} << 20;
constexpr int64_t kMostBlock = int64_t{8} << 20;  // bytes that are read for 256 lines

// Tabulators as blanks, and other control characters as '?'.
std::string shown(std::string_view line) {
  std::string text;
  for (const char c : readable_line(line.substr(0, LogLines::kMostShown)))
    if (c == '\t')
      text += "    ";
    else
      text += c;
  text = printable(text);
  return line.size() > LogLines::kMostShown ? text + "…" : text;
}

}  // namespace

struct LogLines::Bytes {
  int file = -1;
  std::shared_ptr<const std::string> text;
  std::atomic<bool> given_up{false};

  Bytes() = default;
  Bytes& operator=(Bytes&&) = delete;
  ~Bytes() {
    if (file >= 0) close(file);
  }
  // As many as there are.
  std::string_view read(int64_t from, size_t size, std::string& into) const {
    if (text != nullptr) return std::string_view(*text).substr(std::min(size_t(from), text->size()), size);
    into.resize(size);
    const ssize_t got = pread(file, into.data(), size, from);
    return std::string_view(into).substr(0, size_t(std::max<ssize_t>(got, 0)));
  }
};

LogLines::LogLines(const std::string& path) : bytes_(std::make_shared<Bytes>()) {
  bytes_->file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (bytes_->file < 0) throw InputError(tr("{}: {}", typed_path(path), std::string(std::strerror(errno))));
  job_ = std::async(std::launch::async, indexed, bytes_);
}

LogLines::LogLines(std::shared_ptr<const std::string> text) : bytes_(std::make_shared<Bytes>()) {
  bytes_->text = std::move(text);
  job_ = std::async(std::launch::async, indexed, bytes_);
}

LogLines::~LogLines() { bytes_->given_up = true; }

LogLines::Index LogLines::indexed(const std::shared_ptr<Bytes>& bytes) {
  Index index{.starts = {0}};
  std::string space;
  bool open_line = false;
  for (std::string_view piece;
       !bytes->given_up && !(piece = bytes->read(index.bytes, kPiece, space)).empty();) {
    for (size_t at = 0; at < piece.size();) {
      const void* found = std::memchr(piece.data() + at, '\n', piece.size() - at);
      open_line = found == nullptr;
      if (open_line) break;
      at = size_t(static_cast<const char*>(found) - piece.data()) + 1;
      if (++index.lines % kStride == 0) index.starts.push_back(index.bytes + int64_t(at));
    }
    index.bytes += int64_t(piece.size());
  }
  index.lines += open_line ? 1 : 0;
  return index;
}

bool LogLines::counting() {
  if (!job_.valid()) return false;
  if (job_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return true;
  index_ = job_.get();
  return false;
}

const std::vector<std::string>& LogLines::block(size_t nth) {
  if (const auto found = blocks_.find(nth); found != blocks_.end()) return found->second;
  if (blocks_.size() >= kMostBlocks) blocks_.clear();
  std::vector<std::string>& lines = blocks_[nth];
  const int64_t from = index_.starts[nth];
  const int64_t to = nth + 1 < index_.starts.size() ? index_.starts[nth + 1] : index_.bytes;
  std::string space;
  std::string_view rest = bytes_->read(from, size_t(std::min(to - from, kMostBlock)), space);
  while (!rest.empty() && lines.size() < size_t(kStride)) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(shown(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

const std::string& LogLines::line(int64_t number) {
  static const std::string none;
  if (number < 1 || number > index_.lines) return none;
  const auto nth = size_t((number - 1) / kStride), in_it = size_t((number - 1) % kStride);
  if (nth >= index_.starts.size()) return none;
  const std::vector<std::string>& lines = block(nth);
  return in_it < lines.size() ? lines[in_it] : none;
}

}  // namespace ringside::gui
