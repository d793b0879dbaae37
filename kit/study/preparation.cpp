#include "preparation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "fsrs.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline kit {
namespace {

using Json = nlohmann::json;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr int64_t kMostDays = 366;

year_month_day day_of(int64_t at) {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(at)));
}

// A field that is missing, or is not what it should be, keeps its first value.
Preparation read_preparation(const Json& document) {
  Preparation read;
  if (!document.is_object()) return read;
  if (document.contains("interview") && document["interview"].is_string())
    read.interview = std::max<int64_t>(0, begin_of_day(document["interview"].get<std::string>()));
  if (document.contains("minutes") && document["minutes"].is_number()) {
    const auto minutes = document["minutes"].get<double>();
    if (std::isfinite(minutes))
      read.minutes = std::clamp(minutes, Preparation::kLeastMinutes, Preparation::kMostMinutes);
  }
  return read;
}

}  // namespace

PreparationFile::PreparationFile(const std::filesystem::path& data_folder)
    : file_(data_folder, "preparation.json", "ringside preparation", 1) {
  Json there;
  file_.read(there);
  now_ = read_preparation(there);
}

bool PreparationFile::set(const Preparation& wanted) {
  now_ = wanted;
  return file_.update([&](const Json&) {
    return Json{{"interview", wanted.interview > 0 ? date_of(wanted.interview) : ""},
                {"minutes", wanted.minutes}};
  });
}

int64_t utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

int64_t begin_of_day(const std::string& date) {
  if (date.size() != 10 || date[4] != '-' || date[7] != '-') return -1;
  const auto part = [&](size_t from, size_t count) {
    return read_number<unsigned>(std::string_view(date).substr(from, count)).value_or(0);
  };
  const year_month_day day{std::chrono::year(int(part(0, 4))), std::chrono::month(part(5, 2)),
                           std::chrono::day(part(8, 2))};
  return day.ok() ? int64_t{sys_days(day).time_since_epoch().count()} * kDayMs : -1;
}

int64_t begin_of_day(int64_t at) { return at - ((at % kDayMs) + kDayMs) % kDayMs; }

std::string in_short_time(int64_t ms) {
  constexpr int64_t kMinuteMs = 60'000, kHourMs = 60 * kMinuteMs;
  if (ms < kHourMs) return std::to_string((ms + kMinuteMs / 2) / kMinuteMs) + " min";
  if (ms < kDayMs) return std::to_string(ms / kHourMs) + " h";
  return std::to_string((ms + kDayMs / 2) / kDayMs) + " d";
}

std::string date_of(int64_t at) {
  const year_month_day day = day_of(at);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", int{day.year()}, unsigned{day.month()},
                unsigned{day.day()});
  return text;
}

std::string day_in_words(int64_t at) {
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const year_month_day day = day_of(at);
  return std::string(kDays[std::chrono::weekday(sys_days(day)).c_encoding()]) + " " +
         std::to_string(unsigned{day.day()}) + " " + kMonths[unsigned{day.month()} - 1];
}

int64_t read_interview(const std::string& option, const std::string& date, int64_t now) {
  const int64_t day = begin_of_day(date);
  if (day < 0) throw UsageError(option + " " + as_typed(date) + ": a day is wanted, as 2026-12-05");
  if (day <= now) throw UsageError(option + " " + date + ": it has come; leave it out, or name a day ahead");
  if (day > now + kMostDays * kDayMs)
    throw UsageError(option + " " + date + ": a day within a year is wanted");
  return day;
}

}  // namespace ringside::inline kit
