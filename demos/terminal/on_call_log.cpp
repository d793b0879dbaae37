#include "on_call_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "rank_places.h"
#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

constexpr size_t kNumber = 7;      // columns of a line's number
constexpr size_t kMostRows = 8;    // of the screen, that a line takes
constexpr size_t kMostShown = 20;  // of a look that does not say how many

// Of the first row: up to a blank near its end, where there is one.
size_t row_bytes(std::string_view text, size_t width) {
  size_t bytes = 0;
  for (size_t column = 0; column < width && bytes < text.size(); ++column)
    bytes += first_letter(text.substr(bytes)).bytes;
  const size_t blank = text.substr(0, bytes).rfind(' ');
  const bool near = bytes < text.size() && blank != std::string_view::npos && blank + width / 3 > bytes;
  return near ? blank + 1 : bytes;
}

}  // namespace

IncidentLog::IncidentLog(const Incident& incident, size_t columns) : incident_(incident), columns_(columns) {
  std::istringstream text(incident.log);
  for (std::string line; std::getline(text, line);) lines_.push_back(line);
}

// A log's words may be as long as a row: such a row ends where the screen does.
std::string IncidentLog::line(size_t number) const {
  const size_t width = columns_ - kNumber;
  std::string rest = as_typed(lines_.at(number - 1), kMostRows * width);
  std::string text = fmt::format("{:>5}  ", number);
  for (bool first = true; first || !rest.empty(); first = false) {
    const size_t bytes = row_bytes(rest, width);
    const size_t end = rest.find_last_not_of(' ', bytes == 0 ? 0 : bytes - 1);
    text += (first ? "" : std::string(kNumber, ' ')) + rest.substr(0, end + 1) + "\n";
    rest.erase(0, bytes);
  }
  return text;
}

std::string IncidentLog::show(const std::vector<size_t>& numbers, size_t most, bool last) {
  const size_t shown = std::min(numbers.size(), most), from = last ? numbers.size() - shown : 0;
  std::string text;
  if (last && from > 0) text += std::string(kNumber, ' ') + tr("{} lines before\n", from);
  for (size_t i = from; i < from + shown; ++i) {
    text += line(numbers[i]);
    seen_.insert(numbers[i]);
  }
  if (!last && shown < numbers.size())
    text += std::string(kNumber, ' ') + tr("and {} more\n", numbers.size() - shown);
  return numbers.empty() ? std::string(kNumber, ' ') + tr("no line\n") : text;
}

std::string IncidentLog::head(size_t most) { return from_to(1, std::min(most, lines())); }

std::string IncidentLog::tail(size_t most) {
  std::vector<size_t> all(lines());
  std::iota(all.begin(), all.end(), size_t{1});
  return show(all, most, true);
}

std::string IncidentLog::grep(const std::string& words, const std::string& but) {
  std::vector<size_t> found;
  for (size_t i = 0; i < lines(); ++i) {
    const std::string line = lower(lines_[i]);
    const bool left_out = !but.empty() && line.find(lower(but)) != std::string::npos;
    if (line.find(lower(words)) != std::string::npos && !left_out) found.push_back(i + 1);
  }
  return show(found, kMostShown);
}

std::string IncidentLog::of_rank(int rank) {
  std::vector<size_t> found;
  for (size_t i = 0; i < lines(); ++i)
    if (read_log(lines_[i] + "\n", "").ranks.contains(rank)) found.push_back(i + 1);
  return show(found, kMostShown, true);
}

std::string IncidentLog::from_to(size_t first, size_t last) {
  std::vector<size_t> found;
  for (size_t number = std::max<size_t>(first, 1); number <= std::min(last, lines()); ++number)
    found.push_back(number);
  return show(found, found.size());
}

std::string IncidentLog::places() const {
  Log log = read_log(incident_.log, "");
  log.world = std::max(log.world, incident_.ranks);
  return places_text(log, columns_);
}

}  // namespace ringside
