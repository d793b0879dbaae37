// Quoting of scenario lines: what a POSIX shell reads back as the same words.
#include <algorithm>
#include <string_view>

#include "parameter_value.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline kit {
namespace {

constexpr std::string_view kBlank = " \t\n\r\v\f";

bool is_shell_safe(char c) {
  constexpr std::string_view kSafe = "_-./:,=+@%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kSafe.find(c) != std::string_view::npos;
}

// Reads one word of a line, as the shell would where nothing is to be expanded.
class WordReader {
 public:
  explicit WordReader(const std::string& line) : line_(line) {}

  bool skip_blanks() {  // false at the line's end
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
    return at_ < line_.size();
  }

  std::string word() {
    std::string text;
    while (at_ < line_.size() && !is_blank(line_[at_])) {
      const char c = line_[at_++];
      if (c == '\'')
        single_quoted(text);
      else if (c == '"')
        double_quoted(text);
      else
        text += c == '\\' ? next("a character after the backslash") : c;
    }
    return text;
  }

 private:
  static bool is_blank(char c) { return kBlank.find(c) != std::string_view::npos; }

  char next(const char* wanted) {
    if (at_ == line_.size()) throw UsageError("scenario '" + as_typed(line_) + "': it ends before " + wanted);
    return line_[at_++];
  }
  void single_quoted(std::string& text) {
    for (char c = next("the closing '"); c != '\''; c = next("the closing '")) text += c;
  }
  void double_quoted(std::string& text) {
    for (char c = next("the closing \""); c != '"'; c = next("the closing \"")) {
      if (c != '\\') {
        text += c;
        continue;
      }
      const char escaped = next("the closing \"");
      if (std::string_view("\"\\$`").find(escaped) == std::string_view::npos) text += '\\';
      text += escaped;
    }
  }

  const std::string& line_;
  size_t at_ = 0;
};

}  // namespace

std::string quote_for_shell(const std::string& text) {
  if (!text.empty() && std::ranges::all_of(text, is_shell_safe)) return text;
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::vector<std::string> split_scenario(const std::string& line) {
  std::vector<std::string> words;
  WordReader reader(line);
  while (reader.skip_blanks()) words.push_back(reader.word());
  return words;
}

}  // namespace ringside::inline kit
