// What somebody prepares for: DATA/preparation.json. The day of the interview, and how many minutes a day
// there are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kept_file.h"

namespace ringside::inline kit {

struct Preparation {
  static constexpr double kLeastMinutes = 1, kMostMinutes = 240;
  int64_t interview = 0;  // that day's begin, UTC ms; 0: none
  double minutes = 10;    // a day
  bool operator==(const Preparation&) const = default;
};

class PreparationFile {
 public:
  explicit PreparationFile(const std::filesystem::path& data_folder);  // empty: in memory only

  const Preparation& get() const { return now_; }
  // False where it could not be written; message() says why.
  bool set(const Preparation& wanted);
  const std::string& message() const { return file_.message(); }  // "": all is well

 private:
  KeptFile file_;
  Preparation now_;
};

int64_t utc_now();                              // ms since 1970
int64_t begin_of_day(const std::string& date);  // "2026-12-05"; UTC ms; -1: it is no day
int64_t begin_of_day(int64_t at);               // of the UTC day that has this instant
std::string in_short_time(int64_t ms);          // "10 min", "4 d"
std::string date_of(int64_t at);                // "2026-12-05"
std::string day_in_words(int64_t at);           // "Sat 5 Dec"
// UsageError naming the option for a day that is none, has begun, or is more than a year away.
int64_t read_interview(const std::string& option, const std::string& date, int64_t now);

}  // namespace ringside::inline kit
