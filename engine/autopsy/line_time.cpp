#include "line.h"

#include <chrono>

namespace ringside::inline logs {
namespace {

constexpr size_t kLooked = 100;  // bytes; Slurm's time stands behind the job's and the node's name
constexpr int kLeapYear = 2000;  // where a line has none
constexpr int64_t kMinute = 60'000;

bool digits(std::string_view text, size_t at, size_t count) {
  if (at + count > text.size()) return false;
  for (size_t i = at; i < at + count; ++i)
    if (text[i] < '0' || text[i] > '9') return false;
  return true;
}

int number(std::string_view text, size_t at, size_t count) {
  int value = 0;
  for (size_t i = at; i < at + count; ++i) value = value * 10 + (text[i] - '0');
  return value;
}

// Where "dd:dd:dd" begins.
size_t clock_in(std::string_view head) {
  for (size_t colon = head.find(':'); colon != std::string_view::npos; colon = head.find(':', colon + 1))
    if (colon >= 2 && digits(head, colon - 2, 2) && digits(head, colon + 1, 2) &&
        head.substr(colon + 3, 1) == ":" && digits(head, colon + 4, 2))
      return colon - 2;
  return std::string_view::npos;
}

int64_t of_day(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                         std::chrono::day(unsigned(day))};
  if (!date.ok()) return -1;
  return std::chrono::sys_days(date).time_since_epoch().count() * 24 * 60 * kMinute;
}

// The date in front of the clock; nothing where there is none.
std::optional<LineTime> date_before(std::string_view text) {
  LineTime time;
  const size_t end = text.size();
  if (end >= 10 && digits(text, end - 10, 4) && digits(text, end - 5, 2) && digits(text, end - 2, 2) &&
      (text[end - 6] == '-' || text[end - 6] == '/') && text[end - 3] == text[end - 6])
    time.ms = of_day(number(text, end - 10, 4), number(text, end - 5, 2), number(text, end - 2, 2));
  else if (end >= 5 && digits(text, end - 4, 4) &&
           std::string_view("IWEF").find(text[end - 5]) != std::string_view::npos) {
    time.ms = of_day(kLeapYear, number(text, end - 4, 2), number(text, end - 2, 2));
    time.has_year = false;
  }
  return time.ms < 0 ? std::nullopt : std::optional(time);
}

// "Z", "+08:00"
void add_zone(std::string_view rest, LineTime& time) {
  time.is_utc = rest.starts_with('Z');
  if (rest.size() < 6 || (rest[0] != '+' && rest[0] != '-') || !digits(rest, 1, 2) || rest[3] != ':' ||
      !digits(rest, 4, 2))
    return;
  const int64_t offset = (number(rest, 1, 2) * 60 + number(rest, 4, 2)) * kMinute;
  time.ms -= rest[0] == '+' ? offset : -offset;
  time.is_utc = true;
}

}  // namespace

std::optional<LineTime> time_of(std::string_view line) {
  const std::string_view head = line.substr(0, kLooked);
  const size_t clock = clock_in(head);
  if (clock == std::string_view::npos || clock < 6) return std::nullopt;
  std::optional<LineTime> time = date_before(head.substr(0, clock - 1));
  const int hour = number(head, clock, 2), minute = number(head, clock + 3, 2),
            second = number(head, clock + 6, 2);
  if (!time || hour > 23 || minute > 59 || second > 60 || (head[clock - 1] != ' ' && head[clock - 1] != 'T'))
    return std::nullopt;
  time->ms += hour * 60 * kMinute + minute * kMinute + second * 1000;
  size_t at = clock + 8;
  if (at < head.size() && (head[at] == '.' || head[at] == ',')) {
    int64_t scale = 100;
    for (++at; at < head.size() && digits(head, at, 1); ++at, scale /= 10)
      time->ms += (head[at] - '0') * scale;
  }
  add_zone(head.substr(std::min(at, head.size())), *time);
  return time;
}

void give_year(LineTime& time, const LineTime& near) {
  if (time.has_year || !near.has_year || time.ms < 0) return;
  const std::chrono::sys_days day(std::chrono::days(near.ms / (24 * 60 * kMinute)));
  const int year = int(std::chrono::year_month_day(day).year());
  const int64_t in_year = time.ms - of_day(kLeapYear, 1, 1);
  int64_t best = -1;
  for (const int one : {year - 1, year, year + 1}) {
    // Behind a February of 28 days the day is one less.
    const bool behind = in_year >= of_day(kLeapYear, 3, 1) - of_day(kLeapYear, 1, 1);
    const int64_t shift = behind && !std::chrono::year(one).is_leap() ? 24 * 60 * kMinute : 0;
    const int64_t made = of_day(one, 1, 1) + in_year - shift;
    if (best < 0 || std::abs(made - near.ms) < std::abs(best - near.ms)) best = made;
  }
  time.ms = best;
  time.has_year = true;
}

}  // namespace ringside::inline logs
