#include "corpus.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside::inline data {
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
    const bool is_hash = corpus.commit.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_hash || corpus.commit.size() != 40) refuse("names no commit of 40 hexadecimal digits");
    const size_t count = number(after("files ", line()), kMaxCorpusFiles);
    for (size_t i = 0; i < count; ++i) add_file(corpus.files);
    if (!left_.empty()) refuse(fmt::format("goes on after the last of its {} files", count));
    return corpus;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError("{}: is damaged at byte {} of its text: {}", name_, size_ - left_.size(), why);
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
    const std::optional<size_t> value = read_number<size_t>(digits);
    if (!value) refuse("a number is missing");
    if (*value > most) refuse(fmt::format("{} is more than the {} that are allowed", *value, most));
    return *value;
  }

  void add_file(std::map<std::string, TextFile>& files) {
    const std::string_view entry = line();
    const size_t space = entry.find(' ');
    if (space == std::string_view::npos) refuse("a path is missing");
    const size_t bytes = number(entry.substr(0, space), kMaxFileBytes);
    const std::string path(entry.substr(space + 1));
    if (path.empty() || path.size() > kMaxCorpusPath || printable(path) != path)
      refuse("a path is malformed");
    if (!files.empty() && files.rbegin()->first >= path) refuse(path + " is out of order");
    if (bytes > left_.size()) refuse(path + " is cut off");
    TextFile file = text_of(std::string(left_.substr(0, bytes)));
    if (!file.noted.empty()) refuse(path + " is no text");
    left_.remove_prefix(bytes);
    files.emplace_hint(files.end(), path, std::move(file));
  }

  std::string_view left_;
  size_t size_;
  std::string name_;
};

}  // namespace

Corpus parse_corpus(std::string_view plain, const std::string& name) { return Parser(plain, name).parse(); }

Corpus read_corpus_file(const std::string& path) {
  const std::string name = printable(path);
  try {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) throw InputError(name + ": there is no such file");
    return parse_corpus(gunzip(read_file(path, kMaxCorpusBytes), kMaxCorpusPlainBytes, name), name);
  } catch (const InputError& error) {
    throw InputError(error.what() +
                     std::string("; assets/corpus/make.py writes it anew, data=tree does without"));
  }
}

}  // namespace ringside::inline data
