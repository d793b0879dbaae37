#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "gzip.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "utf8.h"

namespace ringside {
namespace {

constexpr std::string_view kFormat = "ringside corpus 1";
constexpr size_t kMaxLine = kMaxCorpusPath + 16;

class Parser {
 public:
  Parser(std::string_view plain, const std::string& name) : left_(plain), size_(plain.size()), name_(name) {}

  Corpus parse() {
    if (line() != kFormat) refuse(fmt::format("does not begin with '{}'", kFormat));
    Corpus corpus;
    corpus.commit = after("commit ", line());
    const bool is_hash = std::all_of(corpus.commit.begin(), corpus.commit.end(), is_hexadecimal);
    if (!is_hash || corpus.commit.size() != 40) refuse("names no commit of 40 hexadecimal digits");
    const size_t count = number(after("files ", line()), kMaxCorpusFiles);
    for (size_t i = 0; i < count; ++i) add_file(corpus.files);
    if (!left_.empty()) refuse(fmt::format("goes on after the last of its {} files", count));
    return corpus;
  }

 private:
  static bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(
        fmt::format("{}: is damaged at byte {} of its text: {}", name_, size_ - left_.size(), why));
  }

  // The next line, without its end.
  std::string_view line() {
    const size_t end = left_.substr(0, kMaxLine).find('\n');
    if (end == std::string_view::npos) refuse("a line has no end");
    const std::string_view result = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return result;
  }

  std::string_view after(std::string_view word, std::string_view line) const {
    if (!line.starts_with(word)) refuse(fmt::format("'{}' is missing", word));
    return line.substr(word.size());
  }

  size_t number(std::string_view digits, size_t most) const {
    size_t value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc() || end != digits.data() + digits.size()) refuse("a number is missing");
    if (value > most) refuse(fmt::format("{} is more than the {} that are allowed", value, most));
    return value;
  }

  void add_file(std::map<std::string, TextFile>& files) {
    const std::string_view entry = line();
    const size_t space = entry.find(' ');
    if (space == std::string_view::npos) refuse("a path is missing");
    const size_t bytes = number(entry.substr(0, space), static_cast<size_t>(kMaxFileBytes));
    const std::string path(entry.substr(space + 1));
    if (path.empty() || path.size() > kMaxCorpusPath || printable(path) != path)
      refuse("a path is malformed");
    if (!files.empty() && files.rbegin()->first >= path) refuse(path + " is out of order");
    if (bytes > left_.size()) refuse(path + " is cut off");
    TextFile file = text_of(std::string(left_.substr(0, bytes)));
    if (file.kind != TextFile::Kind::kText || !file.valid_utf8) refuse(path + " is no text");
    left_.remove_prefix(bytes);
    files.emplace_hint(files.end(), path, std::move(file));
  }

  std::string_view left_;
  size_t size_;
  std::string name_;
};

// The whole file, which is not longer than kMaxCorpusBytes.
std::string packed_bytes(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(printable(path) + ": there is no such file");
  }
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(kMaxCorpusBytes + 1, '\0');  // one more tells whether the file is longer
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream && !stream.eof()) throw InputError(printable(path) + ": cannot be read");
  bytes.resize(static_cast<size_t>(stream.gcount()));
  if (bytes.size() > kMaxCorpusBytes) {
    throw InputError(fmt::format("{}: is longer than the {} bytes that are read", printable(path),
                                 format_count(kMaxCorpusBytes)));
  }
  return bytes;
}

}  // namespace

Corpus parse_corpus(std::string_view plain, const std::string& name) { return Parser(plain, name).parse(); }

Corpus read_corpus_file(const std::string& path) {
  const std::string name = printable(path);
  try {
    return parse_corpus(gunzip(packed_bytes(path), kMaxCorpusPlainBytes, name), name);
  } catch (const InputError& error) {
    throw InputError(error.what() +
                     std::string("; assets/corpus/make.py writes it anew, data=tree does without"));
  }
}

}  // namespace ringside
