#include <sstream>

#include <fmt/format.h>

#include "incident.h"
#include "ringside/base/error.h"
#include "ringside/base/field.h"
#include "ringside/base/text.h"

namespace ringside::inline kit {
namespace {

// "busy|absent rank 4", "unknown"
bool read_found(const std::string& text, Incident& incident) {
  const size_t end = text.find(' ');
  std::istringstream causes(text.substr(0, end));
  for (std::string word; std::getline(causes, word, '|');) {
    const auto cause = from_text<Cause>(word);
    if (cause) incident.causes.push_back(*cause);
    if (!cause && text != "unknown") return false;
  }
  if (end == std::string::npos) return !text.empty();
  const auto rank =
      text.substr(end).starts_with(" rank ") ? read_number<int>(text.substr(end + 6)) : std::optional<int>();
  incident.rank = rank.value_or(-1);
  return incident.rank >= 0 && !incident.causes.empty();
}

}  // namespace

std::vector<Incident> public_incidents(std::string_view text) {
  std::vector<Incident> all;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool begins = line.starts_with("@ ");
    if (begins) all.emplace_back().link = line.substr(2);
    if (begins || all.empty()) continue;
    if (line.starts_with("> ")) {
      all.back().answer = line.substr(2);
    } else if (!line.starts_with("= ")) {
      all.back().log += line + "\n";
    } else if (!read_found(line.substr(2), all.back())) {
      throw InputError(fmt::format("public incidents, line {}: '{}' is no cause", number, as_typed(line)));
    }
  }
  return all;
}

}  // namespace ringside::inline kit
