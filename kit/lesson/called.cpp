#include "ringside/lesson/called.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "ringside/base/called.h"
#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

constexpr std::string_view kProgram = "ringside ", kRun = "run ", kGap = "   ";
constexpr std::array<std::string_view, 20> kCommands = {
    "run",     "list", "say",    "review",  "mock", "path",    "drill", "train", "evaluate", "predict",
    "convert", "plan", "flight", "autopsy", "ps",   "on_call", "bench", "gui",   "env",      "help"};

// Whether a command stands at the beginning, or options.
bool begins_with_command(std::string_view text) {
  const std::string_view word =
      text.substr(0, std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), text.size()));
  return text.starts_with("--") || text.starts_with("[") || std::ranges::count(kCommands, word) > 0;
}

std::string line_as_called(std::string_view line, const std::string& name) {
  std::string result;
  size_t saved = 0;  // columns
  while (true) {
    const size_t at = line.find(kProgram);
    if (at == std::string_view::npos) break;
    result += line.substr(0, at);
    std::string_view behind = line.substr(at + kProgram.size());
    const bool is_word = at == 0 || line[at - 1] == ' ' || line[at - 1] == '`' || line[at - 1] == '(';
    if (is_word && begins_with_command(behind)) {
      const size_t before = result.size() + line.size() - at;
      if (behind.starts_with(kRun)) behind.remove_prefix(kRun.size());
      result += name + " ";
      const size_t now = result.size() + behind.size();
      saved += before > now ? before - now : 0;
    } else {
      result += kProgram;
    }
    line = behind;
  }
  const size_t gap = line.find(kGap);
  if (saved > 0 && gap != std::string_view::npos)
    return result.append(line.substr(0, gap)).append(saved, ' ').append(line.substr(gap));
  return result.append(line);
}

std::string as_called_by(const std::string& name, std::string_view text) {
  if (name.empty()) return std::string(text);
  std::string result;
  while (!text.empty()) result += line_as_called(next_line(text), name);
  return result;
}

// In a format string a brace is written twice.
std::string with_doubled_braces(const std::string& name) {
  std::string doubled;
  for (const char letter : name) doubled.append(letter == '{' || letter == '}' ? 2 : 1, letter);
  return doubled;
}

}  // namespace

std::string as_called(std::string_view text) {
  static const std::string name = called_by();
  return as_called_by(name, text);
}

// Of a text that names the program, which are few, the one that is said is kept.
std::string_view translated(std::string_view english) {
  if (english.find(kProgram) == std::string_view::npos) return english;
  static std::mutex mutex;
  static std::map<std::string, std::string, std::less<>> said;
  const std::scoped_lock lock(mutex);
  const auto found = said.find(english);
  if (found != said.end()) return found->second;
  return said.emplace(english, as_called_by(with_doubled_braces(called_by()), english)).first->second;
}

}  // namespace ringside::inline kit
